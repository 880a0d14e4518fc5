import { expect } from 'chai';
import fc from 'fast-check';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import {
  createLoginThrottle,
  type FailureLimit,
  type LimiterOptions,
  type LoginThrottleOptions,
} from '../../src/index.js';
import { type LoginThrottle, PEER_LIMIT } from '../../src/throttle/login-throttle.js';
import type { ThrottleCheck, ThrottleKeys } from '../../src/throttle/throttle-check.js';
import { controlledThrottle } from '../helpers/controlled-throttle.js';
import { type FrozenTime, freezeTime } from '../helpers/frozen-time.js';
import { rejectionOf } from '../helpers/thrown.js';
import { settle } from '../helpers/until.js';
import { collectWarnings } from '../helpers/warnings.js';
import { fail, failOnce, newPassword, secondsOf } from './wrong-password.js';

const QUARTER = 900;
const HOUR = 3_600;
const DAY = 86_400;

function keysOf(email: string, source: string): ThrottleKeys {
  return { email, addressKey: source, emailAndAddressKey: `${email} from ${source}`, isSourceDetermined: true };
}

/** The keys of a login whose source is undetermined. */
function keysThrough(peer: string, email: string): ThrottleKeys {
  return { ...keysOf(email, peer), emailAndAddressKey: `${email} through ${peer}`, isSourceDetermined: false };
}

const shop = keysOf('awa', 'shop');
const office = keysOf('awa', 'office');
const proxy = keysThrough('proxy', 'awa');
const stranger = (number: number) => keysOf('awa', `stranger ${number}`);

/** The limits of this suite, which do not change with the defaults. */
const LIMITS = {
  emailAndSource: { failures: 10, seconds: QUARTER },
  source: { failures: 100, seconds: QUARTER },
  email: { failures: 100, seconds: HOUR },
};

async function succeed(throttle: LoginThrottle, keys: ThrottleKeys): Promise<void> {
  throttle.succeed(keys);
  await settle();
}

describe('createLoginThrottle', () => {
  let time: FrozenTime;
  let throttle: LoginThrottle;
  beforeEach(() => {
    time = freezeTime();
    throttle = createLoginThrottle(LIMITS);
  });

  const limits: readonly (readonly [
    what: string,
    limit: FailureLimit,
    guess: (time: number) => ThrottleKeys,
    refused: ThrottleKeys,
    free: readonly ThrottleKeys[],
  ])[] = [
    ['one email from one source', LIMITS.emailAndSource, () => shop, shop, [office, keysOf('kofi', 'shop')]],
    ['one source for all emails', LIMITS.source, (email) => keysOf(`email ${email}`, 'shop'), shop, [office]],
    ['one email from all sources', LIMITS.email, stranger, shop, [keysOf('kofi', 'shop')]],
    [
      'the peer of undetermined sources',
      PEER_LIMIT,
      (email) => keysThrough('proxy', `email ${email}`),
      proxy,
      [keysThrough('another proxy', 'awa'), keysOf('awa', 'proxy')],
    ],
    ['one email through a peer', LIMITS.email, () => proxy, proxy, [keysThrough('proxy', 'kofi')]],
  ];
  for (const [what, { failures, seconds }, guess, refused, free] of limits) {
    it(`allows ${failures} failures for ${what}, and then refuses it until ${seconds} s after the first`, async () => {
      expect(await fail(throttle, failures - 1, guess)).to.equal(0);
      expect(await secondsOf(throttle, refused)).to.equal(0);
      expect(await failOnce(throttle, guess(failures - 1))).to.equal(0);
      expect(await secondsOf(throttle, refused)).to.equal(seconds);
      expect(await failOnce(throttle, refused)).to.equal(seconds);
      for (const keys of free) expect(await secondsOf(throttle, keys)).to.equal(0);
      time.pass(seconds - 1);
      expect(await secondsOf(throttle, refused)).to.equal(1);
      time.pass(1);
      expect(await secondsOf(throttle, refused)).to.equal(0);
    });
  }

  it('counts by the given limits, each independently', async () => {
    for (const [name, other] of [
      ['emailAndSource', shop],
      ['source', keysOf('kofi', 'shop')],
      ['email', office],
    ] as const) {
      const given = createLoginThrottle({ [name]: { failures: 2, seconds: 60 } });
      await fail(given, 2, () => shop);
      expect(await secondsOf(given, other), name).to.equal(60);
    }
  });

  it('locks for lockSeconds from the failure that reaches the limit, in place of the rest of the window', async () => {
    for (const [seconds, lockSeconds] of [
      [6, 1_800],
      [HOUR, 60],
    ] as const) {
      const given = createLoginThrottle({ emailAndSource: { failures: 3, seconds, lockSeconds } });
      await fail(given, 2, () => shop);
      time.pass(5);
      expect(await failOnce(given, shop)).to.equal(0);
      expect(await secondsOf(given, shop)).to.equal(lockSeconds);
      time.pass(lockSeconds - 1);
      // A guess that was in progress does not lengthen the lock.
      expect(await failOnce(given, shop)).to.equal(1);
      expect(await secondsOf(given, shop)).to.equal(1);
      time.pass(1);
      expect(await fail(given, 2, () => shop)).to.equal(0);
      expect(await secondsOf(given, shop)).to.equal(0);
      await fail(given, 1, () => shop);
      await given.forgive('awa', shop.emailAndAddressKey);
      expect(await secondsOf(given, shop)).to.equal(0);
    }
  });

  it('says that it counts in memory, without a limiter and during an outage', async () => {
    collectWarnings();
    expect(throttle.isCountingInMemory).to.equal(true);
    const control = controlledThrottle();
    expect(control.throttle.isCountingInMemory).to.equal(false);
    control.before = () => Promise.reject(new Error('down'));
    await failOnce(control.throttle, shop);
    expect(control.throttle.isCountingInMemory).to.equal(true);
    control.before = () => undefined;
    time.pass(1);
    await control.throttle.check(shop);
    await failOnce(control.throttle, shop);
    expect(control.throttle.isCountingInMemory).to.equal(false);
  });

  it('names the seconds of the counter that ends last', async () => {
    const one = (seconds: number) => ({ failures: 1, seconds });
    const given = createLoginThrottle({ emailAndSource: one(10), email: one(20), source: one(15) });
    await failOnce(given, shop);
    expect(await secondsOf(given, shop)).to.equal(20);
    expect(await failOnce(given, shop)).to.equal(20);
  });

  it('clears the failures of an email from a source after a good login from there, and no others', async () => {
    await fail(throttle, 9, () => shop);
    await succeed(throttle, shop);
    expect(await fail(throttle, 10, () => shop)).to.equal(0);
    for (const other of [office, keysOf('kofi', 'shop'), keysThrough('shop', 'awa')]) await succeed(throttle, other);
    expect(await secondsOf(throttle, shop)).to.equal(QUARTER);
    await fail(throttle, 81, (email) => keysOf(`email ${email}`, 'shop'));
    await succeed(throttle, shop);
    expect(await secondsOf(throttle, shop)).to.equal(QUARTER);
  });

  describe('exempts from the limit of an email', () => {
    it('the sources that logged in to it, and not to another email, for 14 days after their last login', async () => {
      await succeed(throttle, shop);
      time.pass(10 * DAY);
      await succeed(throttle, shop);
      await succeed(throttle, keysOf('kofi', 'office'));
      time.pass(14 * DAY - 1);
      expect(await throttle.check(shop)).to.deep.equal({ seconds: 0, isKnown: true, isRepeated: false });
      await fail(throttle, 100, stranger);
      expect(await throttle.check(shop)).to.deep.equal({
        seconds: 0,
        isKnown: true,
        isRepeated: false,
        secondsIfWrong: HOUR,
      });
      expect(await throttle.check(office)).to.deep.equal({ seconds: HOUR, isKnown: false, isRepeated: false });
      time.pass(1);
      expect(await throttle.check(shop)).to.deep.equal({ seconds: HOUR - 1, isKnown: false, isRepeated: false });
    });

    it('at most 1,000 sources in memory, so that they do not push out those of other emails', async () => {
      await succeed(throttle, keysOf('kofi', 'shop'));
      for (let source = 0; source <= 1_000; source++) throttle.succeed(keysOf('awa', `shop ${source}`));
      await settle();
      const known = [keysOf('kofi', 'shop'), keysOf('awa', 'shop 0'), keysOf('awa', 'shop 1000')];
      const checks = await Promise.all(known.map((keys) => throttle.check(keys)));
      expect(checks.map(({ isKnown }) => isKnown)).to.deep.equal([true, false, true]);
    });
  });

  it('exempts an email that logged in through a peer from the limit of the peer, and not from its own', async () => {
    await succeed(throttle, proxy);
    await fail(throttle, PEER_LIMIT.failures, (email) => keysThrough('proxy', `email ${email}`));
    expect(await throttle.check(proxy)).to.deep.equal({
      seconds: 0,
      isKnown: true,
      isRepeated: false,
      secondsIfWrong: QUARTER,
    });
    expect(await throttle.check(keysThrough('proxy', 'kofi'))).to.deep.equal({
      seconds: QUARTER,
      isKnown: false,
      isRepeated: false,
    });
    await fail(throttle, 100, () => proxy);
    expect(await secondsOf(throttle, proxy)).to.equal(HOUR);
  });

  describe('gives an exempt source no other answer than an unknown email:', () => {
    /** Sends wrong passwords that all arrive before the first is compared. Resolves to the seconds of each answer. */
    async function guessAll(
      guessed: LoginThrottle,
      passwordOf: (number: number) => string,
      ...guesses: readonly ThrottleKeys[]
    ): Promise<number[]> {
      const digests = guesses.map(({ emailAndAddressKey }, number) => `${passwordOf(number)} ${emailAndAddressKey}`);
      const checks = await Promise.all(guesses.map((keys, index) => guessed.check(keys, digests[index])));
      const answer = async (index: number, { seconds, secondsIfWrong }: ThrottleCheck) =>
        seconds > 0
          ? seconds
          : (await guessed.fail(guesses[index] ?? shop, digests[index] ?? '', secondsIfWrong)).seconds;
      return Promise.all(checks.map((check, index) => answer(index, check)));
    }

    const guess = (guessed: LoginThrottle, ...guesses: readonly ThrottleKeys[]) =>
      guessAll(guessed, newPassword, ...guesses);

    /** Makes two throttles with low limits. The first knows the source of `keys`. */
    async function createPair(keys: ThrottleKeys) {
      const low: LoginThrottleOptions = {
        emailAndSource: { failures: 3, seconds: 60 },
        source: { failures: 6, seconds: 100 },
        email: { failures: 5, seconds: 200 },
      };
      const [knowing, other] = [createLoginThrottle(low), createLoginThrottle(low)];
      await succeed(knowing, keys);
      return [knowing, other] as const;
    }

    const step = fc.oneof(
      fc.record({
        guesses: fc.constantFrom(1, 1, 4, 12),
        from: fc.constantFrom('here', 'elsewhere', 'other email'),
        // With one password, all guesses from one place are repetitions.
        passwords: fc.constantFrom('new', 'new', 'few', 'one'),
      }),
      fc.record({ seconds: fc.constantFrom(20, 61, 101, 201, 901) }),
    );

    for (const [what, own, junk] of [
      ['a determined source', shop, 0],
      ['a peer', proxy, PEER_LIMIT.failures],
    ] as const) {
      it(`${what}, at any guess before and after`, async () => {
        const keysFrom = (from: string, number: number): ThrottleKeys => {
          if (from === 'here') return own;
          if (from === 'elsewhere') return stranger(number);
          return { ...own, email: 'kofi', emailAndAddressKey: 'kofi from here' };
        };
        await fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
            const pair = await createPair(own);
            for (const each of pair) {
              for (let email = 0; email < junk; email++) await failOnce(each, { ...own, email: `junk ${email}` });
            }
            for (const each of steps) {
              if ('seconds' in each) {
                time.pass(each.seconds);
                continue;
              }
              const keys = Array.from({ length: each.guesses }, (_, number) => keysFrom(each.from, number));
              const start = newPassword();
              const passwordOf = (number: number) =>
                each.passwords === 'new' ? `${start} ${number}` : String(each.passwords === 'few' && number);
              const known = await guessAll(pair[0], passwordOf, ...keys);
              const unknown = await guessAll(pair[1], passwordOf, ...keys);
              expect(known).to.deep.equal(unknown);
            }
          }),
          { numRuns: junk > 0 ? 40 : 300 },
        );
      });
    }

    it('ten wrong passwords end the exemption for 15 minutes, and parallel ones learn no more', async () => {
      await succeed(throttle, shop);
      await fail(throttle, 100, stranger);
      const exempt = { seconds: 0, isKnown: true, isRepeated: false, secondsIfWrong: HOUR };
      await guess(throttle, ...Array.from({ length: 9 }, () => shop));
      expect(await throttle.check(shop)).to.deep.equal(exempt);
      await guess(throttle, ...Array.from({ length: 30 }, () => shop));
      expect(await throttle.check(shop)).to.deep.equal({ seconds: HOUR, isKnown: true, isRepeated: false });
      time.pass(QUARTER);
      expect(await throttle.check(shop)).to.deep.equal({ ...exempt, secondsIfWrong: HOUR - QUARTER });
    });

    it('a hundred wrong passwords from its source end its exemption, whoever logs in between', async () => {
      await succeed(throttle, shop);
      await fail(throttle, 100, stranger);
      await fail(throttle, 40, (email) => keysOf(`email ${email}`, 'shop'));
      let computed = 0;
      for (let login = 0; login < 600; login++) {
        const { seconds, secondsIfWrong } = await throttle.check(shop, newPassword());
        if (seconds > 0) continue;
        computed += 1;
        // Another account of the same fold, for example, logs in after each nine.
        if (login % 10 === 9) await succeed(throttle, shop);
        else expect(await failOnce(throttle, shop, secondsIfWrong)).to.equal(HOUR);
      }
      expect(computed).to.equal(60 + 6);
      expect(await throttle.check(shop)).to.deep.equal({ seconds: HOUR, isKnown: true, isRepeated: false });
      // Another email from there is refused only if it is past its limit, too.
      const kofi = keysOf('kofi', 'shop');
      await succeed(throttle, kofi);
      expect(await secondsOf(throttle, kofi)).to.equal(0);
      time.pass(QUARTER);
      expect(await secondsOf(throttle, shop)).to.equal(0);
    });

    it('an old password that a server repeats does not end the exemption, but is refused on arrival', async () => {
      await succeed(throttle, shop);
      await fail(throttle, 100, stranger);
      await guessAll(throttle, () => 'old', ...Array.from({ length: 60 }, () => shop));
      const old = `old ${shop.emailAndAddressKey}`;
      expect(await throttle.check(shop, old)).to.deep.equal({ seconds: HOUR, isKnown: true, isRepeated: true });
      const exempt = { seconds: 0, isKnown: true, isRepeated: false, secondsIfWrong: HOUR };
      expect(await throttle.check(shop, 'new')).to.deep.equal(exempt);
      // A guess of an unknown email was not counted meanwhile, so that this one is new after the limit, too.
      time.pass(HOUR - 60);
      await throttle.fail(shop, old, 60);
      time.pass(60);
      expect(await throttle.fail(shop, old)).to.deep.equal({ seconds: 0, isRepeated: false });
    });

    it('the wrong passwords of one known source do not count against another', async () => {
      for (const known of [shop, office]) await succeed(throttle, known);
      await fail(throttle, 100, stranger);
      await guess(throttle, ...Array.from({ length: 10 }, () => shop));
      expect([await secondsOf(throttle, shop), await secondsOf(throttle, office)]).to.deep.equal([HOUR, 0]);
    });

    it('a hundred wrong passwords end the exemption from the limit of the peer', async () => {
      await succeed(throttle, proxy);
      await fail(throttle, PEER_LIMIT.failures, (email) => keysThrough('proxy', `email ${email}`));
      const exempt = { seconds: 0, isKnown: true, isRepeated: false, secondsIfWrong: QUARTER };
      await guess(throttle, ...Array.from({ length: 99 }, () => proxy));
      expect(await throttle.check(proxy)).to.deep.equal(exempt);
      await guess(throttle, proxy);
      expect(await throttle.check(proxy)).to.deep.equal({ seconds: QUARTER, isKnown: true, isRepeated: false });
      await throttle.forgive('awa', undefined);
      expect(await throttle.check(proxy)).to.deep.equal(exempt);
    });

    it('a right password, or an operator who forgives, clears the wrong ones of the source', async () => {
      await succeed(throttle, shop);
      await fail(throttle, 100, stranger);
      for (let login = 0; login < 2; login++) {
        await guess(throttle, ...Array.from({ length: 9 }, () => shop));
        await succeed(throttle, shop);
      }
      expect(await secondsOf(throttle, shop)).to.equal(0);
      await guess(throttle, ...Array.from({ length: 10 }, () => shop));
      expect(await secondsOf(throttle, shop)).to.equal(HOUR);
      // So does a right password after the limit of the email, when its source needs no exemption.
      await throttle.forgive('awa', undefined);
      await succeed(throttle, shop);
      await fail(throttle, 100, stranger);
      expect(await secondsOf(throttle, shop)).to.equal(0);
      await guess(throttle, ...Array.from({ length: 10 }, () => shop));
      await throttle.forgive('awa', shop.emailAndAddressKey);
      await fail(throttle, 100, stranger);
      expect(await secondsOf(throttle, shop)).to.equal(0);
    });
  });

  describe('forgives', () => {
    it('the failures of an email from all sources, and of no other email', async () => {
      for (const email of ['awa', 'kofi']) await fail(throttle, 100, (source) => keysOf(email, `stranger ${source}`));
      await throttle.forgive('awa', undefined);
      expect(await secondsOf(throttle, shop)).to.equal(0);
      expect(await secondsOf(throttle, keysOf('kofi', 'shop'))).to.equal(HOUR);
    });

    it('the failures from one source only when it is named, and never those of the source', async () => {
      for (const keys of [shop, office]) await fail(throttle, 10, () => keys);
      await throttle.forgive('awa', undefined);
      expect(await secondsOf(throttle, shop)).to.equal(QUARTER);
      await throttle.forgive('awa', shop.emailAndAddressKey);
      expect(await secondsOf(throttle, shop)).to.equal(0);
      expect(await secondsOf(throttle, office)).to.equal(QUARTER);
      await fail(throttle, 90, (email) => keysOf(`email ${email}`, 'shop'));
      await throttle.forgive('awa', shop.emailAndAddressKey);
      expect(await secondsOf(throttle, shop)).to.equal(QUARTER);
    });

    it('or rejects when the backend fails', async () => {
      collectWarnings();
      const control = controlledThrottle();
      const cause = new Error('down');
      control.before = () => Promise.reject(cause);
      expect(await rejectionOf(control.throttle.forgive('awa', undefined))).to.include({
        message:
          'The failed logins are not forgiven, because the backend of the login throttle failed. Try again when it answers.',
        cause,
      });
    });
  });

  describe('with a limiter of the host', () => {
    it('calls it once for each counter, with a prefix, the limit and an insurance that rejects', async () => {
      const given: LimiterOptions[] = [];
      const { isShared } = createLoginThrottle({
        ...LIMITS,
        limiter(options) {
          given.push(options);
          return new RateLimiterMemory(options);
        },
      });
      expect(given.map(({ keyPrefix, points, duration }) => [keyPrefix, points, duration])).to.deep.equal([
        ['express-merchant-auth:emailAndSource', 10, 900],
        ['express-merchant-auth:source', 100, 900],
        ['express-merchant-auth:email', 100, 3_600],
        ['express-merchant-auth:peer', PEER_LIMIT.failures, PEER_LIMIT.seconds],
        ['express-merchant-auth:knownSource', 1, 14 * DAY],
        ['express-merchant-auth:guess', 10, 900],
      ]);
      for (const { insuranceLimiter } of given) {
        const error = await rejectionOf(insuranceLimiter.get('a'));
        expect(error).to.have.property('message', 'The backend of the login throttle failed.');
      }
      expect([isShared, createLoginThrottle().isShared]).to.deep.equal([true, false]);
    });

    it('lets the backend rest with all counters when it fails for one', async () => {
      collectWarnings();
      const control = controlledThrottle();
      control.before = ({ counter }) => (counter === 'peer' ? Promise.reject(new Error('down')) : undefined);
      await failOnce(control.throttle, proxy);
      control.calls.length = 0;
      await succeed(control.throttle, shop);
      await control.throttle.check(shop);
      await failOnce(control.throttle, shop);
      expect(control.calls).to.deep.equal([]);
      time.pass(1);
      await control.throttle.check(shop);
      expect(control.calls).to.have.length(4);
    });
  });
});

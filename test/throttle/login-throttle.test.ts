import { expect } from 'chai';
import fc from 'fast-check';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import {
  createLoginThrottle,
  type LimiterOptions,
  type LoginThrottle,
  type LoginThrottleOptions,
} from '../../src/index.js';
import type { ThrottleCheck, ThrottleKeys } from '../../src/throttle/login-throttle.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { rejectionOf } from '../helpers/thrown.js';
import { settle } from '../helpers/until.js';
import { collectWarnings } from '../helpers/warnings.js';

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

const METHODS = ['get', 'penalty', 'set', 'delete'] as const;
const BEGINS =
  'The backend of the login throttle failed, so failed logins are counted in the memory of this process until it answers. ' +
  'If this comes at start, the limiter is set up wrongly: node-redis needs useRedisPackage: true.';
const ENDS = 'The backend of the login throttle answers again, so failed logins are counted there.';

type Host = ReturnType<typeof overHost>;

/** Creates a throttle over the limiters of a host. The methods in `fails` reject. */
function overHost() {
  const limiters = new Map<string, RateLimiterMemory>();
  const fails: string[] = [];
  const calls: string[] = [];
  const throttle = createLoginThrottle({
    limiter(options) {
      const name = options.keyPrefix.slice('express-merchant-auth:'.length);
      const limiter = new RateLimiterMemory(options);
      limiters.set(name, limiter);
      const reach = <Result>(method: string, call: () => Promise<Result>): Promise<Result> => {
        calls.push(`${name} ${method}`);
        return fails.includes(method) ? Promise.reject(new Error('down')) : call();
      };
      return Object.assign(new RateLimiterMemory(options), {
        get: (key: string) => reach('get', () => limiter.get(key)),
        penalty: (key: string) => reach('penalty', () => limiter.penalty(key)),
        set: (key: string, points: number, seconds: number) => reach('set', () => limiter.set(key, points, seconds)),
        delete: (key: string) => reach('delete', () => limiter.delete(key)),
      });
    },
  });
  const passRest = (ms = 1_000) => freezeTime().pass(ms / 1_000);
  return { throttle, limiters, fails, calls, passRest };
}

describe('createLoginThrottle', () => {
  function keysOf(email: string, source: string): ThrottleKeys {
    return { email, addressKey: source, emailAndAddressKey: `${email} from ${source}`, isSourceDetermined: true };
  }

  /** The keys of a login whose source is undetermined. */
  function keysThrough(peer: string, email: string): ThrottleKeys {
    return { ...keysOf(email, peer), emailAndAddressKey: `${email} through ${peer}`, isSourceDetermined: false };
  }

  async function secondsOf(throttle: LoginThrottle, keys: ThrottleKeys): Promise<number> {
    return (await throttle.check(keys)).seconds;
  }

  /** Counts failures. Resolves to the seconds to wait after the last one. */
  async function fail(
    throttle: LoginThrottle,
    times: number,
    keysOfTime: (time: number) => ThrottleKeys,
  ): Promise<number> {
    let seconds = 0;
    for (let time = 0; time < times; time++) seconds = await throttle.fail(keysOfTime(time));
    return seconds;
  }

  describe('counts one email from one source', () => {
    const shop = keysOf('awa', 'shop');

    it('and answers ten failures, then refuses the source until 15 minutes after the first', async () => {
      const time = freezeTime();
      const throttle = createLoginThrottle();
      expect(await fail(throttle, 1, () => shop)).to.equal(0);
      time.pass(5 * MINUTE);
      expect(await fail(throttle, 8, () => shop)).to.equal(0);
      expect(await secondsOf(throttle, shop)).to.equal(0);
      expect(await throttle.fail(shop)).to.equal(0);
      expect(await secondsOf(throttle, shop)).to.equal(10 * MINUTE);
      expect(await throttle.fail(shop)).to.equal(10 * MINUTE);
      time.pass(10 * MINUTE - 1);
      expect(await secondsOf(throttle, shop)).to.equal(1);
      time.pass(1);
      expect(await secondsOf(throttle, shop)).to.equal(0);
      expect(await fail(throttle, 10, () => shop)).to.equal(0);
    });

    it('and does not extend the wait when it is asked', async () => {
      const time = freezeTime();
      const throttle = createLoginThrottle();
      await fail(throttle, 10, () => shop);
      time.pass(14 * MINUTE);
      for (let ask = 0; ask < 50; ask++) expect(await secondsOf(throttle, shop)).to.equal(MINUTE);
      time.pass(MINUTE);
      expect(await secondsOf(throttle, shop)).to.equal(0);
    });

    it('and clears the failures after a good login from there', async () => {
      freezeTime();
      const throttle = createLoginThrottle();
      await fail(throttle, 9, () => shop);
      throttle.succeed(shop);
      await settle();
      expect(await fail(throttle, 10, () => shop)).to.equal(0);
      expect(await secondsOf(throttle, shop)).to.equal(15 * MINUTE);
    });

    it('and clears nothing after a good login from elsewhere, or to another account', async () => {
      freezeTime();
      const throttle = createLoginThrottle();
      await fail(throttle, 10, () => shop);
      throttle.succeed(keysOf('awa', 'office'));
      throttle.succeed(keysOf('kofi', 'shop'));
      throttle.succeed(keysThrough('shop', 'awa'));
      await settle();
      expect(await secondsOf(throttle, shop)).to.equal(15 * MINUTE);
    });

    it('and accepts that email from elsewhere, and other emails from there', async () => {
      freezeTime();
      const throttle = createLoginThrottle();
      await fail(throttle, 10, () => shop);
      expect(await secondsOf(throttle, keysOf('awa', 'office'))).to.equal(0);
      expect(await secondsOf(throttle, keysOf('kofi', 'shop'))).to.equal(0);
    });
  });

  describe('counts one source over all emails', () => {
    it('and refuses it from the hundredth failure until 15 minutes after the first', async () => {
      const time = freezeTime();
      const throttle = createLoginThrottle();
      const guess = (email: number) => keysOf(`email ${email}`, 'shop');
      expect(await fail(throttle, 99, guess)).to.equal(0);
      expect(await secondsOf(throttle, keysOf('awa', 'shop'))).to.equal(0);
      expect(await fail(throttle, 1, () => keysOf('another', 'shop'))).to.equal(0);
      expect(await secondsOf(throttle, keysOf('awa', 'shop'))).to.equal(15 * MINUTE);
      expect(await throttle.fail(keysOf('awa', 'shop'))).to.equal(15 * MINUTE);
      expect(await secondsOf(throttle, keysOf('awa', 'office'))).to.equal(0);
      time.pass(15 * MINUTE);
      expect(await secondsOf(throttle, keysOf('awa', 'shop'))).to.equal(0);
    });

    it('and clears nothing after a good login', async () => {
      freezeTime();
      const throttle = createLoginThrottle();
      await fail(throttle, 100, (email) => keysOf(`email ${email}`, 'shop'));
      throttle.succeed(keysOf('awa', 'shop'));
      await settle();
      expect(await secondsOf(throttle, keysOf('awa', 'shop'))).to.equal(15 * MINUTE);
    });
  });

  describe('counts one email over all sources', () => {
    const guess = (source: number) => keysOf('awa', `guesser ${source}`);

    it('and refuses sources from the hundredth failure until an hour after the first', async () => {
      const time = freezeTime();
      const throttle = createLoginThrottle();
      expect(await fail(throttle, 99, guess)).to.equal(0);
      expect(await secondsOf(throttle, keysOf('awa', 'shop'))).to.equal(0);
      expect(await throttle.fail(keysOf('awa', 'another guesser'))).to.equal(0);
      expect(await secondsOf(throttle, keysOf('awa', 'shop'))).to.equal(HOUR);
      expect(await throttle.fail(keysOf('awa', 'shop'))).to.equal(HOUR);
      expect(await secondsOf(throttle, keysOf('kofi', 'shop'))).to.equal(0);
      time.pass(HOUR);
      expect(await secondsOf(throttle, keysOf('awa', 'shop'))).to.equal(0);
    });

    it('and exempts a source that logged in to it within 14 days', async () => {
      const time = freezeTime();
      const throttle = createLoginThrottle();
      throttle.succeed(keysOf('awa', 'shop'));
      await settle();
      time.pass(14 * DAY - 1);
      await fail(throttle, 100, guess);
      expect(await secondsOf(throttle, keysOf('awa', 'office'))).to.equal(HOUR);
      expect(await secondsOf(throttle, keysOf('awa', 'shop'))).to.equal(0);
    });

    it('and forgets the source after 14 days without a login', async () => {
      const time = freezeTime();
      const throttle = createLoginThrottle();
      throttle.succeed(keysOf('awa', 'shop'));
      await settle();
      time.pass(14 * DAY);
      await fail(throttle, 100, guess);
      expect(await secondsOf(throttle, keysOf('awa', 'shop'))).to.equal(HOUR);
    });

    it('and counts the 14 days from the last login', async () => {
      const time = freezeTime();
      const throttle = createLoginThrottle();
      for (const days of [0, 10]) {
        time.pass(days * DAY);
        throttle.succeed(keysOf('awa', 'shop'));
        await settle();
      }
      time.pass(13 * DAY);
      await fail(throttle, 100, guess);
      expect(await secondsOf(throttle, keysOf('awa', 'shop'))).to.equal(0);
    });

    it('and holds in memory at most 1,000 sources of it, so that they do not push out those of other emails', async () => {
      freezeTime();
      const throttle = createLoginThrottle();
      throttle.succeed(keysOf('kofi', 'shop'));
      for (let source = 0; source <= 1_000; source++) throttle.succeed(keysOf('awa', `shop ${source}`));
      await settle();
      const isKnown = async (email: string, source: string) => (await throttle.check(keysOf(email, source))).isKnown;
      expect(await isKnown('kofi', 'shop')).to.equal(true);
      expect(await isKnown('awa', 'shop 0')).to.equal(false);
      expect(await isKnown('awa', 'shop 1000')).to.equal(true);
    });

    it('and exempts the source for that email alone', async () => {
      freezeTime();
      const throttle = createLoginThrottle();
      throttle.succeed(keysOf('kofi', 'shop'));
      await settle();
      await fail(throttle, 100, guess);
      expect(await secondsOf(throttle, keysOf('awa', 'shop'))).to.equal(HOUR);
    });

    it('and reports if it knows the source', async () => {
      const time = freezeTime();
      const throttle = createLoginThrottle();
      const shop = keysOf('awa', 'shop');
      expect(await throttle.check(shop)).to.deep.equal({ seconds: 0, isKnown: false });
      throttle.succeed(shop);
      await settle();
      expect(await throttle.check(shop)).to.deep.equal({ seconds: 0, isKnown: true });
      expect(await throttle.check(keysOf('kofi', 'shop'))).to.deep.equal({ seconds: 0, isKnown: false });
      await fail(throttle, 10, () => shop);
      expect(await throttle.check(shop)).to.deep.equal({ seconds: 15 * MINUTE, isKnown: true });
      time.pass(14 * DAY);
      expect(await throttle.check(shop)).to.deep.equal({ seconds: 0, isKnown: false });
    });
  });

  describe('counts logins whose source is undetermined', () => {
    const guess = (email: number) => keysThrough('proxy', `email ${email}`);

    it('by their peer, and refuses it from the thousandth failure until 15 minutes after the first', async () => {
      const time = freezeTime();
      const throttle = createLoginThrottle();
      expect(await fail(throttle, 999, guess)).to.equal(0);
      expect(await secondsOf(throttle, keysThrough('proxy', 'awa'))).to.equal(0);
      expect(await throttle.fail(guess(999))).to.equal(0);
      expect(await secondsOf(throttle, keysThrough('proxy', 'awa'))).to.equal(15 * MINUTE);
      expect(await throttle.fail(keysThrough('proxy', 'awa'))).to.equal(15 * MINUTE);
      expect(await secondsOf(throttle, keysThrough('another proxy', 'awa'))).to.equal(0);
      expect(await secondsOf(throttle, keysOf('awa', 'proxy'))).to.equal(0);
      time.pass(15 * MINUTE);
      expect(await secondsOf(throttle, keysThrough('proxy', 'awa'))).to.equal(0);
    });

    it('by their email, from the hundredth failure on, whatever the limit of a pair or a source', async () => {
      freezeTime();
      const one = { failures: 1, seconds: 900 };
      const throttle = createLoginThrottle({ emailAndSource: one, source: one });
      expect(await fail(throttle, 99, () => keysThrough('proxy', 'awa'))).to.equal(0);
      expect(await secondsOf(throttle, keysThrough('proxy', 'awa'))).to.equal(0);
      expect(await throttle.fail(keysThrough('proxy', 'awa'))).to.equal(0);
      expect(await secondsOf(throttle, keysThrough('proxy', 'awa'))).to.equal(HOUR);
      expect(await secondsOf(throttle, keysThrough('proxy', 'kofi'))).to.equal(0);
    });

    it('and exempts an email that logged in through the peer from the limit of the peer, for 14 days', async () => {
      const time = freezeTime();
      const throttle = createLoginThrottle();
      throttle.succeed(keysThrough('proxy', 'awa'));
      await settle();
      time.pass(14 * DAY - 1);
      await fail(throttle, 1_000, guess);
      const exempt = { seconds: 0, isKnown: true, secondsIfWrong: 900 };
      expect(await throttle.check(keysThrough('proxy', 'awa'))).to.deep.equal(exempt);
      expect(await throttle.check(keysThrough('proxy', 'kofi'))).to.deep.equal({ seconds: 900, isKnown: false });
      time.pass(1);
      expect(await secondsOf(throttle, keysThrough('proxy', 'awa'))).to.equal(899);
    });

    it('and does not exempt that email from the limit of the email', async () => {
      freezeTime();
      const throttle = createLoginThrottle();
      throttle.succeed(keysThrough('proxy', 'awa'));
      await settle();
      await fail(throttle, 100, () => keysThrough('proxy', 'awa'));
      expect(await secondsOf(throttle, keysThrough('proxy', 'awa'))).to.equal(HOUR);
    });
  });

  describe('gives an exempt source no other answer than an unknown email:', () => {
    const shop = keysOf('awa', 'shop');
    const proxy = keysThrough('proxy', 'awa');

    /** Sends wrong passwords that all arrive before the first is compared. Resolves to the seconds of each answer. */
    async function guess(throttle: LoginThrottle, ...guesses: readonly ThrottleKeys[]): Promise<number[]> {
      const checks = await Promise.all(guesses.map((keys) => throttle.check(keys)));
      const answer = async (keys: ThrottleKeys, { seconds, secondsIfWrong }: ThrottleCheck) =>
        seconds > 0 ? seconds : throttle.fail(keys, secondsIfWrong);
      return Promise.all(checks.map((check, index) => answer(guesses[index] ?? shop, check)));
    }

    /** Makes two throttles with low limits. The first knows the source of `keys`. */
    async function createPair(keys: ThrottleKeys) {
      const limits: LoginThrottleOptions = {
        emailAndSource: { failures: 3, seconds: 60 },
        source: { failures: 6, seconds: 100 },
        email: { failures: 5, seconds: 200 },
      };
      const [knowing, other] = [createLoginThrottle(limits), createLoginThrottle(limits)];
      knowing.succeed(keys);
      await settle();
      return [knowing, other] as const;
    }

    const step = fc.oneof(
      fc.record({ guesses: fc.constantFrom(1, 1, 4, 12), from: fc.constantFrom('here', 'elsewhere', 'other email') }),
      fc.record({ seconds: fc.constantFrom(20, 61, 101, 201, 901) }),
    );

    for (const [what, own, junk] of [
      ['a determined source', shop, 0],
      ['a peer', proxy, 1_000],
    ] as const) {
      it(`${what}, at any guess before and after`, async () => {
        const time = freezeTime();
        const keysFrom = (from: string, number: number): ThrottleKeys => {
          if (from === 'here') return own;
          if (from === 'elsewhere') return keysOf('awa', `stranger ${number}`);
          return { ...own, email: 'kofi', emailAndAddressKey: 'kofi from here' };
        };
        await fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
            const pair = await createPair(own);
            for (const throttle of pair) {
              for (let email = 0; email < junk; email++) await throttle.fail({ ...own, email: `junk ${email}` });
            }
            for (const each of steps) {
              if ('seconds' in each) {
                time.pass(each.seconds);
                continue;
              }
              const keys = Array.from({ length: each.guesses }, (_, number) => keysFrom(each.from, number));
              const [known, unknown] = [await guess(pair[0], ...keys), await guess(pair[1], ...keys)];
              expect(known).to.deep.equal(unknown);
            }
          }),
          { numRuns: junk > 0 ? 40 : 300 },
        );
      });
    }

    it('a known source past another limit waits for the limit from which it would be exempt, too', async () => {
      freezeTime();
      const throttle = createLoginThrottle();
      throttle.succeed(shop);
      await settle();
      await fail(throttle, 10, () => shop);
      await fail(throttle, 90, (source) => keysOf('awa', `guesser ${source}`));
      expect(await throttle.check(shop)).to.deep.equal({ seconds: HOUR, isKnown: true });
    });

    it('ten wrong passwords end the exemption for 15 minutes, and parallel ones learn no more', async () => {
      const time = freezeTime();
      const throttle = createLoginThrottle();
      throttle.succeed(shop);
      await settle();
      await fail(throttle, 100, (source) => keysOf('awa', `guesser ${source}`));
      const exempt = { seconds: 0, isKnown: true, secondsIfWrong: HOUR };
      await guess(throttle, ...Array.from({ length: 9 }, () => shop));
      expect(await throttle.check(shop)).to.deep.equal(exempt);
      await guess(throttle, ...Array.from({ length: 30 }, () => shop));
      expect(await throttle.check(shop)).to.deep.equal({ seconds: HOUR, isKnown: true });
      time.pass(15 * MINUTE);
      expect(await throttle.check(shop)).to.deep.equal({ ...exempt, secondsIfWrong: HOUR - 15 * MINUTE });
    });

    it('a hundred wrong passwords end the exemption from the limit of the peer', async () => {
      freezeTime();
      const throttle = createLoginThrottle();
      throttle.succeed(proxy);
      await settle();
      await fail(throttle, 1_000, (email) => keysThrough('proxy', `email ${email}`));
      const exempt = { seconds: 0, isKnown: true, secondsIfWrong: 900 };
      await guess(throttle, ...Array.from({ length: 99 }, () => proxy));
      expect(await throttle.check(proxy)).to.deep.equal(exempt);
      await guess(throttle, proxy);
      expect(await throttle.check(proxy)).to.deep.equal({ seconds: 900, isKnown: true });
      await throttle.forgive('awa', undefined);
      expect(await throttle.check(proxy)).to.deep.equal(exempt);
    });

    it('a right password, or an operator who forgives, clears the wrong ones of the source', async () => {
      freezeTime();
      const throttle = createLoginThrottle();
      throttle.succeed(shop);
      await settle();
      const strangers = () => fail(throttle, 100, (source) => keysOf('awa', `guesser ${source}`));
      await strangers();
      for (let login = 0; login < 2; login++) {
        await guess(throttle, ...Array.from({ length: 9 }, () => shop));
        throttle.succeed(shop, (await throttle.check(shop)).secondsIfWrong);
        await settle();
      }
      expect(await secondsOf(throttle, shop)).to.equal(0);
      await guess(throttle, ...Array.from({ length: 10 }, () => shop));
      expect(await secondsOf(throttle, shop)).to.equal(HOUR);
      await throttle.forgive('awa', shop.emailAndAddressKey);
      await strangers();
      expect(await secondsOf(throttle, shop)).to.equal(0);
    });
  });

  describe('forgives', () => {
    it('the failures of an email from all sources, and of no other email', async () => {
      freezeTime();
      const throttle = createLoginThrottle();
      for (const email of ['awa', 'kofi']) await fail(throttle, 100, (source) => keysOf(email, `guesser ${source}`));
      await throttle.forgive('awa', undefined);
      expect(await secondsOf(throttle, keysOf('awa', 'shop'))).to.equal(0);
      expect(await secondsOf(throttle, keysOf('kofi', 'shop'))).to.equal(HOUR);
    });

    it('the failures from one source only when it is named, and never those of the source', async () => {
      freezeTime();
      const throttle = createLoginThrottle();
      const [shop, office] = [keysOf('awa', 'shop'), keysOf('awa', 'office')];
      await fail(throttle, 10, () => shop);
      await fail(throttle, 10, () => office);
      await throttle.forgive('awa', undefined);
      expect(await secondsOf(throttle, shop)).to.equal(15 * MINUTE);
      await throttle.forgive('awa', shop.emailAndAddressKey);
      expect(await secondsOf(throttle, shop)).to.equal(0);
      expect(await secondsOf(throttle, office)).to.equal(15 * MINUTE);
      await fail(throttle, 90, (email) => keysOf(`email ${email}`, 'shop'));
      await throttle.forgive('awa', shop.emailAndAddressKey);
      expect(await secondsOf(throttle, shop)).to.equal(15 * MINUTE);
    });

    it('in backend and memory', async () => {
      freezeTime();
      collectWarnings();
      const { throttle, limiters, passRest, fails } = overHost();
      const shop = keysOf('awa', 'shop');
      const limit = () => fail(throttle, 10, () => shop);
      await limit();
      fails.push('penalty');
      await limit();
      passRest();
      fails.length = 0;
      await throttle.forgive('awa', shop.emailAndAddressKey);
      expect(await secondsOf(throttle, shop)).to.equal(0);
      expect(await limiters.get('emailAndSource')?.get(shop.emailAndAddressKey)).to.equal(null);
      expect(await limiters.get('email')?.get('awa')).to.equal(null);
      expect(await limiters.get('source')?.get('shop')).to.have.property('consumedPoints', 10);
    });
  });

  describe('forgives in the backend', () => {
    const shop = keysOf('awa', 'shop');

    it('even in the second after a failed call', async () => {
      freezeTime();
      collectWarnings();
      const { throttle, limiters, fails, calls } = overHost();
      await fail(throttle, 10, () => shop);
      fails.push('get');
      await throttle.check(keysOf('kofi', 'office'));
      fails.length = 0;
      calls.length = 0;
      await throttle.forgive('awa', shop.emailAndAddressKey);
      expect(calls.sort()).to.deep.equal([
        'email delete',
        'email delete',
        'emailAndSource delete',
        'emailAndSource delete',
      ]);
      expect(await limiters.get('emailAndSource')?.get(shop.emailAndAddressKey)).to.equal(null);
      expect(await limiters.get('email')?.get('awa')).to.equal(null);
    });

    it('or rejects when the backend fails, and begins an outage', async () => {
      freezeTime();
      const warnings = collectWarnings();
      const { throttle, fails, calls } = overHost();
      fails.push('delete');
      const error = await rejectionOf(throttle.forgive('awa', shop.emailAndAddressKey));
      expect(error).to.have.property(
        'message',
        'The failed logins are not forgiven, because the backend of the login throttle failed. Try again when it answers.',
      );
      expect(error).to.have.nested.property('cause.message', 'down');
      expect(warnings).to.deep.equal([BEGINS]);
      calls.length = 0;
      await throttle.check(shop);
      expect(calls).to.deep.equal([]);
    });
  });

  it('names the seconds of the counter that ends last', async () => {
    freezeTime();
    const throttle = createLoginThrottle({
      emailAndSource: { failures: 1, seconds: 10 },
      email: { failures: 1, seconds: 20 },
    });
    await throttle.fail(keysOf('awa', 'shop'));
    expect(await secondsOf(throttle, keysOf('awa', 'shop'))).to.equal(20);
  });

  it('rounds the seconds up, so that a caller may log in after this wait', async () => {
    const time = freezeTime();
    const throttle = createLoginThrottle({ emailAndSource: { failures: 1, seconds: 10 } });
    await throttle.fail(keysOf('awa', 'shop'));
    time.pass(0.001);
    expect(await secondsOf(throttle, keysOf('awa', 'shop'))).to.equal(10);
    time.pass(9.998);
    expect(await secondsOf(throttle, keysOf('awa', 'shop'))).to.equal(1);
    time.pass(0.001);
    expect(await secondsOf(throttle, keysOf('awa', 'shop'))).to.equal(0);
  });

  it('counts by the given limits, each independently', async () => {
    freezeTime();
    const limits = { failures: 2, seconds: 60 };
    for (const [name, other] of [
      ['emailAndSource', keysOf('awa', 'shop')],
      ['source', keysOf('kofi', 'shop')],
      ['email', keysOf('awa', 'office')],
    ] as const) {
      const throttle = createLoginThrottle({ [name]: limits });
      await fail(throttle, 2, () => keysOf('awa', 'shop'));
      expect(await secondsOf(throttle, other), name).to.equal(60);
      expect(await secondsOf(createLoginThrottle(), other)).to.equal(0);
    }
  });

  it('allows no more failures in parallel than one after the other', async () => {
    freezeTime();
    const throttle = createLoginThrottle();
    const told = await Promise.all(Array.from({ length: 300 }, () => throttle.fail(keysOf('awa', 'shop'))));
    expect(told.filter((seconds) => seconds === 0)).to.have.lengthOf(10);
  });

  it('shares no counter with another throttle', async () => {
    freezeTime();
    const [one, other] = [createLoginThrottle(), createLoginThrottle()];
    await fail(one, 10, () => keysOf('awa', 'shop'));
    expect(await secondsOf(other, keysOf('awa', 'shop'))).to.equal(0);
  });

  describe('with a limiter of the host', () => {
    it('calls it once for each counter, with a prefix, the limit and an insurance that rejects', async () => {
      const given: LimiterOptions[] = [];
      createLoginThrottle({
        limiter(options) {
          given.push(options);
          return new RateLimiterMemory(options);
        },
      });
      expect(given.map(({ keyPrefix, points, duration }) => [keyPrefix, points, duration])).to.deep.equal([
        ['express-merchant-auth:emailAndSource', 10, 900],
        ['express-merchant-auth:source', 100, 900],
        ['express-merchant-auth:email', 100, 3_600],
        ['express-merchant-auth:peer', 1_000, 900],
        ['express-merchant-auth:knownSource', 1, 14 * DAY],
      ]);
      for (const { insuranceLimiter } of given) {
        const reason = await insuranceLimiter.get('a').catch((error: unknown) => error);
        expect(reason).to.be.instanceOf(Error).with.property('message', 'The backend of the login throttle failed.');
      }
      expect(new Set(given.map(({ insuranceLimiter }) => insuranceLimiter)).size).to.equal(5);
    });

    it('reports that its counters are shared, and without a limiter that they are not', () => {
      expect(createLoginThrottle({ limiter: (options) => new RateLimiterMemory(options) }).isShared).to.equal(true);
      expect(createLoginThrottle().isShared).to.equal(false);
    });

    it('shares the counters and the known sources with another throttle of one backend', async () => {
      freezeTime();
      const backends = new Map<string, RateLimiterMemory>();
      const limiter = (options: LimiterOptions) => {
        const backend = backends.get(options.keyPrefix) ?? new RateLimiterMemory(options);
        backends.set(options.keyPrefix, backend);
        return backend;
      };
      const [one, other] = [createLoginThrottle({ limiter }), createLoginThrottle({ limiter })];
      one.succeed(keysOf('awa', 'shop'));
      await settle();
      await fail(one, 50, (source) => keysOf('awa', `guesser ${source}`));
      await fail(other, 50, (source) => keysOf('awa', `another ${source}`));
      expect(await secondsOf(one, keysOf('awa', 'office'))).to.equal(HOUR);
      expect(await secondsOf(other, keysOf('awa', 'shop'))).to.equal(0);
    });

    const failures: readonly (readonly [how: string, call: () => unknown])[] = [
      [
        'throws',
        () => {
          throw new Error('down');
        },
      ],
      ['rejects with an error', () => Promise.reject(new Error('down'))],
      ['rejects with nothing', () => Promise.reject(undefined)],
      ['rejects with null', () => Promise.reject(null)],
      ['rejects with text', () => Promise.reject('down')],
    ];
    for (const [how, call] of failures) {
      it(`counts in memory while it ${how} (ASVS 16.5.2)`, async () => {
        freezeTime();
        const warnings = collectWarnings();
        const throttle = createLoginThrottle({
          limiter: (options) => {
            const broken = new RateLimiterMemory(options);
            return Object.assign(broken, { get: call, penalty: call, set: call, delete: call });
          },
        });
        expect(await fail(throttle, 10, () => keysOf('awa', 'shop'))).to.equal(0);
        expect(await secondsOf(throttle, keysOf('awa', 'shop'))).to.equal(900);
        throttle.succeed(keysOf('awa', 'shop'));
        await settle();
        expect(await throttle.check(keysOf('awa', 'shop'))).to.deep.equal({ seconds: 0, isKnown: true });
        expect(warnings).to.deep.equal([BEGINS]);
      });
    }

    it('does not fail a good login when a key can be neither cleared nor set in the backend', async () => {
      freezeTime();
      collectWarnings();
      const { throttle, fails } = overHost();
      fails.push('set', 'delete');
      await fail(throttle, 9, () => keysOf('awa', 'shop'));
      throttle.succeed(keysOf('awa', 'shop'));
      await settle();
      expect(await throttle.check(keysOf('awa', 'shop'))).to.deep.equal({ seconds: 0, isKnown: true });
    });

    for (const failing of METHODS) {
      it(`rests with all its counters for 1 s when the backend fails on one call: ${failing}`, async () => {
        freezeTime();
        const warnings = collectWarnings();
        const { throttle, calls, fails, passRest } = overHost();
        const shop = keysOf('awa', 'shop');
        const callEach = async () => {
          await throttle.check(shop);
          await throttle.fail(shop);
          throttle.succeed(shop);
          await settle();
        };
        fails.push(failing);
        await callEach();
        calls.length = 0;
        passRest(999);
        await callEach();
        await callEach();
        await throttle.check(keysThrough('proxy', 'awa'));
        expect(calls).to.deep.equal([]);
        expect(warnings).to.deep.equal([BEGINS]);
        fails.length = 0;
        passRest(1);
        await throttle.fail(shop);
        expect(calls.sort()).to.deep.equal(['email penalty', 'emailAndSource penalty', 'source penalty']);
        await callEach();
        expect(warnings).to.deep.equal([BEGINS, ENDS]);
      });
    }

    it('reads only the counters of the login', async () => {
      freezeTime();
      const { throttle, calls } = overHost();
      await throttle.check(keysOf('awa', 'shop'));
      expect(calls.splice(0).sort()).to.deep.equal([
        'email get',
        'emailAndSource get',
        'knownSource get',
        'source get',
      ]);
      await throttle.fail(keysThrough('proxy', 'awa'));
      expect(calls.sort()).to.deep.equal(['email penalty', 'peer penalty']);
    });

    it('warns once at the start and once at the end of each outage, also of the second (ASVS 16.3.4)', async () => {
      freezeTime();
      const warnings = collectWarnings();
      const { throttle, fails, passRest } = overHost();
      for (let outage = 0; outage < 2; outage++) {
        fails.push(...METHODS);
        for (let second = 0; second < 3; second++) {
          await fail(throttle, 5, () => keysOf('awa', 'shop'));
          await throttle.check(keysOf('kofi', 'shop'));
          passRest();
        }
        fails.length = 0;
        await fail(throttle, 5, () => keysOf('awa', 'shop'));
      }
      expect(warnings).to.deep.equal([BEGINS, ENDS, BEGINS, ENDS]);
    });

    for (const refused of ['penalty', 'set', 'delete'] as const) {
      it(`warns once while the backend refuses ${refused} and serves all other calls`, async () => {
        freezeTime();
        const warnings = collectWarnings();
        const { throttle, fails, passRest } = overHost();
        fails.push(refused);
        const login = async () => {
          passRest();
          await throttle.fail(keysOf('awa', 'shop'));
          passRest();
          throttle.succeed(keysOf('awa', 'shop'));
          await settle();
        };
        for (let time = 0; time < 3; time++) await login();
        expect(warnings).to.deep.equal([BEGINS]);
        fails.length = 0;
        for (let time = 0; time < 3; time++) await login();
        expect(warnings).to.deep.equal([BEGINS, ENDS]);
      });
    }

    it('limits guesses when the backend reads and refuses writes, also a right one (ASVS 6.3.1, 16.5.2)', async () => {
      freezeTime();
      collectWarnings();
      const { throttle, fails, passRest } = overHost();
      fails.push('penalty', 'set', 'delete');
      const seconds: number[] = [];
      for (let guess = 0; guess < 60; guess++) {
        seconds.push(await throttle.fail(keysOf('awa', 'shop')));
        if (guess % 7 === 0) passRest();
      }
      const expected = seconds.map((_, guess) => (guess < 10 ? 0 : 900 - Math.ceil(guess / 7)));
      expect(seconds).to.deep.equal(expected);
      passRest();
      expect(await secondsOf(throttle, keysOf('awa', 'shop'))).to.equal(890);
    });

    it('knows a source that logged in before the backend failed, was emptied or was replaced (ASVS 6.1.1)', async () => {
      freezeTime();
      collectWarnings();
      for (const breakDown of [
        ({ fails }: Host) => fails.push(...METHODS),
        ({ fails }: Host) => fails.push('penalty', 'set', 'delete'),
        ({ limiters }: Host) => Promise.all([...limiters.values()].map((each) => each.delete('awa from shop:known'))),
      ]) {
        const host = overHost();
        host.throttle.succeed(keysOf('awa', 'shop'));
        await settle();
        await breakDown(host);
        await fail(host.throttle, 110, (source) => keysOf('awa', `guesser ${source}`));
        expect(await secondsOf(host.throttle, keysOf('awa', 'office'))).to.equal(HOUR);
        expect((await host.throttle.check(keysOf('awa', 'shop'))).seconds).to.equal(0);
      }
    });

    it('knows a source that logged in during an outage, and one that only the backend knows', async () => {
      freezeTime();
      collectWarnings();
      const { throttle, limiters, fails, passRest } = overHost();
      fails.push(...METHODS);
      throttle.succeed(keysOf('awa', 'shop'));
      await settle();
      fails.length = 0;
      passRest();
      await limiters.get('knownSource')?.set('awa from office:known', 1, 60);
      expect((await throttle.check(keysOf('awa', 'shop'))).isKnown).to.equal(true);
      expect((await throttle.check(keysOf('awa', 'office'))).isKnown).to.equal(true);
      expect((await throttle.check(keysOf('awa', 'home'))).isKnown).to.equal(false);
    });

    it('records a good login in backend and memory, and clears the failures in both', async () => {
      freezeTime();
      collectWarnings();
      const { throttle, limiters, fails, passRest } = overHost();
      const shop = keysOf('awa', 'shop');
      await fail(throttle, 9, () => shop);
      fails.push(...METHODS);
      await fail(throttle, 9, () => shop);
      fails.length = 0;
      passRest();
      throttle.succeed(shop);
      await settle();
      expect(await limiters.get('emailAndSource')?.get(shop.emailAndAddressKey)).to.equal(null);
      expect(await limiters.get('knownSource')?.get(`${shop.emailAndAddressKey}:known`)).to.include({
        consumedPoints: 1,
        msBeforeNext: 14 * DAY * 1000,
      });
      expect(await fail(throttle, 10, () => shop)).to.equal(0);
      // Only the memory is left.
      fails.push(...METHODS);
      expect(await fail(throttle, 10, () => shop)).to.equal(0);
      expect((await throttle.check(shop)).isKnown).to.equal(true);
    });
  });

  it('takes the default for an option that is undefined', async () => {
    freezeTime();
    const undefinedOptions = { emailAndSource: undefined, source: undefined, email: undefined, limiter: undefined };
    const throttle = createLoginThrottle(undefinedOptions as unknown as LoginThrottleOptions);
    expect(await fail(throttle, 10, () => keysOf('awa', 'shop'))).to.equal(0);
    expect(await secondsOf(throttle, keysOf('awa', 'shop'))).to.equal(900);
  });

  it('passes on the error that the limiter throws at construction', () => {
    const error = new Error('storeClient is not set');
    const limiter = () => {
      throw error;
    };
    expect(() => createLoginThrottle({ limiter })).to.throw(error);
  });
});

import { expect } from 'chai';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createLoginThrottle, type FailureLimit, type LimiterOptions } from '../../src/index.js';
import { type LoginThrottle, PEER_LIMIT } from '../../src/throttle/login-throttle.js';
import type { ThrottleKeys } from '../../src/throttle/throttle-types.js';
import { controlledThrottle } from '../helpers/controlled-throttle.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { type FrozenTime, freezeTime } from '../helpers/frozen-time.js';
import { rejectionOf } from '../helpers/thrown.js';
import { settle } from '../helpers/until.js';
import { BELOW, fail, keysOf, keysThrough, secondsOf } from './wrong-password.js';

const QUARTER = 900;
const HOUR = 3_600;
const DAY = 86_400;

/** The limits of this suite, which do not change with the defaults. */
const LIMITS = {
  emailAndSource: { failures: 10, seconds: QUARTER },
  source: { failures: 100, seconds: QUARTER },
  email: { failures: 100, seconds: HOUR },
};

// Each call is another guess.
const shop = () => keysOf('awa', 'shop');
const office = () => keysOf('awa', 'office');
const proxy = () => keysThrough('proxy', 'awa');
const stranger = (number: number) => keysOf('awa', `stranger ${number}`);
const neighbor = (number: number) => keysOf(`email ${number}`, 'shop');

async function succeed(throttle: LoginThrottle, keys: ThrottleKeys): Promise<void> {
  throttle.succeed(keys, await throttle.recheck(keys, true));
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
    refused: () => ThrottleKeys,
    free: readonly ThrottleKeys[],
  ])[] = [
    ['one email from one source', LIMITS.emailAndSource, shop, shop, [office(), keysOf('kofi', 'shop')]],
    ['one source, all emails', LIMITS.source, neighbor, shop, [office()]],
    ['one email, all sources', LIMITS.email, stranger, shop, [keysOf('kofi', 'shop')]],
    [
      'one peer, while the source is undetermined',
      PEER_LIMIT,
      (email) => keysThrough('proxy', `email ${email}`),
      proxy,
      [keysThrough('another proxy', 'awa'), keysOf('awa', 'proxy')],
    ],
    ['one email, while the source is undetermined', LIMITS.email, proxy, proxy, [keysThrough('proxy', 'kofi')]],
  ];
  for (const [what, { failures, seconds }, guess, refused, free] of limits) {
    it(`locks ${what}, for ${seconds} s from the failure that reaches ${failures}`, async () => {
      expect(await fail(throttle, failures - 1, guess)).to.equal(0);
      expect(await secondsOf(throttle, refused())).to.equal(0);
      time.pass(seconds - 1);
      expect(await fail(throttle, 1, () => guess(failures))).to.equal(0);
      expect(await secondsOf(throttle, refused())).to.equal(seconds);
      for (const keys of free) expect(await secondsOf(throttle, keys)).to.equal(0);
      time.pass(seconds - 1);
      // A guess that was in progress does not lengthen the lock.
      expect(await fail(throttle, 1, refused)).to.equal(1);
      time.pass(1);
      expect(await secondsOf(throttle, refused())).to.equal(0);
    });
  }

  it('counts the guess, then the pair, then source and email, and a failure beyond the pair for no other', async () => {
    for (const [keys, refused, within, beyond] of [
      [shop, 'emailAndSource', ['guess', 'emailAndSource', 'source', 'email'], ['guess', 'emailAndSource']],
      [proxy, 'email', ['guess', 'email', 'peer'], ['guess', 'email']],
    ] as const) {
      const { throttle: counting, calls } = controlledThrottle({ [refused]: { failures: 2, seconds: 60 } });
      const counted = async (guess: ThrottleKeys) => {
        calls.length = 0;
        await counting.fail(guess, false);
        return calls.filter(({ method }) => method === 'penalty').map(({ counter }) => counter);
      };
      expect(await counted(keys())).to.deep.equal(within);
      await counted(keys());
      expect(await counted(keys())).to.deep.equal(beyond);
      const again = keysOf('kofi', 'another shop');
      await counted(again);
      expect(await counted(again)).to.deep.equal(['guess']);
    }
  });

  it('reads for a right password in the order and in the rounds in which wrong ones of the same burst count', async () => {
    for (const [keys, refused, order] of [
      [shop, 'emailAndSource', ['guess', 'emailAndSource', 'source, email']],
      [proxy, 'email', ['guess', 'email', 'peer']],
    ] as const) {
      const control = controlledThrottle({ [refused]: { failures: 2, seconds: 60 } });
      let rounds: string[][] = [];
      let round: Promise<unknown> | undefined;
      control.before = ({ counter, method }) => {
        if (method === 'delete') return undefined;
        if (round === undefined) rounds.push([]);
        if (method !== 'block') rounds.at(-1)?.push(counter);
        return (round ??= settle().then(() => (round = undefined)));
      };
      // The second failure locks, and the third is beyond the limit.
      for (const [method, seconds] of [
        ['recheck', 0],
        ['fail', 0],
        ['fail', 0],
        ['fail', 60],
        ['recheck', 60],
      ] as const) {
        rounds = [];
        expect((await control.throttle[method](keys(), false)).seconds).to.equal(seconds);
        expect(rounds.map((counters) => counters.join(', '))).to.deep.equal(order);
      }
    }
  });

  it('clears the pair after a good login, and no other counter', async () => {
    await fail(throttle, 9, shop);
    await succeed(throttle, shop());
    expect(await fail(throttle, 10, shop)).to.equal(0);
    for (const other of [office(), keysOf('kofi', 'shop'), keysThrough('shop', 'awa')]) await succeed(throttle, other);
    expect(await secondsOf(throttle, shop())).to.equal(QUARTER);
    await fail(throttle, 81, neighbor);
    await succeed(throttle, shop());
    expect(await secondsOf(throttle, neighbor(0))).to.equal(QUARTER);
  });

  it('clears nothing beyond the limit of the source, so that a guesser there has no further tries after each login', async () => {
    await fail(throttle, 9, shop);
    await fail(throttle, 91, neighbor);
    await succeed(throttle, shop());
    await throttle.fail(shop(), true);
    expect((await throttle.check(shop())).seconds).to.equal(QUARTER);
  });

  describe('a repeated guess', () => {
    const old = () => keysOf('awa', 'shop', 'old');

    it('counts once, and is refused on arrival beyond the limit, when no other password is', async () => {
      for (let time = 0; time < 10; time++) {
        const isRepeated = time > 0;
        expect(await throttle.check(old())).to.deep.include({ seconds: 0, isRepeated });
        expect(await throttle.fail(old(), false)).to.deep.equal({ seconds: 0, isRepeated, isSourceLimit: false });
      }
      expect(await throttle.fail(old(), false)).to.deep.include({ seconds: QUARTER, isRepeated: true });
      expect(await throttle.check(old())).to.deep.include({ seconds: QUARTER, isRepeated: true });
      expect(await fail(throttle, 9, shop)).to.equal(0);
      expect(await secondsOf(throttle, shop())).to.equal(QUARTER);
    });

    it('shows in no wait that another limit gives', async () => {
      await fail(throttle, 9, shop);
      await fail(throttle, 1, old);
      time.pass(60);
      // These were in progress when the pair was locked. Alone, the old guess would have to wait longer than the pair.
      await fail(throttle, 9, old);
      for (const keys of [old(), shop()]) expect(await secondsOf(throttle, keys)).to.equal(QUARTER - 60);
      expect(await fail(throttle, 1, old)).to.equal(QUARTER - 60);
    });

    it('is forgotten when a limit refuses the first one, but not when that limit is lifted', async () => {
      await fail(throttle, 10, shop);
      expect(await throttle.fail(old(), false)).to.deep.include({ seconds: QUARTER, isRepeated: false });
      await settle();
      expect((await throttle.check(old())).isRepeated).to.equal(false);
      await throttle.forgive('awa', old().emailAndSource);
      for (const lifted of [stranger, neighbor]) {
        throttle = createLoginThrottle(LIMITS);
        await fail(throttle, 100, lifted);
        await throttle.fail(old(), true);
        await settle();
        expect((await throttle.check(old())).isRepeated).to.equal(true);
      }
    });
  });

  describe('a known source', () => {
    it('is one that logged in to this email, and not to another, for 14 days after its last login', async () => {
      await succeed(throttle, shop());
      time.pass(10 * DAY);
      await succeed(throttle, shop());
      await succeed(throttle, keysOf('kofi', 'office'));
      time.pass(14 * DAY - 1);
      await fail(throttle, 100, stranger);
      expect(await throttle.check(shop())).to.deep.include({ seconds: 0, isKnown: true });
      expect(await throttle.check(office())).to.deep.include({ seconds: HOUR, isKnown: false });
      time.pass(1);
      expect(await throttle.check(shop())).to.deep.include({ seconds: HOUR - 1, isKnown: false });
    });

    for (const [what, keys, lift, { failures, seconds }, otherLock] of [
      ['its email', shop, stranger, LIMITS.email, QUARTER],
      ['its address', shop, neighbor, LIMITS.source, QUARTER],
      ['its peer', proxy, (email: number) => keysThrough('proxy', `email ${email}`), PEER_LIMIT, HOUR],
    ] as const) {
      it(`is stopped by the limit of ${what} with a wrong password, which counts, and not with the right one`, async () => {
        await succeed(throttle, keys());
        await fail(throttle, failures, lift);
        const { isKnown, seconds: onArrival } = await throttle.check(keys());
        expect([isKnown, onArrival, (await throttle.recheck(keys(), true)).seconds]).to.deep.equal([true, 0, 0]);
        expect((await throttle.recheck(keys(), false)).seconds).to.equal(seconds);
        for (let guess = 0; guess < (keys === shop ? 10 : 100); guess++) {
          expect((await throttle.fail(keys(), true)).seconds).to.equal(seconds);
        }
        // The other limits stop even the right password, with the wait of a wrong one.
        const wait = Math.max(seconds, otherLock);
        for (const wrong of [keys(), keys()]) expect((await throttle.fail(wrong, true)).seconds).to.equal(wait);
        expect((await throttle.recheck(keys(), true)).seconds).to.equal(wait);
        expect((await throttle.check(keys())).seconds).to.equal(wait);
      });
    }

    it('is one of at most 1,000 of an email in memory, so that they do not push out those of other emails', async () => {
      await succeed(throttle, keysOf('kofi', 'shop'));
      for (let source = 0; source <= 1_000; source++) throttle.succeed(keysOf('awa', `shop ${source}`), BELOW);
      await settle();
      const known = [keysOf('kofi', 'shop'), keysOf('awa', 'shop 0'), keysOf('awa', 'shop 1000')];
      const checks = await Promise.all(known.map((keys) => throttle.check(keys)));
      expect(checks.map(({ isKnown }) => isKnown)).to.deep.equal([true, false, true]);
    });
  });

  describe('forgives', () => {
    it('no other email, and never the source', async () => {
      for (const email of ['awa', 'kofi']) await fail(throttle, 100, (source) => keysOf(email, `stranger ${source}`));
      await fail(throttle, 100, neighbor);
      await throttle.forgive('awa', shop().emailAndSource);
      expect(await secondsOf(throttle, office())).to.equal(0);
      expect(await throttle.check(shop())).to.deep.include({ seconds: QUARTER, isSourceLimit: true });
      expect(await throttle.check(keysOf('kofi', 'office'))).to.deep.include({ seconds: HOUR, isSourceLimit: false });
    });

    it('or rejects when the backend fails', async () => {
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
    it('calls it once for each counter, with a prefix and the limit', () => {
      const given: LimiterOptions[] = [];
      const limiter = (options: LimiterOptions) => {
        given.push(options);
        return new RateLimiterMemory(options);
      };
      const { isShared } = createLoginThrottle({ ...LIMITS, limiter });
      const option = (name: string, { failures: points, seconds: duration }: FailureLimit) => {
        return { keyPrefix: `express-merchant-auth:${name}`, points, duration };
      };
      expect(given).to.have.deep.members([
        option('guess', LIMITS.emailAndSource),
        option('emailAndSource', LIMITS.emailAndSource),
        option('source', LIMITS.source),
        option('email', LIMITS.email),
        option('peer', PEER_LIMIT),
        option('knownSource', { failures: 1, seconds: 14 * DAY }),
      ]);
      expect([isShared, throttle.isShared]).to.deep.equal([true, false]);
    });

    it('pauses all counters together when one fails, and says that it counts in memory', async () => {
      collectWarnings();
      const control = controlledThrottle(LIMITS);
      expect([throttle, control.throttle].map((each) => each.isCountingInMemory)).to.deep.equal([true, false]);
      control.before = ({ counter }) => (counter === 'peer' ? Promise.reject(new Error('down')) : undefined);
      await fail(control.throttle, 1, proxy);
      control.calls.length = 0;
      await succeed(control.throttle, office());
      expect(await fail(control.throttle, 11, shop)).to.equal(QUARTER);
      expect((await control.throttle.check(office())).isKnown).to.equal(true);
      expect(control.calls).to.deep.equal([]);
      time.pass(1);
      await control.throttle.check(office());
      expect(control.throttle.isCountingInMemory).to.equal(true);
      await fail(control.throttle, 1, office);
      expect(control.throttle.isCountingInMemory).to.equal(false);
    });
  });
});

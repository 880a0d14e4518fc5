import { expect } from 'chai';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createLoginThrottle, type LoginThrottle, type LoginThrottleOptions } from '../../src/index.js';
import type { LimiterOptions } from '../../src/throttle/limiters.js';
import type { ThrottleKeys } from '../../src/throttle/login-throttle.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { expectTypeError } from '../helpers/thrown.js';
import { settle } from '../helpers/until.js';
import { collectWarnings } from '../helpers/warnings.js';

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

describe('createLoginThrottle', () => {
  function keysOf(email: string, source?: string): ThrottleKeys {
    return source === undefined ? { email } : { email, source, emailAndSource: `${email} from ${source}` };
  }

  /** Fails so many times; the seconds to wait that the last one was told. */
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

    it('and answers ten failures, then lets the source wait until 15 minutes after the first', async () => {
      const time = freezeTime();
      const throttle = createLoginThrottle();
      expect(await fail(throttle, 1, () => shop)).to.equal(0);
      time.pass(5 * MINUTE);
      expect(await fail(throttle, 8, () => shop)).to.equal(0);
      expect(await throttle.check(shop)).to.equal(0);
      expect(await throttle.fail(shop)).to.equal(0);
      expect(await throttle.check(shop)).to.equal(10 * MINUTE);
      expect(await throttle.fail(shop)).to.equal(10 * MINUTE);
      time.pass(10 * MINUTE - 1);
      expect(await throttle.check(shop)).to.equal(1);
      time.pass(1);
      expect(await throttle.check(shop)).to.equal(0);
      expect(await fail(throttle, 10, () => shop)).to.equal(0);
    });

    it('and is not asked to wait longer by asking', async () => {
      const time = freezeTime();
      const throttle = createLoginThrottle();
      await fail(throttle, 10, () => shop);
      time.pass(14 * MINUTE);
      for (let ask = 0; ask < 50; ask++) expect(await throttle.check(shop)).to.equal(MINUTE);
      time.pass(MINUTE);
      expect(await throttle.check(shop)).to.equal(0);
    });

    it('and forgets after a good login there', async () => {
      freezeTime();
      const throttle = createLoginThrottle();
      await fail(throttle, 9, () => shop);
      throttle.succeed(shop);
      await settle();
      expect(await fail(throttle, 10, () => shop)).to.equal(0);
      expect(await throttle.check(shop)).to.equal(15 * MINUTE);
    });

    it('and forgets nothing after a good login elsewhere, or to another account', async () => {
      freezeTime();
      const throttle = createLoginThrottle();
      await fail(throttle, 10, () => shop);
      throttle.succeed(keysOf('awa', 'office'));
      throttle.succeed(keysOf('kofi', 'shop'));
      throttle.succeed(keysOf('awa'));
      await settle();
      expect(await throttle.check(shop)).to.equal(15 * MINUTE);
    });

    it('and lets that email in from elsewhere, and other emails from there', async () => {
      freezeTime();
      const throttle = createLoginThrottle();
      await fail(throttle, 10, () => shop);
      expect(await throttle.check(keysOf('awa', 'office'))).to.equal(0);
      expect(await throttle.check(keysOf('kofi', 'shop'))).to.equal(0);
    });
  });

  describe('counts one source over all emails', () => {
    it('and lets it wait from the hundredth failure until 15 minutes after the first', async () => {
      const time = freezeTime();
      const throttle = createLoginThrottle();
      const guess = (email: number) => keysOf(`email ${email}`, 'shop');
      expect(await fail(throttle, 99, guess)).to.equal(0);
      expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(0);
      expect(await fail(throttle, 1, () => keysOf('another', 'shop'))).to.equal(0);
      expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(15 * MINUTE);
      expect(await throttle.fail(keysOf('awa', 'shop'))).to.equal(15 * MINUTE);
      expect(await throttle.check(keysOf('awa', 'office'))).to.equal(0);
      time.pass(15 * MINUTE);
      expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(0);
    });

    it('and does not forget after a good login', async () => {
      freezeTime();
      const throttle = createLoginThrottle();
      await fail(throttle, 100, (email) => keysOf(`email ${email}`, 'shop'));
      throttle.succeed(keysOf('awa', 'shop'));
      await settle();
      expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(15 * MINUTE);
    });
  });

  describe('counts one email over all sources', () => {
    const guess = (source: number) => keysOf('awa', `guesser ${source}`);

    it('and lets sources wait from the hundredth failure until an hour after the first', async () => {
      const time = freezeTime();
      const throttle = createLoginThrottle();
      expect(await fail(throttle, 99, guess)).to.equal(0);
      expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(0);
      expect(await throttle.fail(keysOf('awa', 'another guesser'))).to.equal(0);
      expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(HOUR);
      expect(await throttle.fail(keysOf('awa', 'shop'))).to.equal(HOUR);
      expect(await throttle.check(keysOf('kofi', 'shop'))).to.equal(0);
      time.pass(HOUR);
      expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(0);
    });

    it('and lets a source in that logged in to it within 14 days, also to fail', async () => {
      const time = freezeTime();
      const throttle = createLoginThrottle();
      throttle.succeed(keysOf('awa', 'shop'));
      await settle();
      time.pass(14 * DAY - 1);
      await fail(throttle, 100, guess);
      expect(await throttle.check(keysOf('awa', 'office'))).to.equal(HOUR);
      expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(0);
      expect(await fail(throttle, 10, () => keysOf('awa', 'shop'))).to.equal(0);
      expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(15 * MINUTE);
    });

    it('and knows the source no longer after 14 days without a login', async () => {
      const time = freezeTime();
      const throttle = createLoginThrottle();
      throttle.succeed(keysOf('awa', 'shop'));
      await settle();
      time.pass(14 * DAY);
      await fail(throttle, 100, guess);
      expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(HOUR);
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
      expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(0);
    });

    it('and exempts the source for that email alone', async () => {
      freezeTime();
      const throttle = createLoginThrottle();
      throttle.succeed(keysOf('kofi', 'shop'));
      await settle();
      await fail(throttle, 100, guess);
      expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(HOUR);
    });

    it('and nothing else where the source is unknown, which a good login does not make known', async () => {
      freezeTime();
      const throttle = createLoginThrottle();
      throttle.succeed(keysOf('awa'));
      await settle();
      expect(await fail(throttle, 100, () => keysOf('awa'))).to.equal(0);
      expect(await throttle.check(keysOf('awa'))).to.equal(HOUR);
      expect(await throttle.check(keysOf('kofi'))).to.equal(0);
    });
  });

  it('lets wait as long as the counter says that ends last', async () => {
    freezeTime();
    const throttle = createLoginThrottle({
      emailAndSource: { failures: 1, seconds: 10 },
      email: { failures: 1, seconds: 20 },
    });
    await throttle.fail(keysOf('awa', 'shop'));
    expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(20);
  });

  it('rounds the seconds up, so that who waits them is let in', async () => {
    const time = freezeTime();
    const throttle = createLoginThrottle({ emailAndSource: { failures: 1, seconds: 10 } });
    await throttle.fail(keysOf('awa', 'shop'));
    time.pass(0.001);
    expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(10);
    time.pass(9.998);
    expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(1);
    time.pass(0.001);
    expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(0);
  });

  it('counts by the limits that it is given, each by itself', async () => {
    freezeTime();
    const limits = { failures: 2, seconds: 60 };
    for (const [name, other] of [
      ['emailAndSource', keysOf('awa', 'shop')],
      ['source', keysOf('kofi', 'shop')],
      ['email', keysOf('awa', 'office')],
    ] as const) {
      const throttle = createLoginThrottle({ [name]: limits });
      await fail(throttle, 2, () => keysOf('awa', 'shop'));
      expect(await throttle.check(other), name).to.equal(60);
      expect(await createLoginThrottle().check(other)).to.equal(0);
    }
  });

  it('lets no more failures through in parallel than one after the other', async () => {
    freezeTime();
    const throttle = createLoginThrottle();
    const told = await Promise.all(Array.from({ length: 300 }, () => throttle.fail(keysOf('awa', 'shop'))));
    expect(told.filter((seconds) => seconds === 0)).to.have.lengthOf(10);
  });

  it('keeps each counter of another throttle apart', async () => {
    freezeTime();
    const [one, other] = [createLoginThrottle(), createLoginThrottle()];
    await fail(one, 10, () => keysOf('awa', 'shop'));
    expect(await other.check(keysOf('awa', 'shop'))).to.equal(0);
  });

  describe('with a limiter of the host', () => {
    it('gives it, once a counter, a prefix of its own, the limit and memory as insurance', () => {
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
        ['express-merchant-auth:knownSource', 1, 14 * DAY],
      ]);
      for (const { insuranceLimiter } of given) expect(insuranceLimiter).to.be.instanceOf(RateLimiterMemory);
      expect(new Set(given.map(({ insuranceLimiter }) => insuranceLimiter)).size).to.equal(4);
    });

    it('says that its counters are shared, and without one that they are not', () => {
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
      expect(await one.check(keysOf('awa', 'office'))).to.equal(HOUR);
      expect(await other.check(keysOf('awa', 'shop'))).to.equal(0);
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
      it(`counts in memory while it ${how}`, async () => {
        freezeTime();
        const throttle = createLoginThrottle({
          limiter: (options) => {
            const broken = new RateLimiterMemory(options);
            return Object.assign(broken, { get: call, penalty: call, set: call, delete: call });
          },
        });
        expect(await fail(throttle, 10, () => keysOf('awa', 'shop'))).to.equal(0);
        expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(900);
        throttle.succeed(keysOf('awa', 'shop'));
        await settle();
        expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(0);
      });
    }

    it('does not let a backend that cannot be cleared or marked fail a good login', async () => {
      const reject = () => Promise.reject(new Error('read only'));
      const throttle = createLoginThrottle({
        limiter: (options) => {
          Object.assign(options.insuranceLimiter, { set: reject, delete: reject });
          return Object.assign(new RateLimiterMemory(options), { set: reject, delete: reject });
        },
      });
      throttle.succeed(keysOf('awa', 'shop'));
      await settle();
      expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(0);
    });

    it('counts in memory, and warns once, when the backend rejects or the library turns to its insurance', async () => {
      const warnings = collectWarnings();
      const reject = () => Promise.reject(new Error('down'));
      const failing = ({ insuranceLimiter }: LimiterOptions, insured: boolean) =>
        insured
          ? { penalty: (key: string) => insuranceLimiter.penalty(key), get: (key: string) => insuranceLimiter.get(key) }
          : { penalty: reject, get: reject };
      for (const insured of [true, false]) {
        const throttle = createLoginThrottle({
          limiter: (options) => Object.assign(new RateLimiterMemory(options), failing(options, insured)),
        });
        expect(await fail(throttle, 10, () => keysOf('awa', 'shop'))).to.equal(0);
        expect(await fail(throttle, 1, () => keysOf('awa', 'shop'))).to.be.above(0);
      }
      expect(warnings).to.have.length(2);
      expect(warnings[0]).to.match(
        /^The backend of the login throttle failed, so failed logins are counted in the memory/,
      );
    });
  });

  describe('refuses at construction', () => {
    const refused: readonly (readonly [what: string, options: unknown, message: string])[] = [
      [
        'an unknown option',
        { window: 900 },
        'createLoginThrottle: unknown option "window". Known options: emailAndSource, source, email, limiter.',
      ],
      ['options that are none', 10, 'createLoginThrottle: the options must be a plain object, { name: value }.'],
      [
        'a limit of nothing',
        { source: { failures: 0, seconds: 900 } },
        'createLoginThrottle: source.failures must be a whole number at least 1.',
      ],
      [
        'a limit that is no whole number',
        { emailAndSource: { failures: 1.5, seconds: 900 } },
        'createLoginThrottle: emailAndSource.failures must be a whole number at least 1.',
      ],
      [
        'a limit that is text',
        { email: { failures: '10', seconds: 900 } },
        'createLoginThrottle: email.failures must be a whole number at least 1.',
      ],
      [
        'a limit that is a number alone',
        { email: 10 },
        'createLoginThrottle: email.failures must be a whole number at least 1.',
      ],
      [
        'a limit that is null',
        { email: null },
        'createLoginThrottle: email.failures must be a whole number at least 1.',
      ],
      [
        'a limit without a time',
        { email: { failures: 10 } },
        'createLoginThrottle: email.seconds must be a whole number from 1 to 1209600.',
      ],
      [
        'a time longer than a timer can hold',
        { email: { failures: 10, seconds: 30 * DAY } },
        'createLoginThrottle: email.seconds must be a whole number from 1 to 1209600.',
      ],
      ['a limiter that is none', { limiter: {} }, 'createLoginThrottle: limiter must be a function.'],
      ['null as a limiter', { limiter: null }, 'createLoginThrottle: limiter must be a function.'],
      [
        'a limiter that returns nothing',
        { limiter: () => undefined },
        'createLoginThrottle: the result of limiter has no method get. ' +
          'Return a limiter, not a promise of one: (options) => new RateLimiterRedis({ ...options, storeClient }).',
      ],
      [
        'a limiter that is asynchronous',
        { limiter: (options: LimiterOptions) => Promise.resolve(new RateLimiterMemory(options)) },
        'createLoginThrottle: the result of limiter has no method get. ' +
          'Return a limiter, not a promise of one: (options) => new RateLimiterRedis({ ...options, storeClient }).',
      ],
    ];
    for (const [what, options, message] of refused) {
      it(what, () => {
        expectTypeError(() => createLoginThrottle(options as LoginThrottleOptions), message);
      });
    }

    it('nothing of an option that is undefined', async () => {
      freezeTime();
      const undefinedOptions = { emailAndSource: undefined, source: undefined, email: undefined, limiter: undefined };
      const throttle = createLoginThrottle(undefinedOptions as unknown as LoginThrottleOptions);
      expect(await fail(throttle, 10, () => keysOf('awa', 'shop'))).to.equal(0);
      expect(await throttle.check(keysOf('awa', 'shop'))).to.equal(900);
    });

    it('and passes on what the limiter throws', () => {
      const error = new Error('storeClient is not set');
      const limiter = () => {
        throw error;
      };
      expect(() => createLoginThrottle({ limiter })).to.throw(error);
    });
  });
});

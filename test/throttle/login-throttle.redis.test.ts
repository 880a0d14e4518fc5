import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { createLoginThrottle } from '../../src/index.js';
import type { ThrottleKeys } from '../../src/throttle/throttle-types.js';
import { DEFAULT_LIMITS } from '../../src/throttle/throttle-options.js';
import { type FrozenTime, freezeTime } from '../helpers/frozen-time.js';
import { CLIENTS, type Connection, withRedis } from '../helpers/redis.js';
import { startTcpProxy } from '../helpers/tcp-proxy.js';
import { settle, until } from '../helpers/until.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { BELOW, fail, keysOf, secondsOf } from './wrong-password.js';

const { emailAndSource, email: ofEmail } = DEFAULT_LIMITS;

withRedis('createLoginThrottle over Redis', (redis) => {
  const open = new Set<Connection>();
  let time: FrozenTime;
  const looker = new Redis({ host: redis.host, port: redis.port, lazyConnect: true });

  beforeEach('stop the clock, so that no call of a busy Redis times out', () => {
    time = freezeTime();
  });

  /** Lets time pass until a promise settles, because it waits for a timer. */
  async function outwait<Result>(promise: Promise<Result>): Promise<Result> {
    let isSettled = false;
    const settled = promise.finally(() => (isSettled = true));
    await until(() => {
      time.pass(0.005);
      return isSettled;
    });
    return settled;
  }

  afterEach('close the connections', async () => {
    for (const connection of open) await connection.close();
    open.clear();
  });
  after(() => {
    looker.disconnect();
  });

  /** Returns keys that no other test uses. */
  function newKeys(email: string = randomUUID()): () => ThrottleKeys {
    const source = randomUUID();
    return () => keysOf(email, source);
  }

  /** Returns the names in Redis under which these keys are counted. */
  function namesOf({ email, source, emailAndSource }: ThrottleKeys) {
    const name = (counter: string, key: string) => `${redis.keyPrefix}:express-merchant-auth:${counter}:${key}`;
    return {
      email: name('email', email),
      source: name('source', source),
      pair: name('emailAndSource', emailAndSource),
      known: name('knownSource', `${emailAndSource}:known`),
    };
  }

  for (const [library, connect] of CLIENTS) {
    describe(`with ${library}`, () => {
      /** Makes a throttle on a new connection, to Redis or to a proxy of it. */
      async function throttleOn(port = redis.port) {
        const connection = connect({ ...redis, host: port === redis.port ? redis.host : '127.0.0.1', port });
        open.add(connection);
        await connection.ready();
        return { connection, throttle: createLoginThrottle({ limiter: (options) => connection.limiter(options) }) };
      }

      it('counts in Redis, under keys that expire by themselves, and locks in all processes until one forgives', async () => {
        const [{ throttle: one }, { throttle: other }] = [await throttleOn(), await throttleOn()];
        const keys = newKeys();
        const { email, pair, source } = namesOf(keys());
        for (let guess = 0; guess < emailAndSource.failures; guess++) {
          time.pass(1);
          expect(await fail(guess % 2 === 0 ? one : other, 1, keys)).to.equal(0);
        }
        for (const throttle of [one, other]) {
          expect(await secondsOf(throttle, keys())).to.be.within(emailAndSource.seconds - 100, emailAndSource.seconds);
        }
        expect(await fail(other, 1, keys)).to.be.within(emailAndSource.seconds - 100, emailAndSource.seconds);
        for (const [name, count, { seconds }] of [
          [email, emailAndSource.failures, ofEmail],
          [source, emailAndSource.failures, DEFAULT_LIMITS.source],
          // `block` of the library sets the limit and one more.
          [pair, emailAndSource.failures + 2, emailAndSource],
        ] as const) {
          expect(await looker.get(name)).to.equal(String(count));
          expect(await looker.ttl(name)).to.be.within(seconds - 100, seconds);
        }
        await one.forgive(keys().email, keys().emailAndSource);
        for (const throttle of [one, other]) expect(await secondsOf(throttle, keys())).to.equal(0);
      });

      it('clears the failures after a good login, and knows its source for 14 days', async () => {
        const { throttle } = await throttleOn();
        const keys = newKeys();
        const { pair, known } = namesOf(keys());
        await fail(throttle, emailAndSource.failures, keys);
        throttle.succeed(keys(), BELOW);
        while ((await looker.exists(pair)) === 1 || (await looker.exists(known)) === 0) await settle();
        expect(await looker.ttl(known)).to.be.within(14 * 86_400 - 100, 14 * 86_400);
        await fail(throttle, ofEmail.failures, () => newKeys(keys().email)());
        expect(await secondsOf(throttle, newKeys(keys().email)())).to.be.within(ofEmail.seconds - 100, ofEmail.seconds);
        expect(await secondsOf(throttle, keys())).to.equal(0);
      });

      it('allows as many of 300 guesses as the limit says, when throttles on two connections count them in parallel', async () => {
        const [{ throttle: one }, { throttle: other }] = [await throttleOn(), await throttleOn()];
        const keys = newKeys();
        const guesses = Array.from({ length: 300 }, (_, guess) => fail(guess % 2 === 0 ? one : other, 1, keys));
        expect((await Promise.all(guesses)).filter((seconds) => seconds === 0)).to.have.lengthOf(
          emailAndSource.failures,
        );
        for (const throttle of [one, other]) expect(await secondsOf(throttle, keys())).to.be.greaterThan(0);
      });

      it('counts 60 repetitions of one guess on two connections as one failure, and refuses only this guess', async () => {
        const [{ throttle: one }, { throttle: other }] = [await throttleOn(), await throttleOn()];
        const keys = newKeys();
        const old = keys();
        const workers = Array.from({ length: 60 }, (_, worker) => (worker % 2 === 0 ? one : other).fail(old, false));
        const failures = await Promise.all(workers);
        expect(failures.filter(({ seconds }) => seconds === 0)).to.have.lengthOf(emailAndSource.failures);
        expect(failures.filter(({ isRepeated }) => isRepeated)).to.have.lengthOf(59);
        expect(await looker.get(namesOf(keys()).pair)).to.equal('1');
        for (const throttle of [one, other]) {
          expect(await secondsOf(throttle, old)).to.be.within(emailAndSource.seconds - 100, emailAndSource.seconds);
          expect(await throttle.check(keys())).to.include({ seconds: 0, isKnown: false, isRepeated: false });
        }
      });

      for (const how of ['refuse', 'hang'] as const) {
        it(`counts in memory while connections ${how}, and in Redis again afterwards`, async () => {
          const warnings = collectWarnings();
          const proxy = await startTcpProxy(redis);
          const { connection, throttle } = await throttleOn(proxy.port);
          const keys = newKeys();
          await fail(throttle, 2, keys);
          for (let outage = 1; outage <= 2; outage++) {
            await proxy[how]();
            if (how === 'refuse') await until(() => !connection.isReady());
            expect(await outwait(fail(throttle, emailAndSource.failures, keys))).to.equal(0);
            expect(await secondsOf(throttle, keys())).to.be.greaterThan(0);
            throttle.succeed(keys(), BELOW);
            await settle();
            expect(await throttle.check(keys())).to.include({ seconds: 0, isKnown: true });

            await proxy.restore();
            if (how === 'hang') await until(() => !connection.isReady());
            await outwait(connection.ready());
            time.pass(1);
            const before = Number(await looker.get(namesOf(keys()).pair));
            expect(await fail(throttle, 1, keys)).to.equal(0);
            // ioredis also repeats the call that hung.
            expect(Number(await looker.get(namesOf(keys()).pair))).to.be.greaterThan(before);
            expect(warnings).to.have.length(2 * outage);
          }
        });
      }
    });
  }
});

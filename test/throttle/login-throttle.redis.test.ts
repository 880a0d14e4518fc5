import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { createLoginThrottle } from '../../src/index.js';
import { Backend } from '../../src/throttle/backend.js';
import { Counter } from '../../src/throttle/counter.js';
import { BoundedMemoryLimiter, createRejectingInsurance } from '../../src/throttle/memory-limiter.js';
import type { ThrottleKeys } from '../../src/throttle/login-throttle.js';
import { AWA, PASSWORD, WRONG } from '../helpers/accounts.js';
import { failInAnotherProcess } from '../helpers/fail-in-another-process.js';
import { serveLogin } from '../helpers/login-host.js';
import { CLIENTS, connectNodeRedis, type Connection, type TestRedis, withRedis } from '../helpers/redis.js';
import { freezeTime, type FrozenTime } from '../helpers/frozen-time.js';
import { startTcpProxy, type TcpProxy } from '../helpers/tcp-proxy.js';
import { settle, until } from '../helpers/until.js';
import { collectWarnings } from '../helpers/warnings.js';

const BEGINS =
  'The backend of the login throttle failed, so failed logins are counted in the memory of this process until it answers. ' +
  'If this comes at start, the limiter is set up wrongly: node-redis needs useRedisPackage: true.';
const ENDS = 'The backend of the login throttle answers again, so failed logins are counted there.';

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
  function newKeys(): ThrottleKeys {
    return {
      email: randomUUID(),
      addressKey: randomUUID(),
      emailAndAddressKey: randomUUID(),
      isSourceDetermined: true,
    };
  }

  it('shares the counters with another process, which may use another library', async () => {
    const connection = connectNodeRedis(redis);
    open.add(connection);
    await connection.ready();
    const throttle = createLoginThrottle({ limiter: (options) => connection.limiter(options) });
    const keys = newKeys();
    for (let time = 0; time < 4; time++) expect(await throttle.fail(keys)).to.equal(0);
    expect(await failInAnotherProcess(redis, keys, 6)).to.equal(0);
    expect((await throttle.check(keys)).seconds).to.be.greaterThan(0);
  });

  for (const [library, connect] of CLIENTS) {
    describe(`with ${library}`, () => {
      async function connectTo(port: number, target: TestRedis = redis): Promise<Connection> {
        const connection = connect({ ...target, host: port === target.port ? target.host : '127.0.0.1', port });
        open.add(connection);
        await connection.ready();
        return connection;
      }

      function throttleOver(connection: Connection) {
        return createLoginThrottle({ limiter: (options) => connection.limiter(options) });
      }

      async function secondsOf(throttle: ReturnType<typeof throttleOver>, keys: ThrottleKeys): Promise<number> {
        return (await throttle.check(keys)).seconds;
      }

      async function fail(
        throttle: ReturnType<typeof throttleOver>,
        keys: ThrottleKeys,
        times: number,
      ): Promise<number> {
        let seconds = 0;
        for (let time = 0; time < times; time++) seconds = await throttle.fail(keys);
        return seconds;
      }

      it('counts in Redis, only under digests, which expire by themselves', async () => {
        const own = { ...redis, keyPrefix: `${redis.keyPrefix}-${library}` };
        const throttle = throttleOver(await connectTo(redis.port, own));
        const keys = newKeys();
        await fail(throttle, keys, 3);
        const names = (await looker.keys(`${own.keyPrefix}:*`)).sort();
        expect(names).to.deep.equal([
          `${own.keyPrefix}:express-merchant-auth:email:${keys.email}`,
          `${own.keyPrefix}:express-merchant-auth:emailAndSource:${keys.emailAndAddressKey}`,
          `${own.keyPrefix}:express-merchant-auth:source:${keys.addressKey}`,
        ]);
        expect(await looker.mget(names)).to.deep.equal(['3', '3', '3']);
        const seconds = await Promise.all(names.map((name) => looker.ttl(name)));
        expect(seconds[0]).to.be.within(3_500, 3_600);
        expect(seconds[1]).to.be.within(800, 900);
        expect(seconds[2]).to.be.within(800, 900);
      });

      it('answers ten failures, then the seconds that Redis keeps them', async () => {
        const throttle = throttleOver(await connectTo(redis.port));
        const keys = newKeys();
        expect(await fail(throttle, keys, 10)).to.equal(0);
        expect(await secondsOf(throttle, keys)).to.be.within(800, 900);
        expect(await throttle.fail(keys)).to.be.within(800, 900);
      });

      it('clears the failures after a good login, and knows its source for 14 days', async () => {
        const throttle = throttleOver(await connectTo(redis.port));
        const keys = newKeys();
        await fail(throttle, keys, 10);
        throttle.succeed(keys);
        const known = `${redis.keyPrefix}:express-merchant-auth:knownSource:${keys.emailAndAddressKey}:known`;
        const failed = `${redis.keyPrefix}:express-merchant-auth:emailAndSource:${keys.emailAndAddressKey}`;
        while ((await looker.exists(failed)) === 1 || (await looker.exists(known)) === 0) await settle();
        expect(await looker.ttl(known)).to.be.within(14 * 86_400 - 100, 14 * 86_400);
        expect(await secondsOf(throttle, keys)).to.equal(0);
        for (let guess = 0; guess < 100; guess++) await throttle.fail({ ...newKeys(), email: keys.email });
        expect(await secondsOf(throttle, { ...newKeys(), email: keys.email })).to.be.within(3_500, 3_600);
        expect(await secondsOf(throttle, keys)).to.equal(0);
      });

      it('shares the counters with a throttle on another connection', async () => {
        const one = throttleOver(await connectTo(redis.port));
        const other = throttleOver(await connectTo(redis.port));
        const keys = newKeys();
        await fail(one, keys, 5);
        expect(await fail(other, keys, 5)).to.equal(0);
        expect(await secondsOf(one, keys)).to.be.greaterThan(0);
        expect(await secondsOf(other, keys)).to.be.greaterThan(0);
      });

      it('allows ten of 300 guesses that two throttles count in parallel', async () => {
        const throttles = [
          throttleOver(await connectTo(redis.port)),
          throttleOver(await connectTo(redis.port)),
        ] as const;
        const keys = newKeys();
        const told = await Promise.all(
          Array.from({ length: 300 }, (_, guess) => throttles[guess % 2 === 0 ? 0 : 1].fail(keys)),
        );
        expect(told.filter((seconds) => seconds === 0)).to.have.lengthOf(10);
      });

      it('counts in memory while Redis refuses connections, and in Redis again when it is back', async () => {
        const warnings = collectWarnings();
        const proxy = await startTcpProxy(redis);
        const connection = await connectTo(proxy.port);
        const throttle = throttleOver(connection);
        const keys = newKeys();
        await fail(throttle, keys, 2);
        for (let outage = 1; outage <= 2; outage++) {
          await proxy.refuse();
          await until(() => !connection.isReady());
          expect(await fail(throttle, keys, 10)).to.equal(0);
          expect(await secondsOf(throttle, keys)).to.be.greaterThan(0);
          throttle.succeed(keys);
          await settle();
          expect(await throttle.check(keys)).to.deep.equal({ seconds: 0, isKnown: true });

          await proxy.restore();
          await outwait(connection.ready());
          time.pass(1);
          expect(await fail(throttle, keys, 1)).to.equal(0);
          const counted = `${redis.keyPrefix}:express-merchant-auth:emailAndSource:${keys.emailAndAddressKey}`;
          expect(await looker.get(counted)).to.equal(String(2 + outage));
        }
        expect(warnings).to.deep.equal([BEGINS, ENDS, BEGINS, ENDS]);
      });

      it('counts in memory while Redis accepts bytes and answers nothing', async () => {
        const warnings = collectWarnings();
        const proxy = await startTcpProxy(redis);
        const throttle = throttleOver(await connectTo(proxy.port));
        const keys = newKeys();
        await fail(throttle, keys, 2);
        proxy.hang();
        expect(await outwait(fail(throttle, keys, 10))).to.equal(0);
        expect(await secondsOf(throttle, keys)).to.be.greaterThan(0);
        expect(warnings).to.deep.equal([BEGINS]);
      });

      for (const [how, breakDown] of [
        ['is not there', (proxy: TcpProxy) => proxy.refuse()],
        ['takes connections and never answers', (proxy: TcpProxy) => proxy.hang()],
      ] as const) {
        it(`counts in memory when Redis ${how} from the start`, async () => {
          const warnings = collectWarnings();
          const proxy = await startTcpProxy(redis);
          await breakDown(proxy);
          const connection = connect({ ...redis, host: '127.0.0.1', port: proxy.port });
          open.add(connection);
          const throttle = throttleOver(connection);
          const keys = newKeys();
          expect(await outwait(fail(throttle, keys, 10))).to.equal(0);
          expect(await secondsOf(throttle, keys)).to.be.greaterThan(0);
          expect(warnings).to.deep.equal([BEGINS]);
        });
      }

      it('calls Redis again after its rest, when Redis no longer hangs', async () => {
        const warnings = collectWarnings();
        const proxy = await startTcpProxy(redis);
        const connection = await connectTo(proxy.port);
        const options = { keyPrefix: 'hung', points: 2, duration: 60 };
        const clock = { now: 0 };
        const counter = new Counter({ failures: 2, seconds: 60 }, new BoundedMemoryLimiter(options), {
          limiter: connection.limiter({ ...options, insuranceLimiter: createRejectingInsurance(options) }),
          backend: new Backend(() => clock.now),
        });
        const key = randomUUID();
        await counter.fail(key);
        await counter.fail(key);
        proxy.hang();
        // The count in memory starts with this failure.
        expect(await outwait(counter.fail(key))).to.equal(0);

        await proxy.restore();
        await until(() => !connection.isReady());
        await outwait(connection.ready());
        clock.now = 999;
        expect(await counter.secondsToWait(key)).to.equal(0);
        clock.now = 1_000;
        expect(await counter.secondsToWait(key)).to.be.within(55, 60);
        expect(await counter.fail(key)).to.be.within(55, 60);
        expect(warnings).to.deep.equal([BEGINS, ENDS]);
      });

      it('answers logins while Redis is away: good ones 200, and no more than ten wrong ones 401', async () => {
        collectWarnings();
        const proxy = await startTcpProxy(redis);
        const connection = await connectTo(proxy.port);
        const { logIn } = await serveLogin({ throttle: throttleOver(connection), digestKey: randomUUID() });
        const statusOf = async (password: string) => (await logIn(AWA.email, password)).status;

        expect(await statusOf(PASSWORD)).to.equal(200);
        proxy.hang();
        expect(await outwait(statusOf(PASSWORD))).to.equal(200);
        await proxy.refuse();
        expect(await statusOf(PASSWORD)).to.equal(200);
        const statuses: number[] = [];
        for (let guess = 0; guess < 12; guess++) statuses.push(await statusOf(WRONG));
        expect(statuses).to.deep.equal([...Array.from({ length: 10 }, () => 401), 429, 429]);
      });
    });
  }
});

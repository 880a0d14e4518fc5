import { expect } from 'chai';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { createLoginThrottle } from '../../src/index.js';
import type { LoginThrottle } from '../../src/throttle/login-throttle.js';
import { DEFAULT_LIMITS } from '../../src/throttle/throttle-options.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { hasRedisServer, type OwnRedis, startRedis } from './own-redis.js';
import { disconnect } from '../helpers/redis.js';
import { settle } from '../helpers/until.js';
import { collectWarnings } from '../helpers/warnings.js';
import { fail, keysOf, secondsOf } from './wrong-password.js';

/** A state in which Redis serves reads and refuses writes. */
interface Refusal {
  readonly name: string;
  /** Puts the server into the state. */
  readonly enter: (redis: OwnRedis) => Promise<unknown>;
  readonly leave: (redis: OwnRedis) => Promise<unknown>;
}

const REFUSALS: readonly Refusal[] = [
  {
    name: 'READONLY: a replica of another server after a failover',
    enter: (redis) => redis.command('REPLICAOF', '127.0.0.1', 1),
    leave: (redis) => redis.command('REPLICAOF', 'NO', 'ONE'),
  },
  {
    name: 'NOPERM: an ACL without scripting',
    enter: (redis) => redis.command('ACL', 'SETUSER', 'default', '-@scripting', '-set', '-del', '-unlink'),
    leave: (redis) => redis.command('ACL', 'SETUSER', 'default', '+@all'),
  },
  {
    name: 'OOM: its memory is full',
    enter: (redis) => redis.command('CONFIG', 'SET', 'maxmemory', 1),
    leave: (redis) => redis.command('CONFIG', 'SET', 'maxmemory', 0),
  },
];

const suite = hasRedisServer || (process.env['CI'] ?? '') !== '' ? describe : describe.skip;

suite('the login throttle over a Redis that refuses writes (needs redis-server)', () => {
  let redis: OwnRedis;
  let client: Redis;

  const own = keysOf('awa', 'own server');

  /** Starts a Redis, and makes a throttle over it that knows the own server of the merchant. */
  async function createThrottle(): Promise<LoginThrottle> {
    redis = await startRedis();
    client = new Redis({ host: '127.0.0.1', port: redis.port, enableOfflineQueue: false });
    client.on('error', () => undefined);
    await new Promise((resolve) => client.once('ready', resolve));
    const limiter: Parameters<typeof createLoginThrottle>[0] = {
      limiter: (options) => new RateLimiterRedis({ ...options, storeClient: client }),
    };
    const throttle = createLoginThrottle(limiter);
    throttle.succeed(own);
    while (((await redis.command('KEYS', '*:knownSource:*')) as string[]).length === 0) await settle();
    return throttle;
  }

  /** Expects the limits of a stranger and of all strangers, and that the own server may go on. */
  async function expectLimits(throttle: LoginThrottle): Promise<void> {
    const { emailAndSource, email } = DEFAULT_LIMITS;
    expect(await fail(throttle, emailAndSource.failures, () => keysOf('awa', 'a stranger'))).to.equal(0);
    expect(await fail(throttle, 1, () => keysOf('awa', 'a stranger'))).to.be.greaterThan(0);
    expect(await secondsOf(throttle, keysOf('awa', 'a stranger'))).to.be.greaterThan(0);
    await fail(throttle, email.failures - emailAndSource.failures, (guess) => keysOf('awa', `stranger ${guess}`));
    expect(await secondsOf(throttle, keysOf('awa', 'another'))).to.be.greaterThan(0);
    expect(await throttle.check(own)).to.include({ seconds: 0, isKnown: true });
  }

  afterEach(async () => {
    await disconnect(client);
    await redis.stop();
  });

  for (const { name, enter, leave } of REFUSALS) {
    it(`keeps its limits and its known sources, and counts in Redis again afterwards: ${name}`, async () => {
      const time = freezeTime();
      const warnings = collectWarnings();
      const throttle = await createThrottle();
      await enter(redis);
      await expectLimits(throttle);
      expect(warnings).to.have.length(1);
      await leave(redis);
      time.pass(1);
      expect(await redis.command('KEYS', '*:emailAndSource:*')).to.deep.equal([]);
      await fail(throttle, 1, () => keysOf('kofi', 'own server'));
      expect(await redis.command('KEYS', '*:emailAndSource:*')).to.have.lengthOf(1);
      expect(warnings).to.have.length(2);
    });
  }

  it('keeps its limits and its known sources after Redis was emptied', async () => {
    freezeTime();
    const throttle = await createThrottle();
    await redis.command('FLUSHALL');
    await expectLimits(throttle);
  });
});

import { expect } from 'chai';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { createLoginThrottle, type LimiterOptions } from '../../src/index.js';
import { AWA, KOFI, PASSWORD, WRONG } from '../helpers/accounts.js';
import { expectTooManyAttempts, expectWrongCredentials } from '../helpers/answers.js';
import { serveLogin } from '../helpers/login-host.js';
import { hasRedisServer, type OwnRedis, startRedis } from '../helpers/own-redis.js';
import { freezeTime, type FrozenTime } from '../helpers/frozen-time.js';
import { disconnect } from '../helpers/redis.js';
import { collectWarnings } from '../helpers/warnings.js';

const DIGEST_KEY = 'a digest key of the tests, of 32 bytes or more';
const STRANGERS = '198.51.100.';
const OWN_SERVER = '203.0.113.7';
const BEGINS =
  'The backend of the login throttle failed, so failed logins are counted in the memory of this process until it answers. ' +
  'If this comes at start, the limiter is set up wrongly: node-redis needs useRedisPackage: true.';
const ENDS = 'The backend of the login throttle answers again, so failed logins are counted there.';

/** A state in which Redis serves reads and refuses writes. */
interface Refusal {
  readonly name: string;
  readonly settings?: readonly string[];
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
    name: 'MISCONF: its last save failed',
    settings: ['--enable-protected-configs', 'yes'],
    enter: async (redis) => {
      await redis.command('CONFIG', 'SET', 'stop-writes-on-bgsave-error', 'yes');
      await redis.command('CONFIG', 'SET', 'save', '3600 1');
      // No process can write a file there, so the save fails.
      await redis.command('CONFIG', 'SET', 'dir', '/proc');
      await redis.command('BGSAVE');
      let state = '';
      while (!state.includes('rdb_last_bgsave_status:err')) state = String(await redis.command('INFO', 'persistence'));
    },
    leave: async (redis) => {
      await redis.command('CONFIG', 'SET', 'stop-writes-on-bgsave-error', 'no');
    },
  },
  {
    name: 'NOREPLICAS: min-replicas-to-write',
    enter: (redis) => redis.command('CONFIG', 'SET', 'min-replicas-to-write', 1),
    leave: (redis) => redis.command('CONFIG', 'SET', 'min-replicas-to-write', 0),
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
  let time: FrozenTime;

  beforeEach('stop the clock, so that no call of a busy Redis times out', () => {
    time = freezeTime();
  });

  async function serveThrottled() {
    const limiter = (options: LimiterOptions) => new RateLimiterRedis({ ...options, storeClient: client });
    const { logIn } = await serveLogin({ throttle: createLoginThrottle({ limiter }), digestKey: DIGEST_KEY });
    return (password: string, address: string, email = AWA.email) => logIn(email, password, address);
  }

  afterEach(async () => {
    await disconnect(client);
    await redis.stop();
  });

  for (const { name, settings = [], enter, leave } of REFUSALS) {
    describe(name, () => {
      beforeEach(async () => {
        redis = await startRedis(...settings);
        client = new Redis({ host: '127.0.0.1', port: redis.port, enableOfflineQueue: false });
        client.on('error', () => undefined);
        await new Promise((resolve) => client.once('ready', resolve));
      });

      it('stops guesses at the limit, also a right one, with one warning', async () => {
        const warnings = collectWarnings();
        const logIn = await serveThrottled();
        await enter(redis);
        for (let guess = 0; guess < 10; guess++) expectWrongCredentials(await logIn(WRONG, OWN_SERVER));
        for (let guess = 0; guess < 50; guess++) {
          expect((await logIn(WRONG, OWN_SERVER)).status).to.equal(429);
        }
        const answer = await logIn(PASSWORD, OWN_SERVER);
        expectTooManyAttempts(answer, Number(answer.headers['retry-after']));
        expect(warnings).to.deep.equal([BEGINS]);
      });

      it('lets the merchant log in from its server, and counts in Redis again when Redis accepts writes', async () => {
        const warnings = collectWarnings();
        const logIn = await serveThrottled();
        expect((await logIn(PASSWORD, OWN_SERVER)).status).to.equal(200);
        await enter(redis);
        for (let guess = 0; guess < 110; guess++) await logIn(WRONG, `${STRANGERS}${guess}`);
        expect((await logIn(WRONG, `${STRANGERS}200`)).status).to.equal(429);
        expect((await logIn(PASSWORD, OWN_SERVER)).status).to.equal(200);
        await leave(redis);
        time.pass(1);
        expect(await redis.command('KEYS', '*:emailAndSource:*')).to.deep.equal([]);
        expectWrongCredentials(await logIn(WRONG, OWN_SERVER, KOFI.email));
        expect(await redis.command('KEYS', '*:emailAndSource:*')).to.have.lengthOf(1);
        expect(warnings).to.deep.equal([BEGINS, ENDS]);
        expect((await logIn(WRONG, `${STRANGERS}201`)).status).to.equal(429);
        expect((await logIn(PASSWORD, OWN_SERVER)).status).to.equal(200);

        await enter(redis);
        expectWrongCredentials(await logIn(WRONG, OWN_SERVER, KOFI.email));
        expectWrongCredentials(await logIn(WRONG, OWN_SERVER, KOFI.email));
        expect(warnings).to.deep.equal([BEGINS, ENDS, BEGINS]);
      });
    });
  }

  it('stops guesses and knows the merchant after Redis was emptied', async () => {
    collectWarnings();
    redis = await startRedis();
    client = new Redis({ host: '127.0.0.1', port: redis.port, enableOfflineQueue: false });
    client.on('error', () => undefined);
    await new Promise((resolve) => client.once('ready', resolve));
    const logIn = await serveThrottled();
    expect((await logIn(PASSWORD, OWN_SERVER)).status).to.equal(200);
    await redis.command('FLUSHALL');
    for (let guess = 0; guess < 110; guess++) await logIn(WRONG, `${STRANGERS}${guess}`);
    expect((await logIn(WRONG, `${STRANGERS}200`)).status).to.equal(429);
    expect((await logIn(PASSWORD, OWN_SERVER)).status).to.equal(200);
  });
});

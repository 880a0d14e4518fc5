import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { readFile } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { hashSync, verify } from '@node-rs/argon2';
import express, { type RequestHandler } from 'express';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import {
  authErrorHandler,
  createLoginRouter,
  createLoginThrottle,
  createPasswords,
  createTokens,
  InMemoryUserStore,
  merchantOf,
  type NewAccount,
  requireBearer,
} from 'express-merchant-auth';
import { cpuTime } from '../harness/cpu-time.js';
import { type Loop, startClosedLoop } from '../harness/loops.js';
import { obey } from '../harness/remote.js';
import { emailOf, MERCHANTS, PASSWORD } from './merchants.js';

// The process that serves: an application as a host would write it, and what is measured from inside of it.

/**
 * This package's login with a bounded number of hashes at a time, this package's login with each hash started at once, or a
 * bare Express route: it parses the body, finds the account, and compares the hash with the library.
 */
export type LoginKind = 'bounded' | 'unbounded' | 'bare';

interface VerifyingAlone {
  readonly callers: number;
  /** Verified before the count begins, in milliseconds. */
  readonly settleMs: number;
  readonly ms: number;
}

/** Between two probes of a kind. They wait for each other: libuv runs one name lookup for each turn of its queue. */
const PAUSE_MS = 20;

/** The package's own cost. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** More than ever log in at a time, so libuv's threads sort them out, as when an application calls the hash library. */
const UNBOUNDED = 1_000;

/** Counts the logins that were admitted, because the store is not called for the others. */
class CountingStore extends InMemoryUserStore {
  admitted = 0;

  override findCredentials(identifier: string) {
    this.admitted += 1;
    return super.findCredentials(identifier);
  }
}

const tokens = createTokens({ secret: randomBytes(64) });
const digestKey = randomBytes(32);
const passwordHash = hashSync(PASSWORD, COST);
const accounts = createAccounts();
const userStore = new CountingStore(accounts);
const [, , kind, maxConcurrentHashes] = process.argv;
const server = createServer(createApp(kind as LoginKind, Number(maxConcurrentHashes)));
// Longer than any stage: the guarded requests shall not find a connection that was just closed for its idleness.
server.keepAliveTimeout = 120_000;

let delays: IntervalHistogram | undefined;
let probes: Readonly<Record<'readFile' | 'lookup', Loop>> | undefined;

const commands = {
  async listen() {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const [account] = accounts;
    if (account === undefined) throw new Error('no accounts');
    return {
      port: (server.address() as AddressInfo).port,
      token: tokens.issue(account),
      referencl: account.marchand.referencl,
    };
  },
  startProbes() {
    probes = {
      readFile: startClosedLoop(PAUSE_MS, () => promisify(readFile)(__filename)),
      lookup: startClosedLoop(PAUSE_MS, () => lookup('localhost')),
    };
  },
  async stopProbes() {
    if (probes === undefined) throw new Error('stopProbes before startProbes');
    const [readFile, lookup] = await Promise.all([probes.readFile.stop(), probes.lookup.stop()]);
    return { readFile, lookup };
  },
  /** The hash library alone: so many callers verify the password of the accounts, each again as soon as it is done. */
  async verifyAlone({ callers, settleMs, ms }: VerifyingAlone) {
    const beginsAt = performance.now() + settleMs;
    const endsAt = beginsAt + ms;
    let [verified, total] = [0, 0];
    const keepVerifying = async () => {
      while (performance.now() < endsAt) {
        await verify(passwordHash, PASSWORD);
        total += 1;
        const now = performance.now();
        if (now >= beginsAt && now < endsAt) verified += 1;
      }
    };
    await Promise.all(Array.from({ length: callers }, keepVerifying));
    return { perSecond: (verified / ms) * 1000, total };
  },
  cpuTime,
  /** Begins to watch the event loop and the admitted logins. */
  watch() {
    userStore.admitted = 0;
    delays = monitorEventLoopDelay({ resolution: 10 });
    delays.enable();
  },
  /** Returns the longest time that the event loop was blocked since `watch`, and the number of logins admitted since. */
  watched() {
    return { blockedMs: (delays?.max ?? Number.NaN) / 1e6, admitted: userStore.admitted };
  },
  /** In bytes. What can be collected is collected before. */
  memory() {
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    return { rss, heapUsed, peakRss: process.resourceUsage().maxRSS * 1024 };
  },
};

export type ServerCommands = typeof commands;
obey(commands);

function createAccounts(): NewAccount[] {
  return Array.from({ length: MERCHANTS }, (_, merchant) => ({
    id: String(merchant + 1),
    email: emailOf(merchant),
    phone: '+22900000000',
    marchand: { referencl: `BEN-${merchant + 1}`, statut: 1 },
    disabled: false,
    passwordHash,
  }));
}

/** In memory, or in the Redis of REDIS_URL under keys that nobody else has, which expire there. */
function createThrottle() {
  const url = process.env['REDIS_URL'];
  if (url === undefined) return createLoginThrottle();
  const storeClient = new Redis(url, { enableOfflineQueue: false });
  const own = randomBytes(8).toString('hex');
  return createLoginThrottle({
    limiter: (options) =>
      new RateLimiterRedis({ ...options, keyPrefix: `bench:${own}:${options.keyPrefix}`, storeClient }),
  });
}

/** @param maxConcurrentHashes of bounded hashing; 0 for the package's default */
function createApp(kind: LoginKind, maxConcurrentHashes: number) {
  const app = express();
  app.set('trust proxy', 'loopback');
  if (kind === 'bare') {
    app.post('/v1/login', express.json(), bareLogin());
    return app;
  }
  const isUnbounded = kind === 'unbounded';
  const limit = isUnbounded ? UNBOUNDED : maxConcurrentHashes;
  const passwords = createPasswords(limit === 0 ? {} : { maxConcurrentHashes: limit });
  const options = { tokens, passwords, digestKey, throttle: createThrottle() };
  app.use('/v1', createLoginRouter(userStore, isUnbounded ? { ...options, maxPendingLogins: UNBOUNDED } : options));
  app.use('/v1', requireBearer({ userStore, tokens }));
  app.post('/v1/transactions', (req, res) => {
    res.status(201).json({ refercence_cl: merchantOf(req).referencl });
  });
  app.use(authErrorHandler());
  return app;
}

/** It answers with the same body, but one token for all. */
function bareLogin(): RequestHandler {
  const [account] = accounts;
  if (account === undefined) throw new Error('no accounts');
  const authorisation = { token: tokens.issue(account), type: 'bearer' };
  return (req, res, next) => {
    const answer = async () => {
      const { email, password } = req.body as { readonly email: string; readonly password: string };
      const found = await userStore.findCredentials(email);
      if (found?.passwordHash == null || !(await verify(found.passwordHash, password))) {
        res.status(401).json({ status: 'Error', success: false, code: 401 });
        return;
      }
      const { email: address, phone, marchand } = found.account;
      const head = { status: 'Success', success: true, code: 200, message: 'Login success' };
      res.json({ ...head, user: { email: address, phone }, marchand, authorisation });
    };
    answer().catch(next);
  };
}

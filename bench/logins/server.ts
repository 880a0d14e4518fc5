import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashSync, verify } from '@node-rs/argon2';
import express from 'express';
import {
  authErrorHandler,
  createLoginRouter,
  createPasswords,
  createTokens,
  InMemoryUserStore,
  merchantOf,
  requireBearer,
} from 'express-merchant-auth';
import { serve } from '../harness/http.js';
import { obey } from '../harness/processes.js';
import { percentile } from '../harness/statistics.js';
import { accountOf } from '../guards/keys.js';
import { MERCHANTS, PASSWORD } from './requests.js';

// The process that serves logins, and measures in itself.

/** More than the logins at a time, so that each hash starts at once. */
const UNBOUNDED = 1_000;
/** The pause between two probes of a kind. */
const PAUSE_MS = 20;

const tokens = createTokens({ secret: randomBytes(64) });
// The cost of new hashes, as docs/passwords.md names it.
const passwordHash = hashSync(PASSWORD, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
const userStore = new InMemoryUserStore(
  Array.from({ length: MERCHANTS }, (_, number) => ({ ...accountOf(number + 1), passwordHash })),
);

/** Repeats a call until the time is over. Returns the number of calls, and the median of their times. */
async function repeat(ms: number, call: () => Promise<unknown>, pauseMs = 0) {
  const endsAt = performance.now() + ms;
  const times: number[] = [];
  while (performance.now() < endsAt) {
    const startedAt = performance.now();
    await call();
    times.push(performance.now() - startedAt);
    if (pauseMs > 0) await sleep(pauseMs);
  }
  return { count: times.length, p50: percentile(times, 0.5) };
}

const commands = {
  cpu: () => process.cpuUsage(),
  async listen({ isBounded }: { readonly isBounded: boolean }) {
    const app = express();
    const passwords = createPasswords(isBounded ? {} : { maxConcurrentHashes: UNBOUNDED });
    const options = { tokens, passwords, ...(!isBounded && { maxPendingLogins: UNBOUNDED }) };
    app.use('/v1', createLoginRouter(userStore, options), requireBearer({ userStore, tokens }));
    app.post('/v1/transactions', (req, res) => {
      res.status(201).json({ refercence_cl: merchantOf(req).referencl });
    });
    app.use(authErrorHandler());
    return { port: await serve(app), token: tokens.issue(accountOf(1)) };
  },
  /** Measures file reads and name lookups, in milliseconds. */
  async probe({ ms }: { readonly ms: number }) {
    const [file, name] = await Promise.all([
      repeat(ms, () => readFile(__filename), PAUSE_MS),
      repeat(ms, () => lookup('localhost'), PAUSE_MS),
    ]);
    return { readFile: file.p50, lookup: name.p50 };
  },
  /** Measures the hash library alone, with so many callers. Returns the comparisons per second. */
  async compare({ callers, ms }: { readonly callers: number; readonly ms: number }) {
    const startedAt = performance.now();
    const calls = Array.from({ length: callers }, () => repeat(ms, () => verify(passwordHash, PASSWORD)));
    const total = (await Promise.all(calls)).reduce((sum, { count }) => sum + count, 0);
    return (total / (performance.now() - startedAt)) * 1_000;
  },
};

export type LoginServerCommands = typeof commands;
obey(commands);

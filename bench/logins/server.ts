import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { hashSync, verify } from '@node-rs/argon2';
import express from 'express';
import { createLoginRouter, createTokens, InMemoryUserStore } from 'express-merchant-auth';
import { serve } from '../harness/http.js';
import { obey } from '../harness/processes.js';
import { quantile } from '../harness/statistics.js';
import { accountOf, MERCHANTS } from '../guards/keys.js';

// The process that serves logins, and measures the hash library in itself.

// The cost of new hashes, as docs/passwords.md names it.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
let passwordHash = '';

const commands = {
  cpu: () => process.cpuUsage(),
  listen({ password }: { readonly password: string }) {
    passwordHash = hashSync(password, COST);
    const accounts = Array.from({ length: MERCHANTS }, (_, number) => ({ ...accountOf(number + 1), passwordHash }));
    const tokens = createTokens({ secret: randomBytes(64) });
    return serve(express().use('/v1', createLoginRouter(new InMemoryUserStore(accounts), { tokens })));
  },
  /** Lets so many callers compare passwords with the hash library alone. */
  async compare({
    password,
    callers,
    ms,
  }: {
    readonly password: string;
    readonly callers: number;
    readonly ms: number;
  }) {
    const startedAt = performance.now();
    const times: number[] = [];
    const repeat = async () => {
      while (performance.now() < startedAt + ms) {
        const since = performance.now();
        await verify(passwordHash, password);
        times.push(performance.now() - since);
      }
    };
    await Promise.all(Array.from({ length: callers }, repeat));
    const perSecond = (times.length / (performance.now() - startedAt)) * 1_000;
    return { total: times.length, perSecond, p99: quantile(times, 0.99) };
  },
};

export type LoginServerCommands = typeof commands;
obey(commands);

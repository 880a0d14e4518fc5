import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { hash, verify } from '@node-rs/argon2';
import express from 'express';
import { createLoginRouter, createTokens, InMemoryUserStore } from 'express-merchant-auth';
import { accountOf, MERCHANTS } from '../guards/keys.js';
import { readSetup, serveAsProgram } from '../harness/http.js';

// The program that serves logins at POST /v1/login. All merchants have the same password.

export interface Setup {
  readonly password: string;
  /** Only verifies the password, with the hash library. */
  readonly isHashAlone?: boolean;
}

// The cost of new hashes, as docs/passwords.md names it.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

function loginApp(passwordHash: string): RequestListener {
  const accounts = Array.from({ length: MERCHANTS }, (_, number) => ({ ...accountOf(number + 1), passwordHash }));
  const tokens = createTokens({ secret: randomBytes(64) });
  return express().use('/v1', createLoginRouter(new InMemoryUserStore(accounts), { tokens }));
}

async function main({ password, isHashAlone }: Setup): Promise<void> {
  const passwordHash = await hash(password, COST);
  const verifyAlone: RequestListener = (_req, res) => {
    void verify(passwordHash, password).then(() => res.end('{}'));
  };
  await serveAsProgram(isHashAlone === true ? verifyAlone : loginApp(passwordHash));
}

void main(readSetup() as Setup);

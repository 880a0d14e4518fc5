import path from 'node:path';
import { postBytes, type Prepared } from '../harness/connections.js';
import type { Side } from '../harness/measure.js';
import { accountOf, type Key, MERCHANTS, tokensOf } from './keys.js';
import type { Setup } from './server.js';

const FILE = path.join(__dirname, 'server.js');

/** Makes requests with different tokens. Each has another account while there are enough, as with real merchants. */
export function prepareRequests(key: Key, count: number): Prepared[] {
  const tokens = tokensOf(key);
  return Array.from({ length: count }, (_, number) => {
    const account = accountOf((number % MERCHANTS) + 1);
    const reference = { refercence_cl: account.marchand.referencl };
    const body = { ...reference, amount: 1500, currency: 'XOF', phone: '+22900000000' };
    const bytes = postBytes('/v1/transactions', body, tokens.issue(account));
    return { bytes, status: 201, end: JSON.stringify(reference) };
  });
}

/** The server has one busy thread. */
export function sideOf(setup: Setup, requests: readonly Prepared[]): Side {
  return { program: { file: FILE, setup, isOnFirstCore: true }, requests };
}

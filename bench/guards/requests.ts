import type { Prepared } from '../harness/connections.js';
import { postBytes } from '../harness/http.js';
import { accountOf, generateKey, type Key, MERCHANTS, tokensOf } from './keys.js';

const SIX_HOURS = 6 * 3_600_000;

/** Creates the tokens of requests. `issue` makes another token for each call. */
const TOKENS = {
  accepted: (key) => tokensOf(key),
  'no token': () => ({ issue: () => undefined }),
  garbage: () => ({ issue: () => 'not-a-token' }),
  'bad signature': ({ algorithm }) => tokensOf(generateKey(algorithm)),
  expired: (key) => tokensOf(key, () => Date.now() - SIX_HOURS),
} as const satisfies Record<string, (key: Key) => { issue(account: object): string | undefined }>;

export type TokenKind = keyof typeof TOKENS;

/** @param accounts the number of accounts that the requests are spread over */
export function prepareRequests(key: Key, kind: TokenKind, count: number, accounts = MERCHANTS): Prepared[] {
  const tokens = TOKENS[kind](key);
  const step = Math.max(1, Math.floor(accounts / count));
  return Array.from({ length: count }, (_, number) => {
    const account = accountOf(((number * step) % accounts) + 1);
    const reference = { refercence_cl: account.marchand.referencl };
    const body = { ...reference, amount: 1500, currency: 'XOF', phone: '+22900000000' };
    const bytes = postBytes('/v1/transactions', body, tokens.issue(account));
    return kind === 'accepted'
      ? { bytes, status: 201, end: JSON.stringify(reference) }
      : { bytes, status: 401, end: '}' };
  });
}

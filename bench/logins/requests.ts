import { accountOf } from '../guards/keys.js';
import type { Prepared } from '../harness/connections.js';
import { postBytes } from '../harness/http.js';

/** The number of accounts. It is higher than the logins at a time, so that logins in flight are not identical. */
export const MERCHANTS = 1_000;
export const PASSWORD = 'baobab-and-calebasse';

export function loginRequests(): Prepared[] {
  return Array.from({ length: MERCHANTS }, (_, number) => {
    const bytes = postBytes('/v1/login', { email: accountOf(number + 1).email, password: PASSWORD });
    return { bytes, status: 200, end: '"type":"bearer"}}' };
  });
}

export function guardedRequest(token: string): Prepared {
  const body = { refercence_cl: accountOf(1).marchand.referencl, amount: 1500, currency: 'XOF' };
  return { bytes: postBytes('/v1/transactions', body, token), status: 201, end: '}' };
}

import type { TokenCache } from 'express-merchant-auth-client';

/** The addresses that a case needs. */
export interface World {
  /** The base address of the example app. */
  readonly baseUrl: string;
  /** The base address of a service that redirects `/away` to another origin. */
  readonly redirectingUrl: string;
}

export const CREDENTIALS = { email: 'awa@boutique.example', password: 'baobab-2026' };

/** Returns the body of another transaction. */
export function transaction(refercence_cl: string): string {
  return JSON.stringify({ refercence_cl, merchant_transaction_id: crypto.randomUUID(), amount: 2500, currency: 'XOF' });
}

/** Returns a cache whose token no service accepts. */
export function refusedCache(baseUrl: string): TokenCache {
  const expiresAt = Date.now() + 3_600_000;
  const entry = { baseUrl, email: CREDENTIALS.email, token: 'refused', referencl: 'BTQ-1001', expiresAt };
  return { get: () => entry, set: () => undefined };
}

/** Counts the requests of the platform's `fetch`. */
export function counting() {
  const counted = {
    logins: 0,
    calls: 0,
    fetch: (input: string | Request, init?: RequestInit): Promise<Response> => {
      const url = typeof input === 'string' ? input : input.url;
      counted[url.endsWith('/login') ? 'logins' : 'calls']++;
      return fetch(input, init);
    },
  };
  return counted;
}

export function demandEqual(actual: unknown, expected: unknown): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (found !== wanted) throw new Error(`It is ${found}, not ${wanted}.`);
}

export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was rejected.');
}

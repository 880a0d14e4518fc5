import type { IncomingMessage } from 'node:http';
import type { BodyReader } from '../http/read-body.js';
import type { Respond } from '../http/refuse.js';
import type { MerchantAccount } from '../store/user-store.js';
import type { TokenClaims } from '../tokens/claims.js';

/** The caller of a guarded request. Frozen. */
export interface Merchant<Account extends MerchantAccount | null = MerchantAccount | null> {
  /** The account's id, the token's `sub`. */
  readonly id: string;
  /** The caller's own merchant reference: the account's as just read, or without a store the token's. */
  readonly referencl: string;
  /** What the store returned, the object itself; `null` when the guard has no store. */
  readonly account: Account;
  /** The token's claims, deeply frozen. */
  readonly claims: TokenClaims;
}

/** What a guard leaves for the middleware behind it. */
export interface Guarded {
  readonly merchant: Merchant;
  readonly readBody: BodyReader;
  readonly respond: Respond;
  readonly realm: string;
}

const guarded = new WeakMap<IncomingMessage, Guarded>();

/** Remembers what a guard verified. Not on the request, where other middleware could change it. */
export function setGuarded(req: IncomingMessage, value: Guarded): void {
  guarded.set(req, value);
}

/** @throws TypeError when no guard stands in front. */
export function guardedOf(req: IncomingMessage, caller: string): Guarded {
  const value = guarded.get(req);
  if (value === undefined) {
    throw new TypeError(`${caller}: this request passed no guard. Mount requireBearer(...) in front of this route.`);
  }
  return value;
}

/**
 * The caller of a guarded request. Handlers take the reference from here, not from the request.
 * @throws TypeError on a request that passed no guard
 */
export function merchantOf<Account extends MerchantAccount | null = MerchantAccount | null>(
  req: IncomingMessage,
): Merchant<Account> {
  return guardedOf(req, 'merchantOf').merchant as Merchant<Account>;
}

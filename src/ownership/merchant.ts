import type { IncomingMessage } from 'node:http';
import type { Respond } from '../http/middleware.js';
import { PrivateField } from '../http/private-field.js';
import type { BodyReader } from '../http/read-body.js';
import type { MerchantAccount } from '../store/user-store.js';
import type { TokenClaims } from '../tokens/rules.js';

/** The caller of a guarded request. Frozen. */
export interface Merchant<Account extends MerchantAccount | null = MerchantAccount | null> {
  /** The account's id, the token's `sub`. */
  readonly id: string;
  /** The caller's own merchant reference: the account's as just read, or without a store the token's. */
  readonly referencl: string;
  /** The object that the store returned; `null` when the guard has no store. */
  readonly account: Account;
  /** The token's claims, deeply frozen. */
  readonly claims: TokenClaims;
}

/** The settings of a guard that a `requireOwnReference()` after it inherits. */
export interface GuardSettings {
  readonly reference: 'own' | 'reported' | 'unchecked';
  readonly realm: string;
  readonly readBody: BodyReader;
  readonly respond: Respond;
}

/** A request that passed token and account checks: the caller, and the guard that checked it. */
export interface Guarded {
  readonly merchant: Merchant;
  readonly guard: GuardSettings;
}

/**
 * Records the verified caller where no other middleware can change it, and also as `req.user`, where that can be set. The
 * ecosystem expects it there; this package never reads it.
 */
export function setGuarded(
  req: IncomingMessage,
  guard: GuardSettings,
  { claims, account, referencl }: Pick<Merchant, 'claims' | 'account' | 'referencl'>,
): Guarded {
  const merchant: Merchant = Object.freeze({ id: claims.sub, referencl, account, claims });
  const guarded: Guarded = { merchant, guard };
  PrivateField.set(req, guarded);
  Reflect.set(req, 'user', merchant);
  return guarded;
}

const NO_GUARD = 'this request passed no guard. Mount requireBearer(...) in front of this route.';
const OTHER_COPY =
  'this request was guarded by another copy of express-merchant-auth. Import requireBearer and this function from the ' +
  'same copy: npm ls express-merchant-auth lists them.';

/** @throws TypeError on a request that passed no guard */
export function guardedOf(req: IncomingMessage, caller: string): Guarded {
  const guarded = PrivateField.get(req) as Guarded | undefined;
  if (guarded !== undefined) return guarded;
  throw new TypeError(`${caller}: ${isMerchantOfAnotherCopy(req) ? OTHER_COPY : NO_GUARD}`);
}

/** A copy of this package has private fields that no other copy can read. This is a guess for the message alone. */
function isMerchantOfAnotherCopy(req: unknown): boolean {
  const user: unknown = Object.getOwnPropertyDescriptor(req ?? {}, 'user')?.value;
  return typeof user === 'object' && user !== null && Object.isFrozen(user) && 'referencl' in user && 'claims' in user;
}

/**
 * Returns the caller of a guarded request. Handlers take the reference from here, not from the request.
 * @throws TypeError on a request that passed no guard
 */
export function merchantOf<Account extends MerchantAccount | null = MerchantAccount | null>(
  req: IncomingMessage,
): Merchant<Account> {
  return guardedOf(req, 'merchantOf').merchant as Merchant<Account>;
}

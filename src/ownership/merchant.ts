import type { IncomingMessage } from 'node:http';
import type { BodyReader } from '../body/read-body.js';
import { callDroppingErrors } from '../base/host-calls.js';
import type { Respond } from '../http/middleware.js';
import { SAME_COPY } from '../base/another-copy.js';
import type { MerchantAccount } from '../store/user-store.js';
import type { TokenClaims } from '../tokens/rules.js';
import { PrivateField } from './private-field.js';
import type { ReferenceNames } from './reference-names.js';

export const REFERENCE_MODES = ['own', 'reported', 'unchecked'] as const;

type ReferenceMode = (typeof REFERENCE_MODES)[number];

/** The verified caller of a guarded request. The object is frozen. */
export interface Merchant<Account extends MerchantAccount | null = MerchantAccount | null> {
  /** The id of the account, which is the token's `sub`. */
  readonly id: string;
  /** The caller's merchant reference: from the account as just read or, without a store, from the token. */
  readonly referencl: string;
  /** The account object that the store returned. `null` when the guard has no store. */
  readonly account: Account;
  /** The token's claims, deeply frozen. */
  readonly claims: TokenClaims;
}

export interface OwnershipSettings {
  readonly reference: ReferenceMode;
  readonly referenceNames: ReferenceNames;
  readonly realm: string;
  readonly readBody: BodyReader;
  readonly respond: Respond;
}

export interface Guarded {
  readonly merchant: Merchant;
  readonly settings: OwnershipSettings;
}

/** Records the caller in a private field, which no other middleware can change, and in `req.user` for other packages. */
export function setGuarded(req: IncomingMessage, guarded: Guarded): void {
  // First, because a setter of the host can throw and refuse the request.
  Reflect.set(req, 'user', guarded.merchant);
  PrivateField.set(req, guarded);
}

/** Removes the caller that an earlier guard set. */
export function clearGuarded(req: IncomingMessage): void {
  const guarded = recorded(req);
  if (guarded === undefined) return;
  PrivateField.set(req, undefined);
  // The host can define `user` with functions that throw.
  void callDroppingErrors(() => {
    if (Reflect.get(req, 'user') === guarded.merchant) Reflect.set(req, 'user', undefined);
  });
}

function recorded(req: IncomingMessage): Guarded | undefined {
  return PrivateField.get(req) as Guarded | undefined;
}

const NO_GUARD =
  'this request passed no guard. Mount requireBearer(...) before this route. A refused request has no caller, even if ' +
  'an error handler calls next().';
const OTHER_COPY = `this request was guarded by another copy of express-merchant-auth. Import requireBearer and this function ${SAME_COPY}`;

/** @throws TypeError on a request that did not pass `requireBearer` */
export function guardedOf(req: IncomingMessage, caller: string): Guarded {
  const guarded = recorded(req);
  if (guarded !== undefined) return guarded;
  throw new TypeError(`${caller}: ${isMerchantOfAnotherCopy(req) ? OTHER_COPY : NO_GUARD}`);
}

/** Guesses from `req.user`: one copy cannot read the private fields of another. */
function isMerchantOfAnotherCopy(req: unknown): boolean {
  const user: unknown = Object.getOwnPropertyDescriptor(req ?? {}, 'user')?.value;
  return typeof user === 'object' && user !== null && Object.isFrozen(user) && 'referencl' in user && 'claims' in user;
}

/**
 * Returns the verified caller of a guarded request. Handlers must take the reference from here. If several guards ran,
 * the last one sets the caller. The type argument is the account type of the guard's store, as in
 * `merchantOf<ShopAccount>(req)`.
 * @throws TypeError on a request that did not pass `requireBearer`, or that `requireOwnReference` refused
 */
export function merchantOf<Account extends MerchantAccount | null = MerchantAccount | null>(
  req: IncomingMessage,
): Merchant<Account> {
  return guardedOf(req, 'merchantOf').merchant as Merchant<Account>;
}

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

/** A constructor that returns another object lets the class below it put its private fields on that object. */
// eslint-disable-next-line @typescript-eslint/no-extraneous-class -- only constructors can do this
class OfOthers {
  constructor(object: object) {
    return object;
  }
}

/**
 * What a guard verified, in a private field of the request: nothing outside this class can read, forge or change it, as
 * with a WeakMap, which costs every request 4 us more, most of them in the garbage collector.
 */
class GuardedRequest extends OfOthers {
  #guarded: Guarded;

  private constructor(req: IncomingMessage, guarded: Guarded) {
    super(req);
    this.#guarded = guarded;
  }

  static set(req: IncomingMessage, guarded: Guarded): void {
    if (#guarded in req) req.#guarded = guarded;
    else new GuardedRequest(req, guarded);
  }

  static get(req: unknown): Guarded | undefined {
    return typeof req === 'object' && req !== null && #guarded in req ? req.#guarded : undefined;
  }
}

/** Remembers what a guard verified, where no other middleware can change it. */
export function setGuarded(req: IncomingMessage, value: Guarded): void {
  GuardedRequest.set(req, value);
}

/** @throws TypeError when no guard stands in front. */
export function guardedOf(req: IncomingMessage, caller: string): Guarded {
  const value = GuardedRequest.get(req);
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

import { hashArgon2idSync } from '../passwords/argon2.js';
import { accountProblem } from './check-account.js';
import { copyOf, type Credentials, type MerchantAccount, type UserStore } from './user-store.js';

/**
 * A `MerchantAccount` in which only the email and the reference are required, for tests. `InMemoryUserStore` fills in
 * the others.
 */
export interface InMemoryAccount extends Omit<MerchantAccount, 'id' | 'phone' | 'marchand' | 'disabled'> {
  /** Default: `marchand.referencl`. A merchant's second account needs an id, or it replaces the first. */
  readonly id?: string;
  /** Default: `''`. */
  readonly phone?: string;
  /** The default of `statut` is 1. */
  readonly marchand: { readonly referencl: string; readonly statut?: number };
  /** Default: false. */
  readonly disabled?: boolean;
}

/** `null` is for an account without a password. */
type PasswordOrHash = { readonly password: string } | { readonly passwordHash: string | null };

/**
 * Keeps accounts in memory, for tests and demos, as the reference implementation of `UserStore`. Emails must match
 * exactly. The store copies the accounts that it gets and returns, and does not keep a password.
 */
export class InMemoryUserStore implements UserStore {
  readonly #byId = new Map<string, Credentials>();
  readonly #idByEmail = new Map<string, string>();

  /** @throws TypeError for each account that `put` refuses */
  constructor(accounts: readonly (InMemoryAccount & PasswordOrHash)[] = []) {
    for (const account of accounts) this.put(account);
  }

  /**
   * Adds an account, or replaces the one with its id. Members that are left out get the defaults of `InMemoryAccount`,
   * even in a replacement. A `password` is hashed with argon2id before this returns, which blocks the event loop for
   * about 20 ms, so give many accounts a `passwordHash`.
   * @throws TypeError when a member breaks the contract of `MerchantAccount`, or when another account has the email
   */
  put(account: InMemoryAccount & PasswordOrHash): void {
    const { password, passwordHash, ...given } = account as InMemoryAccount & {
      password?: string;
      passwordHash?: string | null;
    };
    const rest = withDefaults(given);
    const problem = accountProblem(rest);
    if (problem !== undefined) throw new TypeError(`InMemoryUserStore was given ${problem}.`);
    if ((this.#idByEmail.get(rest.email) ?? rest.id) !== rest.id) {
      throw new TypeError('InMemoryUserStore: another account has this email.');
    }
    if (passwordHash !== null && typeof (passwordHash ?? password) !== 'string') {
      throw new TypeError('InMemoryUserStore: an account needs a password or a passwordHash, as a string.');
    }
    const stored = copyOf(rest);
    const hash = passwordHash ?? (password === undefined ? null : hashArgon2idSync(password));
    this.remove(stored.id);
    this.#byId.set(stored.id, { account: stored, passwordHash: hash });
    this.#idByEmail.set(stored.email, stored.id);
  }

  /** Removes an account, whose tokens are refused from then on. */
  remove(id: string): void {
    const email = this.#byId.get(id)?.account.email;
    if (email !== undefined) this.#idByEmail.delete(email);
    this.#byId.delete(id);
  }

  findCredentials(identifier: string): Promise<Credentials | null> {
    const found = this.#byId.get(this.#idByEmail.get(identifier) ?? '');
    return Promise.resolve(found ? { account: copyOf(found.account), passwordHash: found.passwordHash } : null);
  }

  findById(id: string): Promise<MerchantAccount | null> {
    const found = this.#byId.get(id);
    return Promise.resolve(found ? copyOf(found.account) : null);
  }

  replacePasswordHash(id: string, current: string, next: string): Promise<boolean> {
    const found = this.#byId.get(id);
    if (found?.passwordHash !== current) return Promise.resolve(false);
    this.#byId.set(id, { account: found.account, passwordHash: next });
    return Promise.resolve(true);
  }
}

function withDefaults({ marchand, ...account }: InMemoryAccount): MerchantAccount {
  const { statut = 1, ...merchant } = marchand ?? {};
  const { id = merchant.referencl, phone = '', disabled = false } = account;
  return { ...account, id, phone, marchand: { ...merchant, statut }, disabled };
}

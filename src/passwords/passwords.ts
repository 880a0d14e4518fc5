import { parsePasswordsOptions, type PasswordsConfig, type PasswordsOptions } from './passwords-options.js';
import { MAX_WAIT_MS, processSlots } from './slots.js';

/** How a login compares. */
export interface Comparison {
  /** Chooses the decoy for a hash that is missing or unusable: any whole number. */
  readonly decoy: number;
  /** Ends the wait for a slot, because the caller is gone. */
  readonly signal?: AbortSignal;
}

/** Hashes and verifies passwords, a bounded number at a time, off the event loop. `createPasswords` makes it. */
export class Passwords {
  readonly #config: PasswordsConfig;

  /** @internal */
  constructor(config: PasswordsConfig) {
    this.#config = config;
  }

  /** @internal */
  get maxConcurrentHashes(): number {
    return this.#config.maxConcurrentHashes;
  }

  /**
   * Hashes a password with a new salt, for the host's registration and password change.
   * @throws RangeError with `algorithm: 'bcrypt'`, for a password of which bcrypt would read a part
   */
  hash(password: string): Promise<string> {
    const { newHashes, maxConcurrentHashes } = this.#config;
    return processSlots.run(maxConcurrentHashes, () => newHashes.hash(password));
  }

  /**
   * Resolves to true when `hash` was made of `password`. It costs one hash computation for any `hash`: in place of `null`
   * (no account, or no password) and of a hash that is empty, truncated, unknown or above the cap, it compares with a
   * decoy, and resolves to false.
   * @throws AuthError `too_busy` after 5 s without a slot
   */
  verify(password: string, hash: string | null): Promise<boolean> {
    return this.compare(password, hash, { decoy: 0 });
  }

  /** Returns true when a login should replace `hash`: another algorithm, a lower cost, or an unusable hash. */
  needsRehash(hash: string): boolean {
    const { newHashes, read } = this.#config;
    const stored = read(hash);
    return stored?.format !== newHashes.format || newHashes.isCheaper(hash);
  }

  /** @internal Returns false for a hash that nothing can match. */
  canVerify(hash: string): boolean {
    return this.#config.read(hash) !== undefined;
  }

  /** @internal `verify` for a login. */
  async compare(password: string, hash: string | null, { decoy, signal }: Comparison): Promise<boolean> {
    const { read, decoys, maxConcurrentHashes } = this.#config;
    const stored = hash === null ? undefined : read(hash);
    const compared = stored ?? decoys[decoy % decoys.length];
    const compute = async (): Promise<unknown> => compared?.format.verify(password, compared.hash);
    const waiting = { maxWaitMs: MAX_WAIT_MS, ...(signal && { signal }) };
    const matches = await processSlots.run(maxConcurrentHashes, compute, waiting);
    return stored !== undefined && matches === true;
  }

  /**
   * @internal Returns the hash that should replace `hash` after a match. Returns `undefined` when `hash` is as good, when
   * the match does not prove all of `password`, or when other computations wait.
   */
  async upgrade(password: string, hash: string): Promise<string | undefined> {
    const { newHashes, read, maxConcurrentHashes } = this.#config;
    const stored = read(hash);
    if (stored === undefined || !this.needsRehash(hash)) return undefined;
    const isProven = stored.format.readsWhole(password) && newHashes.format.readsWhole(password);
    return isProven ? processSlots.tryRun(maxConcurrentHashes, () => newHashes.hash(password)) : undefined;
  }
}

/**
 * Makes the hasher: argon2id (RFC 9106) or bcrypt for new hashes, and every format in use for stored ones.
 * @throws TypeError for an unknown option, a cost out of range, a malformed format, or a decoy that cannot be computed
 */
export function createPasswords(options: PasswordsOptions = {}): Passwords {
  return new Passwords(parsePasswordsOptions(options));
}

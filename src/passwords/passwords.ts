import {
  parsePasswordsOptions,
  type PasswordsConfig,
  type PasswordsOptions,
  type ReadableHash,
} from './passwords-options.js';
import { processSlots, type Waiting } from './slots.js';

/** The hash that a login compares with: the stored one, or a decoy in place of a hash that is missing or unusable. */
export interface ComparedHash extends ReadableHash {
  readonly isDecoy: boolean;
}

/** How a login compares. */
export interface Comparison extends Waiting {
  /** Called when the computation has its slot. */
  readonly onStart?: () => void;
}

/** Hashes and verifies passwords, a bounded number at a time, off the event loop. `createPasswords` makes it. */
export class Passwords {
  readonly #config: PasswordsConfig;

  /** @internal */
  constructor(config: PasswordsConfig) {
    this.#config = config;
  }

  /**
   * Hashes a password with a new salt, for the host's registration and password change.
   * @throws RangeError with `algorithm: 'bcrypt'`, for a password of which bcrypt would read a part
   * @throws AuthError `too_busy` after 10 s without a slot
   */
  hash(password: string): Promise<string> {
    const { newHashes, maxConcurrentHashes } = this.#config;
    return processSlots.run(maxConcurrentHashes, () => newHashes.hash(password));
  }

  /**
   * Resolves to true when `hash` was made of `password`. It costs one hash computation for any `hash`: in place of `null`
   * (no account, or no password) and of a hash that is empty, truncated, unknown or above the cap, it compares with a
   * decoy, and resolves to false.
   * @throws AuthError `too_busy` after 10 s without a slot
   */
  async verify(password: string, hash: string | null): Promise<boolean> {
    return this.compare(password, this.comparedHash(hash, 0));
  }

  /** Returns true when a login should replace `hash`: another algorithm, a lower cost, or an unusable hash. */
  needsRehash(hash: string): boolean {
    const { newHashes, read } = this.#config;
    const stored = read(hash);
    return stored?.format !== newHashes.format || newHashes.isCheaper(hash);
  }

  /** Returns the hash computations that run and that wait, in this process. Made for gauges. */
  load(): { running: number; waiting: number } {
    return processSlots.load;
  }

  /** @internal Returns the hash to compare with. `decoy` chooses the decoy: any whole number. */
  comparedHash(hash: string | null, decoy: number): ComparedHash {
    const { read, decoys } = this.#config;
    const stored = hash === null ? undefined : read(hash);
    if (stored !== undefined) return { ...stored, isDecoy: false };
    return { ...(decoys[decoy % decoys.length] ?? decoys[0]), isDecoy: true };
  }

  /** @internal Computes one comparison. A decoy never matches. */
  async compare(password: string, hash: ComparedHash, comparison: Comparison = {}): Promise<boolean> {
    const compute = async (): Promise<unknown> => {
      comparison.onStart?.();
      return hash.format.verify(password, hash.hash);
    };
    const matches = await processSlots.run(this.#config.maxConcurrentHashes, compute, comparison);
    return !hash.isDecoy && matches === true;
  }

  /** @internal Estimates the wait of a comparison that comes now, in milliseconds. */
  estimateWaitMs(isKnown: boolean): number {
    return processSlots.estimateWaitMs(this.#config.maxConcurrentHashes, isKnown);
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

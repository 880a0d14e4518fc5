import { BRAND } from '../base/another-copy.js';
import { isLoginText, LOGIN_TEXT } from './login-text.js';
import {
  parsePasswordsOptions,
  type PasswordsConfig,
  type PasswordsOptions,
  type ReadableHash,
} from './passwords-options.js';
import { type Place, processSlots, type Share } from '../queue/slots.js';

export interface HashToCompare extends ReadableHash {
  readonly isDecoy: boolean;
}

const NOT_A_PASSWORD =
  `login.attempt refuses this password: it needs ${LOGIN_TEXT} and without half of a surrogate pair. ` +
  'Check it in your form.';

/** Hashes and verifies passwords off the event loop, a limited number at a time. `createPasswords` makes it. */
export class Passwords {
  /** @internal */
  static readonly [BRAND] = 'Passwords';

  readonly #config: PasswordsConfig;
  readonly #share: Share;

  /** @internal */
  constructor(config: PasswordsConfig) {
    this.#config = config;
    this.#share = { limit: config.maxConcurrentHashes, line: processSlots.newLine('host') };
  }

  /**
   * Hashes a password with a new salt, for the host's registration and password change.
   * @throws RangeError for a password that `login.attempt` refuses: empty, over 255 characters, with NUL or with half
   *   of a surrogate pair. With `algorithm: 'bcrypt'`, for one that bcrypt would not read to its end too
   * @throws AuthError `too_busy` when the computation cannot start within 10 s, and `store_unavailable` when it fails
   */
  async hash(password: string): Promise<string> {
    if (!isLoginText(password)) throw new RangeError(NOT_A_PASSWORD);
    const { newHashes } = this.#config;
    return processSlots.run(this.#share, () => newHashes.hash(password));
  }

  /**
   * Resolves to true when `hash` is a hash of `password`. Every call costs one hash computation: `null`, and a hash
   * that is empty, truncated, unknown or too expensive, are compared with a decoy and give false. It counts no guesses,
   * so check a caller's current password with `login.attempt`.
   * @throws AuthError `too_busy` when the computation cannot start within 10 s, and `store_unavailable` when it fails
   */
  async verify(password: string, hash: string | null): Promise<boolean> {
    return this.compare(password, this.hashToCompare(hash, 0));
  }

  /**
   * Returns true for a hash with another algorithm or a lower cost than new hashes, and for an unusable hash. A login
   * replaces the first kind. No password matches the second.
   */
  needsRehash(hash: string): boolean {
    const { newHashes, read } = this.#config;
    const stored = read(hash);
    return stored?.format !== newHashes.format || newHashes.isCheaper(hash);
  }

  /** Returns the numbers of hash computations that run and that wait in this process. */
  load(): { running: number; waiting: number } {
    return processSlots.load;
  }

  /** @internal Any whole number chooses a decoy. */
  hashToCompare(hash: string | null, decoy: number): HashToCompare {
    const { read, decoys } = this.#config;
    const stored = hash === null ? undefined : read(hash);
    if (stored !== undefined) return { ...stored, isDecoy: false };
    return { ...(decoys[decoy % decoys.length] ?? decoys[0]), isDecoy: true };
  }

  /** @internal */
  resemblesDecoy(hash: HashToCompare): boolean {
    return this.#config.resemblesDecoy(hash);
  }

  /** @internal A decoy never matches. */
  async compare(password: string, { format, hash, isDecoy }: HashToCompare, place?: Place): Promise<boolean> {
    const compute = async (): Promise<unknown> => format.verify(password, hash);
    const matches = await processSlots.run(this.#share, compute, place);
    return !isDecoy && matches === true;
  }

  /**
   * @internal Returns `undefined` when `hash` is good enough, when no slot is free or others wait, or when a format
   *   reads only a part of `password`: a match proves only that part.
   */
  async upgrade(password: string, hash: string): Promise<string | undefined> {
    const { newHashes, read } = this.#config;
    const stored = read(hash);
    if (stored === undefined || !this.needsRehash(hash)) return undefined;
    const isProven = stored.format.readsWhole(password) && newHashes.format.readsWhole(password);
    return isProven ? processSlots.tryRun(this.#share, () => newHashes.hash(password)) : undefined;
  }
}

/**
 * Makes the object that hashes and verifies passwords. New hashes are argon2id (RFC 9106) or bcrypt.
 * @throws TypeError for an unknown or misplaced option, a cost out of range, a malformed format or an unusable decoy
 * @throws Error that says what to install, when the native package that computes a decoy does not load
 */
export function createPasswords(options: PasswordsOptions = {}): Passwords {
  return new Passwords(parsePasswordsOptions(options));
}

/** A format of stored hashes that this package does not know, for example of an older system. */
export interface PasswordFormat {
  /** Names the format in error messages. Each format needs a different name. */
  readonly name: string;
  /** Returns true for a stored hash of this format. Must be synchronous and fast, and must not throw for any text. */
  identify(hash: string): boolean;
  /**
   * Computes the hash of `password` and compares it with `hash` in constant time, off the event loop. Called only for
   * hashes that `identify` accepted. `maxConcurrentHashes` limits the calls that run at a time. A call that takes longer
   * than 5 s gives a 503, and until it settles the format is not called again.
   */
  verify(password: string, hash: string): Promise<boolean>;
}

export interface KnownFormat extends PasswordFormat {
  /** Absent for a format of the host. */
  readonly load?: () => unknown;
  /** False for a cost above the cap too. Such a hash never matches. */
  isComputable(hash: string): boolean;
  /** Empty for a format of the host. */
  costText(hash: string): string;
  /** A match can be stored as a new hash only if the comparison reads all of `password`. */
  readsWhole(password: string): boolean;
}

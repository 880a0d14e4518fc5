/** A format of stored hashes. */
export interface PasswordFormat {
  /** Names the format in error messages. Each format has another name. */
  readonly name: string;
  /** Returns true for a stored hash of this format. Cheap and synchronous; it does not throw for any text. */
  identify(hash: string): boolean;
  /**
   * Computes the hash of `password` and compares it in constant time, off the event loop. It is called for hashes that
   * `identify` accepted, with a hash slot taken.
   */
  verify(password: string, hash: string): Promise<boolean>;
}

/** A format that this package verifies, with the facts that only its own code knows. */
export interface KnownFormat extends PasswordFormat {
  /** Returns true for a whole hash with a cost below the cap. Any other hash never matches. */
  isComputable(hash: string): boolean;
  /** Returns true when a comparison reads all of `password`, so that a match can be stored as a hash of it. */
  readsWhole(password: string): boolean;
}

/** A format of stored hashes: how to tell it and how to compare with it. */
export interface PasswordFormat {
  /** For error messages and audit; no two formats share it. */
  readonly name: string;
  /** Whether a stored hash is of this format. Cheap and synchronous, and it does not throw, whatever the text. */
  recognises(hash: string): boolean;
  /**
   * Computes the hash of `password` and compares, in constant time and off the event loop. It is called with a permit,
   * for hashes that `recognises` told.
   */
  verify(password: string, hash: string): Promise<boolean>;
}

/** What this package knows of a format beside that. */
export interface KnownFormat extends PasswordFormat {
  /** Whether a hash is whole and its cost one that is computed. One that is not never matches. */
  isComputable(hash: string): boolean;
  /** Whether the comparison read all of `password`, so that a match can be stored as a hash of it. */
  readsWhole(password: string): boolean;
}

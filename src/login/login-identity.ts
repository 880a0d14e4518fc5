import type { Source } from '../sources/determine-source.js';
import type { ThrottleKeys } from '../throttle/throttle-check.js';
import { foldIdentifier } from './fold-identifier.js';
import type { KeyedDigest } from './keyed-digest.js';

/** The folded identifier and its digests, which nobody can compute without the `digestKey`. */
export interface LoginIdentity {
  readonly folded: string;
  /** For the audit events: 128 bits in hexadecimal. */
  readonly emailDigest: string;
  /** Returns the keys of the throttle. Spellings are different guesses, because they can be two accounts. */
  readonly keys: (password: string) => ThrottleKeys;
  /** Chooses the decoy hash. The same identifier always gets the same number. */
  readonly decoy: number;
}

/** Makes the digests by which the throttle, the audit events and the decoys know an identifier. */
export function identify(
  digest: KeyedDigest,
  realm: string,
  identifier: string,
  { source, address }: Pick<Source, 'source' | 'address'>,
): LoginIdentity {
  const folded = foldIdentifier(identifier);
  const key = (...texts: string[]) => digest(realm, ...texts).toString('hex', 0, 16);
  const kind = source === undefined ? 'peer' : 'source';
  return {
    folded,
    // Computed only when read, because a login that is refused early needs neither digest.
    get emailDigest() {
      return key('audit', folded);
    },
    keys: (password) => ({
      guess: key(`guess from ${kind}`, identifier, password, address),
      email: key('email', folded),
      address: key(kind, address),
      emailAndAddress: key(`email and ${kind}`, folded, address),
      isSourceDetermined: source !== undefined,
    }),
    get decoy() {
      return digest(realm, 'decoy', folded).readUInt32BE(0);
    },
  };
}

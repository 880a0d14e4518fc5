import type { Source } from '../http/source.js';
import type { ThrottleKeys } from '../throttle/throttle-check.js';
import { foldIdentifier } from './fold-identifier.js';
import type { KeyedDigest } from './keyed-digest.js';

/** The folded identifier and its digests, which nobody can compute without the `digestKey`. */
export interface LoginIdentity {
  readonly folded: string;
  /** For the audit events: 128 bits in hexadecimal. */
  readonly emailDigest: string;
  /** For the throttle. */
  readonly keys: ThrottleKeys;
  /** Returns the digest of a guess, for the throttle. Spellings are different guesses, because they can be two accounts. */
  readonly guess: (password: string) => string;
  /** Chooses the decoy hash. The same identifier always gets the same number. */
  readonly decoy: number;
}

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
    keys: {
      email: key('email', folded),
      addressKey: key(kind, address),
      emailAndAddressKey: key(`email and ${kind}`, folded, address),
      isSourceDetermined: source !== undefined,
    },
    guess: (password) => key(`guess from ${kind}`, identifier, password, address),
    get decoy() {
      return digest(realm, 'decoy', folded).readUInt32BE(0);
    },
  };
}

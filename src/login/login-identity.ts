import type { Source } from '../sources/determine-source.js';
import type { ThrottleKeys } from '../throttle/throttle-types.js';
import { foldIdentifier } from './fold-identifier.js';
import type { KeyedDigest } from './keyed-digest.js';

export type LoginIdentity = ReturnType<typeof identify>;

/** Makes the digests by which the throttle, the audit events and the decoys know an identifier. */
export function identify(
  digest: KeyedDigest,
  realm: string,
  identifier: string,
  { source, address }: Pick<Source, 'source' | 'address'>,
) {
  const folded = foldIdentifier(identifier);
  const key = (...texts: string[]) => digest(realm, ...texts).toString('hex', 0, 16);
  const kind = source === undefined ? 'peer' : 'source';
  return {
    folded,
    /** For the audit events. Computed only when read: an early refusal needs none. */
    get emailDigest() {
      return key('audit', folded);
    },
    /** Two spellings are two guesses, because they can be two accounts. */
    keys: (password: string): ThrottleKeys => ({
      guess: key(`guess from ${kind}`, identifier, password, address),
      email: key('email', folded),
      source: key(kind, address),
      emailAndSource: key(`email and ${kind}`, folded, address),
      isSourceDetermined: source !== undefined,
    }),
    /** Chooses the decoy hash: always the same for an identifier. */
    get decoy() {
      return digest(realm, 'decoy', folded).readUInt32BE(0);
    },
  };
}

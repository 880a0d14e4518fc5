import type { KeyedDigest } from '../pepper.js';
import { foldEmail } from '../throttle/fold-email.js';
import type { ThrottleKeys } from '../throttle/login-throttle.js';

/** What an email is known by outside the store: digests under the pepper, which nobody without it can compute. */
export interface LoginIdentity {
  /** For the audit: in hexadecimal, 128 bits. */
  readonly emailDigest: string;
  /** For the throttle. */
  readonly keys: ThrottleKeys;
  /** Which decoy stands in for this email's hash, always the same one. */
  readonly decoy: number;
}

/** The identity of an email in a realm, tried from a source. */
export function identify(digest: KeyedDigest, realm: string, email: string, source?: string): LoginIdentity {
  const folded = foldEmail(email);
  const key = (...texts: string[]) => digest(realm, ...texts).toString('hex', 0, 16);
  return {
    // Made when they are asked for: a login that is shed needs neither.
    get emailDigest() {
      return key('audit', folded);
    },
    keys: {
      email: key('email', folded),
      ...(source !== undefined && {
        source: key('source', source),
        emailAndSource: key('email and source', folded, source),
      }),
    },
    get decoy() {
      return digest(realm, 'decoy', folded).readUInt32BE(0);
    },
  };
}

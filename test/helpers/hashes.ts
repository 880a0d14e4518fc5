import argon2 from '@node-rs/argon2';
import { AWA, withPassword } from './accounts.js';

/** The hash of `PASSWORD` at the default cost. */
export const PHC_OF_PASSWORD = (withPassword(AWA) as { readonly passwordHash: string }).passwordHash;

/** The hash of `PASSWORD` at the least cost that argon2 has. */
export const LOW_COST_HASH =
  '$argon2id$v=19$m=8,t=1,p=1$rGsMO9huI+GeQ3AYz8zZ1Q$+/wNy6FQjfrdG3foIwl0JuPKFtG6Bwd6rw8VUY5df3I';

interface Phc {
  readonly m?: number | string;
  readonly t?: number | string;
  readonly p?: number | string;
  readonly salt?: string;
  readonly output?: string;
}

/** A PHC string of argon2id, with whatever is wrong with it. */
export function phc(parts: Phc): string {
  const { m = 19_456, t = 2, p = 1, salt = 'dLCcEdRBT6OqEUPAem0dLg' } = parts;
  return `$argon2id$v=19$m=${m},t=${t},p=${p}$${salt}$${parts.output ?? PHC_OF_PASSWORD.split('$')[5] ?? ''}`;
}

/** One computation: what was compared with what. */
export interface Computation {
  readonly hash: string;
  readonly password: string;
}

const real = { ...argon2 };

/**
 * Records every computation of argon2 for the rest of this test. With `outcome`, nothing is computed and each comparison
 * ends as it says.
 */
export function recordComputations(outcome?: (hash: string) => boolean): Computation[] {
  const computations: Computation[] = [];
  argon2.verify = (hash, password, ...rest) => {
    computations.push({ hash: String(hash), password: String(password) });
    return outcome ? Promise.resolve(outcome(String(hash))) : real.verify(hash, password, ...rest);
  };
  for (const name of ['verifySync', 'hash', 'hashSync', 'hashRaw', 'hashRawSync'] as const) {
    Object.assign(argon2, {
      [name]: () => {
        throw new Error(`${name} is a computation of its own.`);
      },
    });
  }
  return computations;
}

afterEach('compute again', () => {
  Object.assign(argon2, real);
});

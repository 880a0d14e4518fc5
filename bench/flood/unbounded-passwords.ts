import { hash, hashSync, verify } from '@node-rs/argon2';
import type { Passwords } from 'express-merchant-auth';

/** The package's own cost. */
export const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * What an application does that calls the hash library itself: each login is hashed at once, and libuv's threads are
 * left to sort it out. No permits, no places.
 */
export function unboundedPasswords(): Passwords {
  const decoy = hashSync('nobody has this password', COST);
  return {
    hash: (password) => hash(password, COST),
    verify: async (password, stored) => (await verify(stored ?? decoy, password)) && stored !== null,
    needsRehash: () => false,
    upgrade: () => Promise.resolve(undefined),
    enter: () => () => undefined,
  };
}

import { checkInteger, checkOptions, type OptionNames } from '../options.js';
import {
  type Argon2Cost,
  costMembers,
  costOfArgon2id,
  DEFAULT_ARGON2_COST,
  decoyArgon2id,
  hashArgon2id,
  MAX_ARGON2_COST,
  verifyArgon2id,
} from './argon2id.js';

/** Hashes new passwords and checks given ones. Every computation runs off the event loop. */
export interface Passwords {
  /** A PHC string of `password`, with a salt of its own, for the host's registration and password change. */
  hash(password: string): Promise<string>;
  /**
   * Whether `password` is the one that `hash` was made of. It costs one hash computation whatever `hash` is: for `null`
   * (no such account, or none with a password) and for a hash that is empty, truncated, of an unknown format or above
   * the cost that is computed, a decoy is compared with instead, and the result is `false`.
   */
  verify(password: string, hash: string | null): Promise<boolean>;
  /** Whether `hash` should be replaced by a new one after a good login: another format, or a lower cost. */
  needsRehash(hash: string): boolean;
}

/** The cost of new hashes. It can be raised above the defaults, not lowered. */
export interface PasswordsOptions {
  /** Memory in KiB. Default 19,456 (19 MiB), the least that OWASP's cheat sheet names for argon2id; at most 262,144. */
  readonly memoryCost?: number;
  /** Passes over the memory. Default 2, which belongs to that memory; at most 16. */
  readonly timeCost?: number;
  /** Lanes. Default 1, since logins come in parallel and each has a thread of its own; at most 16. */
  readonly parallelism?: number;
}

const OPTIONS: OptionNames<PasswordsOptions> = { memoryCost: true, timeCost: true, parallelism: true };

/**
 * Makes the hasher: argon2id (RFC 9106), PHC strings.
 * @throws TypeError for an unknown option or a cost out of range.
 */
export function createPasswords(options: PasswordsOptions = {}): Passwords {
  checkOptions('createPasswords', options, OPTIONS);
  const cost: Argon2Cost = {
    memoryCost: options.memoryCost ?? DEFAULT_ARGON2_COST.memoryCost,
    timeCost: options.timeCost ?? DEFAULT_ARGON2_COST.timeCost,
    parallelism: options.parallelism ?? DEFAULT_ARGON2_COST.parallelism,
  };
  for (const [name, value] of costMembers(cost)) {
    checkInteger(`createPasswords: ${name}`, value, DEFAULT_ARGON2_COST[name], MAX_ARGON2_COST[name]);
  }
  const decoy = decoyArgon2id(cost);

  return {
    hash: (password) => hashArgon2id(password, cost),

    async verify(password, hash) {
      const isComputable = hash !== null && costOfArgon2id(hash) !== undefined;
      const matches = await verifyArgon2id(password, isComputable ? hash : decoy);
      return isComputable && matches;
    },

    needsRehash(hash) {
      const stored = costOfArgon2id(hash);
      return stored === undefined || costMembers(stored).some(([name, value]) => value < cost[name]);
    },
  };
}

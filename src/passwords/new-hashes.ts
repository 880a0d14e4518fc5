import { oneOf, type OptionParsers, wholeNumber } from '../base/parse-options.js';
import {
  type Argon2Cost,
  argon2id,
  COST_NAMES,
  costOfArgon2,
  DEFAULT_ARGON2_COST,
  decoyArgon2id,
  hashArgon2id,
  MAX_ARGON2_COST,
} from './argon2.js';
import { bcrypt, costOfBcrypt, decoyBcrypt, DEFAULT_BCRYPT_COST, hashBcrypt, MAX_BCRYPT_COST } from './bcrypt.js';
import type { KnownFormat } from './format.js';

export interface NewHashes {
  readonly format: KnownFormat;
  hash(password: string): Promise<string>;
  /** Returns true when a hash has a lower cost in any respect. */
  isCheaper(hash: string): boolean;
  /** A hash that no password matches, at the same cost. */
  decoy(): string;
}

/** The algorithm and cost of new hashes. A cost can be raised above the default, not lowered. */
export interface NewHashesOptions {
  /**
   * The algorithm of new hashes. `'bcrypt'` is for a table that another application reads, if it only knows `$2y$`.
   * Default `'argon2id'`, the first choice of OWASP's password storage cheat sheet.
   */
  readonly algorithm?: 'argon2id' | 'bcrypt';
  /**
   * The memory of argon2id, in KiB. Default 19,456 (19 MiB), the minimum of OWASP's password storage cheat sheet; at
   * most 262,144.
   */
  readonly memoryCost?: number;
  /** The passes of argon2id over the memory. Default 2, OWASP's number for 19 MiB; at most 16. */
  readonly timeCost?: number;
  /** The lanes of argon2id. Default 1, because several logins are computed at the same time; at most 16. */
  readonly parallelism?: number;
  /** The rounds of bcrypt, as a power of two. Default 12, as in Laravel; at most 15. */
  readonly bcryptCost?: number;
}

const costOf = (name: keyof Argon2Cost) =>
  wholeNumber({ least: DEFAULT_ARGON2_COST[name], most: MAX_ARGON2_COST[name], fallback: DEFAULT_ARGON2_COST[name] });

export const NEW_HASHES_OPTIONS = {
  algorithm: oneOf(['argon2id', 'bcrypt'] as const),
  memoryCost: costOf('memoryCost'),
  timeCost: costOf('timeCost'),
  parallelism: costOf('parallelism'),
  bcryptCost: wholeNumber({ least: DEFAULT_BCRYPT_COST, most: MAX_BCRYPT_COST, fallback: DEFAULT_BCRYPT_COST }),
} satisfies OptionParsers<NewHashesOptions>;

/** The options without meaning for an algorithm. */
export const COSTS_OF_OTHERS = { argon2id: ['bcryptCost'], bcrypt: COST_NAMES } as const;

export function createNewHashes({ algorithm, bcryptCost, ...cost }: Required<NewHashesOptions>): NewHashes {
  if (algorithm === 'bcrypt') {
    return {
      format: bcrypt,
      hash: (password) => hashBcrypt(password, bcryptCost),
      isCheaper: (hash) => (costOfBcrypt(hash) ?? 0) < bcryptCost,
      decoy: () => decoyBcrypt(bcryptCost),
    };
  }
  return {
    format: argon2id,
    hash: (password) => hashArgon2id(password, cost),
    isCheaper(hash) {
      const stored = costOfArgon2('id', hash);
      return stored === undefined || COST_NAMES.some((name) => stored[name] < cost[name]);
    },
    decoy: () => decoyArgon2id(cost),
  };
}

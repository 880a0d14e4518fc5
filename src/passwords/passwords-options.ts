import { availableParallelism } from 'node:os';
import { isFilledString } from '../base/check-options.js';
import { type OptionParsers, parseOptions, wholeNumber } from '../base/parse-options.js';
import { argon2i, argon2id } from './argon2.js';
import { bcrypt } from './bcrypt.js';
import type { KnownFormat, PasswordFormat } from './format.js';
import { parseFormats } from './host-format.js';
import { COSTS_OF_OTHERS, createNewHashes, NEW_HASHES_OPTIONS, type NewHashesOptions } from './new-hashes.js';

export interface PasswordsOptions extends NewHashesOptions {
  /**
   * Formats of stored hashes beside argon2id, argon2i and bcrypt. Their `verify` must limit the cost that it computes,
   * because a stored hash decides about its cost. Default: none.
   */
  readonly formats?: readonly PasswordFormat[];
  /**
   * Hashes that a login compares with when the email is unknown, so that its time says nothing. For a table with
   * several formats, give samples in the proportion of the table. Default: one hash at the cost of new hashes.
   */
  readonly decoyHashes?: readonly string[];
  /**
   * The most hashes that this process computes at the same time. Default: half of libuv's threads, at least one, and at
   * most the number of cores. The other threads serve files, DNS and new connections.
   */
  readonly maxConcurrentHashes?: number;
}

const DECOYS =
  'createPasswords: decoyHashes must be a list of at least one stored hash, each of a format that is verified.';

const OPTIONS = {
  ...NEW_HASHES_OPTIONS,
  formats: (where, value = []) => parseFormats(where, value),
  decoyHashes(_where, value) {
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every(isFilledString)) return value;
    throw new TypeError(DECOYS);
  },
  maxConcurrentHashes: (where, value = defaultConcurrentHashes()) => wholeNumber({ least: 1 })(where, value),
} satisfies OptionParsers<PasswordsOptions>;

export interface ReadableHash {
  readonly format: KnownFormat;
  readonly hash: string;
}

export type PasswordsConfig = ReturnType<typeof parsePasswordsOptions>;

export function parsePasswordsOptions(options: PasswordsOptions) {
  const { formats, decoyHashes, maxConcurrentHashes, ...costs } = parseOptions('createPasswords', options, OPTIONS);
  const { algorithm } = costs;
  for (const name of COSTS_OF_OTHERS[algorithm]) {
    if (options[name] === undefined) continue;
    throw new TypeError(`createPasswords: ${name} is not a cost of ${algorithm}, the algorithm of new hashes.`);
  }
  const newHashes = createNewHashes(costs);
  const known = [argon2id, argon2i, bcrypt, ...formats];

  const read = (hash: string): ReadableHash | undefined => {
    const format = known.find((one) => one.identify(hash) && one.isComputable(hash));
    return format && { format, hash };
  };
  const [first, ...others] = (decoyHashes ?? [newHashes.decoy()]).map(read);
  if (first === undefined || !others.every((decoy) => decoy !== undefined)) throw new TypeError(DECOYS);
  const decoys = [first, ...others] as const;
  // A missing package fails at the start: each login computes a decoy or as much.
  for (const { format } of decoys) format.load?.();
  const kindOf = ({ format, hash }: ReadableHash) => `${format.name} ${format.costText(hash)}`;
  const decoyKinds = new Set(decoys.map(kindOf));
  const resemblesDecoy = (hash: ReadableHash) => decoyKinds.has(kindOf(hash));
  return { newHashes, decoys, resemblesDecoy, maxConcurrentHashes, read };
}

/** More computations than cores only wait for each other. */
export function defaultConcurrentHashes(): number {
  // libuv reads the digits at the start of this text. Without digits, it has one thread.
  const threads = Number.parseInt(process.env['UV_THREADPOOL_SIZE'] ?? '4', 10);
  return Math.max(1, Math.min(Math.floor(threads / 2) || 1, availableParallelism()));
}

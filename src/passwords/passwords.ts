import { callAsync } from '../call-async.js';
import { checkInteger, checkMethods, checkOptions, type OptionNames } from '../options.js';
import { isThenable } from '../within.js';
import { argon2i, argon2id } from './argon2.js';
import { bcrypt } from './bcrypt.js';
import type { KnownFormat, PasswordFormat } from './format.js';
import { createNewHashes, type NewHashesOptions } from './new-hashes.js';
import { defaultPermits, MAX_WAIT_MS, processPermits, processPlaces } from './permits.js';

/** How one comparison is made. */
export interface VerifyOptions {
  /** Which decoy stands in for a hash that there is not: any whole number. Default 0. */
  readonly decoy?: number;
  /** Gives the comparison up while it waits for a permit, since the caller is gone. */
  readonly signal?: AbortSignal;
}

/** Hashes new passwords and checks given ones, a bounded number at a time, off the event loop. */
export interface Passwords {
  /**
   * A hash of `password`, with a salt of its own, for the host's registration and password change.
   * @throws RangeError with `algorithm: 'bcrypt'`, for a password of which bcrypt would read a part
   */
  hash(password: string): Promise<string>;
  /**
   * Whether `password` is the one that `hash` was made of. It costs one hash computation whatever `hash` is: for `null`
   * (no such account, or none with a password) and for a hash that is empty, truncated, of an unknown format or above
   * the cost that is computed, a decoy is compared with instead, and the result is `false`.
   * @throws AuthError `too_busy` after 5 s without a permit
   */
  verify(password: string, hash: string | null, options?: VerifyOptions): Promise<boolean>;
  /** Whether `hash` should be replaced by a new one after a good login: another algorithm, or a lower cost. */
  needsRehash(hash: string): boolean;
  /**
   * The hash that should replace `hash`, of which `password` was a match; `undefined` when `hash` is as good, when the
   * match does not prove all of `password`, or when other computations wait.
   */
  upgrade(password: string, hash: string): Promise<string | undefined>;
  /** Takes a place for a login. @returns what gives it back; `undefined` when all are taken */
  enter(): (() => void) | undefined;
}

export interface PasswordsOptions extends NewHashesOptions {
  /** Formats of the host's own, beside argon2id, argon2i and bcrypt. Bound the cost of what `verify` computes. */
  readonly formats?: readonly PasswordFormat[];
  /**
   * Hashes that stand in for the one of an unknown email: samples of what the table holds, in the proportion in which it
   * holds them, so that the time of an answer tells nothing. Default: one at the cost of new hashes.
   */
  readonly decoyHashes?: readonly string[];
  /**
   * How many hashes are computed at a time, counted over the whole process. Default: half of libuv's threads, at least
   * one, at most the number of cores, so that files, DNS and new connections keep their threads.
   */
  readonly permits?: number;
  /** How many logins can be in progress in the process before more are answered 503. Default 200 and the permits. */
  readonly places?: number;
}

const OPTIONS: OptionNames<PasswordsOptions> = {
  algorithm: true,
  memoryCost: true,
  timeCost: true,
  parallelism: true,
  bcryptCost: true,
  formats: true,
  decoyHashes: true,
  permits: true,
  places: true,
};

/** A hash that can be compared with, and by what. */
interface Readable {
  readonly format: KnownFormat;
  readonly hash: string;
}

/** What is verified wherever it is stored. */
const KNOWN_FORMATS: readonly KnownFormat[] = [argon2id, argon2i, bcrypt];

/** Whether a hash can be compared with. By the method, so that nothing is said of a `verify` that a host puts in its place. */
const usableHashes = new WeakMap<Passwords['verify'], (hash: string) => boolean>();

/**
 * Makes the hasher: argon2id (RFC 9106) or bcrypt for new hashes, and every format in use for stored ones.
 * @throws TypeError for an unknown option, a cost out of range, a malformed format, or a decoy that cannot be computed
 */
export function createPasswords(options: PasswordsOptions = {}): Passwords {
  checkOptions('createPasswords', options, OPTIONS);
  const newHashes = createNewHashes(options);
  const formats = [...KNOWN_FORMATS, ...(options.formats ?? []).map(toKnownFormat)];
  const { permits = defaultPermits(), places = 200 + permits, decoyHashes = [newHashes.decoy()] } = options;
  checkInteger('createPasswords: permits', permits, 1);
  checkInteger('createPasswords: places', places, 1);

  const read = (hash: string): Readable | undefined => {
    const format = formats.find((known) => known.recognises(hash) && known.isComputable(hash));
    return format && { format, hash };
  };
  const decoys = decoyHashes.map(read).filter((decoy) => decoy !== undefined);
  const [firstDecoy] = decoys;
  if (firstDecoy === undefined || decoys.length !== decoyHashes.length) {
    throw new TypeError('createPasswords: decoyHashes must hold at least one hash, each of a format that is verified.');
  }

  const isAsGood = ({ format, hash }: Readable) => format === newHashes.format && !newHashes.isCheaper(hash);

  const passwords: Passwords = {
    hash: (password) => processPermits.run(permits, () => newHashes.hash(password)),

    async verify(password, hash, { decoy = 0, signal } = {}) {
      const stored = hash === null ? undefined : read(hash);
      const compared = stored ?? decoys[decoy % decoys.length] ?? firstDecoy;
      const compute = async (): Promise<unknown> => compared.format.verify(password, compared.hash);
      const matches = await processPermits.run(permits, compute, { maxWaitMs: MAX_WAIT_MS, ...(signal && { signal }) });
      return stored !== undefined && matches === true;
    },

    needsRehash(hash) {
      const stored = read(hash);
      return stored === undefined || !isAsGood(stored);
    },

    async upgrade(password, hash) {
      const stored = read(hash);
      if (stored === undefined || isAsGood(stored)) return undefined;
      const isProven = stored.format.readsWhole(password) && newHashes.format.readsWhole(password);
      return isProven ? processPermits.tryRun(permits, () => newHashes.hash(password)) : undefined;
    },

    enter: () => processPlaces.enter(places),
  };
  // eslint-disable-next-line @typescript-eslint/unbound-method -- a key, not called
  usableHashes.set(passwords.verify, (hash) => read(hash) !== undefined);
  return passwords;
}

/**
 * Whether `hash` can be compared with: whole, of a format that is verified, and of a cost that is computed. Of a hasher of
 * the host's own, all are taken for that.
 */
export function isUsableHash(passwords: Pick<Passwords, 'verify'>, hash: string): boolean {
  return usableHashes.get(passwords.verify)?.(hash) ?? true;
}

function toKnownFormat(format: PasswordFormat): KnownFormat {
  const hint = 'A format is { name, recognises(hash), verify(password, hash) }.';
  checkMethods('createPasswords: a format', format, ['recognises', 'verify'], hint);
  if (answersWithPromise(() => format.recognises(''))) {
    throw new TypeError(`createPasswords: recognises of the format ${format.name} must not be async.`);
  }
  return {
    name: format.name,
    recognises: (hash) => format.recognises(hash),
    verify: (password, hash) => format.verify(password, hash),
    isComputable: () => true,
    readsWhole: () => true,
  };
}

/** Whether a function of the host's is async, so that its answer would be taken for true. */
function answersWithPromise(call: () => unknown): boolean {
  try {
    const answer = call();
    if (!isThenable(answer)) return false;
    callAsync(() => answer).catch(() => undefined); // a rejection that nobody takes would end the process
    return true;
  } catch {
    return false; // it throws at the login, too, and is told there
  }
}

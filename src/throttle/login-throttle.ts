import { Backend } from './backend.js';
import { type Counter, createCounter, type Tally } from './counter.js';
import type { ThrottleCheck, ThrottleKeys } from './throttle-check.js';
import {
  type FailureLimit,
  KNOWN_SOURCE_SECONDS,
  type LoginThrottleOptions,
  parseThrottleOptions,
  type ThrottleConfig,
} from './throttle-options.js';

interface KeyedCounter {
  readonly counter: Counter;
  readonly key: string;
}

interface LoginCounters {
  /** These limits apply to every login, because no exemption lifts them. */
  readonly strict: readonly KeyedCounter[];
  /** Known sources are exempt from this counter if the password is right. */
  readonly exempting: KeyedCounter;
}

/** The limit of a peer when the source is undetermined. It is high, because the peer can be a proxy of many callers. */
export const PEER_LIMIT: FailureLimit = { failures: 1_000, seconds: 900 };

const NOT_FORGIVEN =
  'The failed logins are not forgiven, because the backend of the login throttle failed. Try again when it answers.';

/** Counts failed logins, and refuses logins after too many. `createLoginThrottle` makes it. */
export class LoginThrottle {
  readonly #pairs: Counter;
  readonly #sources: Counter;
  readonly #emails: Counter;
  readonly #peers: Counter;
  readonly #known: Counter;
  readonly #guesses: Counter;
  readonly #backend = new Backend();

  /** @internal True when several processes share the counters. */
  readonly isShared: boolean;

  /**
   * True while failed logins are counted in the memory of this process: without a limiter, and during its outage. An
   * outage ends when each kind of call that failed succeeds again, which can be the next failed login.
   */
  get isCountingInMemory(): boolean {
    return !this.isShared || this.#backend.isOut;
  }

  /** @internal */
  constructor({ emailAndSource, source, email, limiter }: ThrottleConfig) {
    const counter = (name: string, limit: FailureLimit) => createCounter(name, limit, limiter, this.#backend);
    this.isShared = limiter !== undefined;
    this.#pairs = counter('emailAndSource', emailAndSource);
    this.#sources = counter('source', source);
    this.#emails = counter('email', email);
    this.#peers = counter('peer', PEER_LIMIT);
    this.#known = counter('knownSource', { failures: 1, seconds: KNOWN_SOURCE_SECONDS });
    this.#guesses = counter('guess', emailAndSource);
  }

  /**
   * @internal
   * @param guess the digest of the whole guess, to check its repetitions too
   */
  async check(keys: ThrottleKeys, guess?: string): Promise<ThrottleCheck> {
    const { strict, exempting } = this.#countersOf(keys);
    const [known, own, forExempting, ...forStrict] = await Promise.all([
      this.#known.read(knownKey(keys.emailAndAddressKey)),
      this.#readGuess(guess),
      read(exempting),
      ...strict.map(read),
    ]);
    const strictSeconds = longest([own, ...forStrict]);
    const seconds = Math.max(strictSeconds, forExempting.seconds);
    const isSourceLimit = keys.isSourceDetermined && (forStrict[0]?.seconds ?? 0) > 0;
    const check = { seconds, isKnown: known.failures > 0, isRepeated: own.failures > 0, isSourceLimit };
    if (!check.isKnown || seconds === 0 || strictSeconds > 0) return check;

    const ownExempted = await this.#readGuess(guess && exemptedKey(guess));
    check.isRepeated ||= ownExempted.failures > 0;
    // The other wrong passwords count too, because good logins could otherwise make room for further guesses.
    const forExempted = strict.map(exempted).map(({ counter, key }, index) => {
      return counter.read(key, forStrict[index]?.failures);
    });
    const isExempt = longest([ownExempted, ...(await Promise.all(forExempted))]) === 0;
    return isExempt ? { ...check, seconds: 0, secondsIfWrong: seconds } : check;
  }

  /**
   * @internal Counts wrong credentials. A repetition of a guess counts only for that guess, so that a server with an old
   *   password does not lock out the new one.
   * @param guess the digest of identifier, password and source
   * @param secondsIfWrong of the check on arrival
   */
  async fail(
    keys: ThrottleKeys,
    guess: string,
    secondsIfWrong?: number,
  ): Promise<Pick<ThrottleCheck, 'isRepeated' | 'seconds'>> {
    const { strict, exempting } = this.#countersOf(keys);
    const isExempt = secondsIfWrong !== undefined;
    // First, and by an atomic increment, so that only one of many identical guesses is the first.
    const own = await this.#guesses.fail(isExempt ? exemptedKey(guess) : guess);
    const isRepeated = own.failures > 1;
    const count = isRepeated ? read : ({ counter, key }: KeyedCounter) => counter.fail(key);
    const counters = isExempt ? strict.map(exempted) : [exempting, ...strict];
    const tallies = await Promise.all(counters.map(count));
    return { isRepeated, seconds: secondsIfWrong ?? longest([own, ...tallies]) };
  }

  /**
   * @internal Clears the failures of this identifier from this source, and records the pair as known. Nothing waits for
   *   it.
   */
  succeed({ email, emailAndAddressKey }: ThrottleKeys): void {
    for (const key of [emailAndAddressKey, exemptedKey(emailAndAddressKey)]) void this.#pairs.clear(key);
    void this.#known.set(knownKey(emailAndAddressKey), email);
  }

  /**
   * @internal Clears the failures of this identifier and, with `emailAndSource`, those from that source.
   * @throws Error when the backend fails
   */
  async forgive(email: string, emailAndSource: string | undefined): Promise<void> {
    try {
      for (const key of [email, exemptedKey(email)]) await this.#emails.forgive(key);
      if (emailAndSource === undefined) return;
      for (const key of [emailAndSource, exemptedKey(emailAndSource)]) await this.#pairs.forgive(key);
    } catch (cause) {
      throw new Error(NOT_FORGIVEN, { cause });
    }
  }

  #readGuess(guess: string | undefined): Promise<Tally> | Tally {
    return guess === undefined ? { failures: 0, seconds: 0 } : this.#guesses.read(guess);
  }

  #countersOf({ email, addressKey, emailAndAddressKey, isSourceDetermined }: ThrottleKeys): LoginCounters {
    if (isSourceDetermined) {
      return {
        strict: [
          { counter: this.#sources, key: addressKey },
          { counter: this.#pairs, key: emailAndAddressKey },
        ],
        exempting: { counter: this.#emails, key: email },
      };
    }
    return {
      strict: [{ counter: this.#emails, key: email }],
      exempting: { counter: this.#peers, key: addressKey },
    };
  }
}

/**
 * Makes the throttle of failed logins, with rate-limiter-flexible. Only wrong credentials count.
 * @throws TypeError for an unknown option, or a limit that is not a whole number
 */
export function createLoginThrottle(options: LoginThrottleOptions = {}): LoginThrottle {
  return new LoginThrottle(parseThrottleOptions(options));
}

function read({ counter, key }: KeyedCounter): Promise<Tally> {
  return counter.read(key);
}

function exempted({ counter, key }: KeyedCounter): KeyedCounter {
  return { counter, key: exemptedKey(key) };
}

function longest(tallies: readonly Tally[]): number {
  return Math.max(...tallies.map(({ seconds }) => seconds));
}

/**
 * Returns the key for the wrong passwords of exempt logins. Only exempt logins are checked against it, so that answers to
 * other logins do not show that a source was known.
 */
function exemptedKey(key: string): string {
  return `${key}:exempted`;
}

/** Returns a key that differs from the pair's key, even for a limiter that ignores the prefix. */
function knownKey(emailAndAddressKey: string): string {
  return `${emailAndAddressKey}:known`;
}

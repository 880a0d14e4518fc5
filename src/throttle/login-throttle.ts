import { checkMethods } from '../options/check-options.js';
import { Backend } from './backend.js';
import { Counter, type SharedLimiter } from './counter.js';
import { BoundedMemoryLimiter, createRejectingInsurance } from './memory-limiter.js';
import {
  type FailureLimit,
  KNOWN_SOURCE_SECONDS,
  type LoginThrottleOptions,
  parseThrottleOptions,
  type ThrottleConfig,
} from './throttle-options.js';

/** The keys of one login: keyed digests of realm, identifier and address. */
export interface ThrottleKeys {
  readonly email: string;
  /** The digest of the source, or of the peer's address when the source is undetermined. */
  readonly addressKey: string;
  readonly emailAndAddressKey: string;
  readonly isSourceDetermined: boolean;
}

export interface ThrottleCheck {
  /** The seconds that this login has to wait; 0 when it may go on. */
  readonly seconds: number;
  /** True when this identifier has logged in from this address within 14 days. */
  readonly isKnown: boolean;
  /**
   * The seconds to wait if the password is wrong. Present when the login is beyond a limit, and goes on because its
   * source is known.
   */
  readonly secondsIfWrong?: number;
}

interface KeyedCounter {
  readonly counter: Counter;
  readonly key: string;
}

interface LoginCounters {
  /** These limits apply to every login, because no exemption lifts them. */
  readonly strict: readonly KeyedCounter[];
  /** Known sources are exempt from this counter if the password is right. */
  readonly exempting: KeyedCounter;
  /**
   * Counts the wrong passwords of exempt logins. Only exempt logins are checked against it, so that answers to other
   * logins do not show that a source was known.
   */
  readonly exempted: KeyedCounter;
}

/**
 * The limit of a peer when the source is undetermined, which is high, because the peer can be a proxy of many callers.
 */
const PEER_LIMIT: FailureLimit = { failures: 1_000, seconds: 900 };

const NOT_FORGIVEN =
  'The failed logins are not forgiven, because the backend of the login throttle failed. Try again when it answers.';

/** Counts failed logins, and refuses logins after too many. `createLoginThrottle` makes it. */
export class LoginThrottle {
  readonly #pairs: Counter;
  readonly #sources: Counter;
  readonly #emails: Counter;
  readonly #peers: Counter;
  readonly #known: Counter;

  /** @internal True when several processes share the counters. */
  readonly isShared: boolean;

  /** @internal */
  constructor({ emailAndSource, source, email, limiter }: ThrottleConfig) {
    const backend = new Backend();
    const counter = (name: string, limit: FailureLimit) => createCounter(name, limit, limiter, backend);
    this.isShared = limiter !== undefined;
    this.#pairs = counter('emailAndSource', emailAndSource);
    this.#sources = counter('source', source);
    this.#emails = counter('email', email);
    this.#peers = counter('peer', PEER_LIMIT);
    this.#known = counter('knownSource', { failures: 1, seconds: KNOWN_SOURCE_SECONDS });
  }

  /** @internal */
  async check(keys: ThrottleKeys): Promise<ThrottleCheck> {
    const { strict, exempting, exempted } = this.#countersOf(keys);
    const [isKnown, forExempting, ...forStrict] = await Promise.all([
      this.#known.has(knownKey(keys.emailAndAddressKey)),
      secondsToWait(exempting),
      ...strict.map(secondsToWait),
    ]);
    const seconds = Math.max(forExempting, ...forStrict);
    const isExempt = isKnown && seconds > 0 && Math.max(...forStrict) === 0 && (await secondsToWait(exempted)) === 0;
    return isExempt ? { seconds: 0, isKnown, secondsIfWrong: seconds } : { seconds, isKnown };
  }

  /**
   * @internal Counts wrong credentials. Resolves to the seconds to wait when they are beyond a limit, else to 0.
   * @param secondsIfWrong of the check on arrival
   */
  async fail(keys: ThrottleKeys, secondsIfWrong?: number): Promise<number> {
    const { strict, exempting, exempted } = this.#countersOf(keys);
    if (secondsIfWrong !== undefined) {
      await exempted.counter.fail(exempted.key);
      return secondsIfWrong;
    }
    return Math.max(...(await Promise.all([exempting, ...strict].map(({ counter, key }) => counter.fail(key)))));
  }

  /**
   * @internal Clears the failures of this identifier from this source, and records the pair as known. Nothing waits for
   *   it.
   */
  succeed({ email, emailAndAddressKey }: ThrottleKeys, secondsIfWrong?: number): void {
    void this.#pairs.clear(emailAndAddressKey);
    if (secondsIfWrong !== undefined) void this.#pairs.clear(exemptedKey(emailAndAddressKey));
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

  #countersOf({ email, addressKey, emailAndAddressKey, isSourceDetermined }: ThrottleKeys): LoginCounters {
    const [emails, pairs] = [this.#emails, this.#pairs];
    if (isSourceDetermined) {
      return {
        strict: [
          { counter: this.#sources, key: addressKey },
          { counter: pairs, key: emailAndAddressKey },
        ],
        exempting: { counter: emails, key: email },
        exempted: { counter: pairs, key: exemptedKey(emailAndAddressKey) },
      };
    }
    return {
      strict: [{ counter: emails, key: email }],
      exempting: { counter: this.#peers, key: addressKey },
      exempted: { counter: emails, key: exemptedKey(email) },
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

function createCounter(
  name: string,
  limit: FailureLimit,
  createLimiter: LoginThrottleOptions['limiter'],
  backend: Backend,
): Counter {
  const options = { keyPrefix: `express-merchant-auth:${name}`, points: limit.failures, duration: limit.seconds };
  const memory = new BoundedMemoryLimiter(options);
  let shared: SharedLimiter | undefined;
  if (createLimiter !== undefined) {
    const limiter = createLimiter({ ...options, insuranceLimiter: createRejectingInsurance(options) });
    checkMethods(
      'createLoginThrottle: the result of limiter',
      limiter,
      ['get', 'penalty', 'set', 'delete'],
      'Return a limiter, not a promise of one: (options) => new RateLimiterRedis({ ...options, storeClient }).',
    );
    shared = { limiter, backend };
  }
  return new Counter(limit, memory, shared);
}

function secondsToWait({ counter, key }: KeyedCounter): Promise<number> {
  return counter.secondsToWait(key);
}

function exemptedKey(key: string): string {
  return `${key}:exempted`;
}

/** Returns a key that differs from the pair's key, even for a limiter that ignores the prefix. */
function knownKey(emailAndAddressKey: string): string {
  return `${emailAndAddressKey}:known`;
}

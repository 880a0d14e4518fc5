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

/** The result of the throttle's check. */
export interface ThrottleCheck {
  /** The seconds that this login has to wait; 0 when it may go on. */
  readonly seconds: number;
  /** True when this identifier has logged in from this address within 14 days. */
  readonly isKnown: boolean;
}

/** The limit of a peer when the source is undetermined. It is high, because the peer can be a proxy of many callers. */
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
  check(keys: ThrottleKeys): Promise<ThrottleCheck> {
    return this.#decide(keys, (counter, key) => counter.secondsToWait(key));
  }

  /** @internal Counts wrong credentials. Resolves to the seconds to wait when they are beyond a limit, else to 0. */
  async fail(keys: ThrottleKeys): Promise<number> {
    const { seconds } = await this.#decide(keys, (counter, key) => counter.fail(key));
    return seconds;
  }

  /**
   * @internal Clears the failures of this identifier from this source, and records the pair as known. Nothing waits for
   *   it.
   */
  succeed({ email, emailAndAddressKey }: ThrottleKeys): void {
    void this.#pairs.clear(emailAndAddressKey);
    void this.#known.set(knownKey(emailAndAddressKey), email);
  }

  /**
   * @internal Clears the failures of this identifier. With `emailAndSource`, it also clears those from that source.
   * @throws Error when the backend fails
   */
  async forgive(email: string, emailAndSource: string | undefined): Promise<void> {
    try {
      await this.#emails.forgive(email);
      if (emailAndSource !== undefined) await this.#pairs.forgive(emailAndSource);
    } catch (cause) {
      throw new Error(NOT_FORGIVEN, { cause });
    }
  }

  async #decide(
    { email, addressKey, emailAndAddressKey, isSourceDetermined }: ThrottleKeys,
    ask: (counter: Counter, key: string) => Promise<number>,
  ): Promise<ThrottleCheck> {
    const [isKnown, forEmail, forAddress, forPair] = await Promise.all([
      this.#known.has(knownKey(emailAndAddressKey)),
      ask(this.#emails, email),
      ask(isSourceDetermined ? this.#sources : this.#peers, addressKey),
      isSourceDetermined ? ask(this.#pairs, emailAndAddressKey) : 0,
    ]);
    // A known source is exempt from the limit of the email. With an undetermined source, a known pair is exempt from
    // the limit of the peer.
    const seconds = isSourceDetermined
      ? Math.max(forPair, forAddress, isKnown ? 0 : forEmail)
      : Math.max(forEmail, isKnown ? 0 : forAddress);
    return { seconds, isKnown };
  }
}

/**
 * Makes the throttle of failed logins, with rate-limiter-flexible. It counts only wrong credentials.
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

/** Returns a key that differs from the pair's key, also for a limiter that ignores the prefix. */
function knownKey(emailAndAddressKey: string): string {
  return `${emailAndAddressKey}:known`;
}

import { BRAND } from '../base/another-copy.js';
import { Backend } from './backend.js';
import { type Counter, createCounter, type Tally } from './counter.js';
import type { ArrivalCheck, ThrottleCheck, ThrottleKeys } from './throttle-types.js';
import {
  type FailureLimit,
  KNOWN_SOURCE_SECONDS,
  type LoginThrottleOptions,
  parseThrottleOptions,
  type ThrottleConfig,
} from './throttle-options.js';

interface Limit {
  readonly counter: Counter;
  readonly key: string;
}

type LimitTally = Limit & Tally;

/** High: a peer whose callers are undetermined can be a proxy of many. */
export const PEER_LIMIT: FailureLimit = { failures: 1_000, seconds: 900 };

const NOT_FORGIVEN =
  'The failed logins are not forgiven, because the backend of the login throttle failed. Try again when it answers.';

/** Counts failed logins, and refuses logins after too many. `createLoginThrottle` makes it. */
export class LoginThrottle {
  /** @internal */
  static readonly [BRAND] = 'LoginThrottle';

  readonly #guess: Counter;
  readonly #emailAndSource: Counter;
  readonly #source: Counter;
  readonly #email: Counter;
  readonly #peer: Counter;
  readonly #knownSource: Counter;
  readonly #backend = new Backend();

  /** @internal */
  readonly isShared: boolean;

  /**
   * True while this process counts failed logins in its memory: without a limiter, and during an outage, until the
   * backend has counted a failed login again.
   */
  get isCountingInMemory(): boolean {
    return !this.isShared || this.#backend.isOut;
  }

  /** @internal */
  constructor({ emailAndSource, source, email, limiter }: ThrottleConfig) {
    const counter = (name: string, limit: FailureLimit) => createCounter(name, limit, limiter, this.#backend);
    this.isShared = limiter !== undefined;
    this.#guess = counter('guess', emailAndSource);
    this.#emailAndSource = counter('emailAndSource', emailAndSource);
    this.#source = counter('source', source);
    this.#email = counter('email', email);
    this.#peer = counter('peer', PEER_LIMIT);
    this.#knownSource = counter('knownSource', { failures: 1, seconds: KNOWN_SOURCE_SECONDS });
  }

  /** @internal Checks a login on arrival. */
  async check(keys: ThrottleKeys): Promise<ArrivalCheck> {
    const [known, guess, ...tallies] = await Promise.all([
      this.#knownSource.read(knownKey(keys)),
      this.#guess.read(keys.guess),
      ...this.#limitsOf(keys).map(readLimit),
    ]);
    const isKnown = known.failures > 0;
    const isRefused = guess.seconds > 0 || stopsAll(tallies, isKnown);
    const seconds = isRefused ? waitOf(tallies, guess) : 0;
    return { ...this.#refusal(tallies, seconds), isKnown, isRepeated: guess.failures > 0 };
  }

  /**
   * @internal Checks a right password again. The order must be that of `fail`: wrong guesses of the same burst count
   *   first, and both refusals take the same time.
   */
  async recheck(keys: ThrottleKeys, isKnown: boolean): Promise<ThrottleCheck> {
    const [firstLimit, ...otherLimits] = this.#limitsOf(keys);
    await this.#guess.read(keys.guess);
    const tallies = [await readLimit(firstLimit), ...(await Promise.all(otherLimits.map(readLimit)))];
    return this.#refusal(tallies, stopsAll(tallies, isKnown) ? longest(tallies) : 0);
  }

  /**
   * @internal Counts wrong credentials. A repeated guess counts for no limit: a server with an old password must not
   *   lock out the new one. A failure beyond the first limit counts for no other: one address must not lock an email.
   */
  async fail(keys: ThrottleKeys, isKnown: boolean): Promise<ThrottleCheck & Pick<ArrivalCheck, 'isRepeated'>> {
    const [firstLimit, ...otherLimits] = this.#limitsOf(keys);
    // Atomic: one of many identical guesses is the first.
    const guess = await this.#guess.fail(keys.guess);
    const isRepeated = guess.failures > 1;
    const first = await (isRepeated ? readLimit : countFailure)(firstLimit);
    const others = await Promise.all(otherLimits.map(isRepeated || first.seconds > 0 ? readLimit : countFailure));
    const tallies = [first, ...others];
    // The sender of a refused guess learned nothing, so the guess counts as new the next time.
    if (!isRepeated && stopsAll(tallies, isKnown)) void this.#guess.clear(keys.guess);
    return { ...this.#refusal(tallies, waitOf(tallies, guess)), isRepeated };
  }

  /**
   * @internal Beyond the limit of the source it clears nothing, because a guesser there would get new tries after each
   *   login. Nothing waits for it.
   */
  succeed(keys: ThrottleKeys, { isSourceLimit }: ThrottleCheck): void {
    if (!isSourceLimit) void this.#emailAndSource.clear(keys.emailAndSource);
    void this.#knownSource.mark(knownKey(keys), keys.email);
  }

  /** @internal @throws Error when the backend fails */
  async forgive(email: string, emailAndSource: string | undefined): Promise<void> {
    try {
      await this.#email.forgive(email);
      if (emailAndSource !== undefined) await this.#emailAndSource.forgive(emailAndSource);
    } catch (cause) {
      throw new Error(NOT_FORGIVEN, { cause });
    }
  }

  /** The first limit always stops the right password. A known source lifts the others. */
  #limitsOf({ email, source, emailAndSource, isSourceDetermined }: ThrottleKeys): [Limit, ...Limit[]] {
    if (!isSourceDetermined) {
      return [
        { counter: this.#email, key: email },
        { counter: this.#peer, key: source },
      ];
    }
    return [
      { counter: this.#emailAndSource, key: emailAndSource },
      { counter: this.#source, key: source },
      { counter: this.#email, key: email },
    ];
  }

  #refusal(tallies: readonly LimitTally[], seconds: number): ThrottleCheck {
    return { seconds, isSourceLimit: tallies.some((tally) => tally.counter === this.#source && tally.seconds > 0) };
  }
}

/**
 * Makes the throttle of failed logins, with rate-limiter-flexible. Only wrong credentials count.
 * @throws TypeError for an unknown option, or a limit that is not a whole number
 */
export function createLoginThrottle(options: LoginThrottleOptions = {}): LoginThrottle {
  return new LoginThrottle(parseThrottleOptions(options));
}

async function readLimit(limit: Limit): Promise<LimitTally> {
  return { ...limit, ...(await limit.counter.read(limit.key)) };
}

async function countFailure(limit: Limit): Promise<LimitTally> {
  return { ...limit, ...(await limit.counter.fail(limit.key)) };
}

/** Returns true when even the right password is refused. */
function stopsAll(tallies: readonly LimitTally[], isKnown: boolean): boolean {
  return tallies.some(({ seconds }, at) => seconds > 0 && (at === 0 || !isKnown));
}

function longest(tallies: readonly Tally[]): number {
  return Math.max(0, ...tallies.map(({ seconds }) => seconds));
}

/** Beside a limit, the wait of the guess would tell which password is repeated. */
function waitOf(tallies: readonly Tally[], guess: Tally): number {
  const seconds = longest(tallies);
  return seconds > 0 ? seconds : guess.seconds;
}

/** A limiter can ignore the prefix of a counter, so the key itself differs. */
function knownKey({ emailAndSource }: ThrottleKeys): string {
  return `${emailAndSource}:known`;
}

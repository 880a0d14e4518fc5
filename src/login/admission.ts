import { tooBusy } from '../errors/auth-error.js';
import { inNextPhase } from '../http/next-phase.js';
import { createMapKeys } from './keyed-digest.js';

/** The most logins inside, from the arrival of the body to the answer. One source gets at most half of them. */
export const MAX_INSIDE = 2_000;

/** The share of the queue that unknown sources may fill. */
const SHARE_OF_UNKNOWN = 3 / 4;

const REFUSALS_PER_TURN = 32;

/** A login that is to wait for its hash computation. */
export interface QueuedLogin {
  /** The identifier as it was sent, because two spellings can be two accounts. */
  readonly identifier: string;
  readonly password: string;
  /** The source, or the peer's address when the source is undetermined. */
  readonly address: string;
  /** True when this account has logged in from this address within 14 days, and always without a throttle. */
  readonly isKnown: boolean;
}

/**
 * Decides which logins may go on, and refuses the others with `tooBusy()`. A login comes inside before it costs
 * anything, and joins the queue before its account is looked up.
 */
export class Admission {
  readonly #maxWaiting: number;
  readonly #inside = new Counts();
  /** The logins of each group that waits: one identifier, one password and one source. */
  readonly #groups = new Counts();
  /** The groups of each source. */
  readonly #waiting = new Counts();
  readonly #refusals: (() => void)[] = [];
  readonly #keyOf = createMapKeys();

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Checks a login before its body is read, and does not count it yet, so that connections without a body occupy
   * nothing.
   * @throws `tooBusy()`
   */
  requireRoom(address: string): void {
    if (this.#inside.of(address) >= MAX_INSIDE - this.#inside.total) throw tooBusy();
  }

  /**
   * Checks a login again when its body has arrived, and counts it as inside.
   * @returns a function that ends it
   * @throws `tooBusy()`
   */
  enter(address: string): () => void {
    this.requireRoom(address);
    this.#inside.change(address, 1);
    return once(() => this.#inside.change(address, -1));
  }

  /**
   * Lets a login wait. Identical logins of a source wait as one, for example those of forty workers whose token expires.
   * Logins of other sources do not join them, because a caller could otherwise find a password that waits in a full
   * queue.
   * @returns a function that ends the wait
   * @throws `tooBusy()`
   */
  join({ identifier, password, address, isKnown }: QueuedLogin): () => void {
    const group = this.#keyOf(identifier, password, address);
    const free = this.#maxWaiting * (isKnown ? 1 : SHARE_OF_UNKNOWN) - this.#waiting.total;
    const isFirst = this.#groups.of(group) === 0;
    if (isFirst && this.#waiting.of(address) >= 2 * free) throw tooBusy();
    if (isFirst) this.#waiting.change(address, 1);
    this.#groups.change(group, 1);
    return once(() => {
      this.#groups.change(group, -1);
      if (this.#groups.of(group) === 0) this.#waiting.change(address, -1);
    });
  }

  /**
   * Waits until a refused login may be answered. One turn of the event loop answers only a few, so that a burst does
   * not delay other requests.
   */
  waitToRefuse(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#refusals.push(resolve) === 1) inNextPhase(this.#release);
    });
  }

  readonly #release = (): void => {
    for (const refuse of this.#refusals.splice(0, REFUSALS_PER_TURN)) refuse();
    if (this.#refusals.length > 0) inNextPhase(this.#release);
  };
}

/** Counts by key, without keys whose count is 0. */
class Counts {
  readonly #counts = new Map<string, number>();
  total = 0;

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  change(key: string, change: 1 | -1): void {
    this.total += change;
    const count = this.of(key) + change;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}

/** Returns a function whose second call does nothing. */
function once(call: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) call();
    isDone = true;
  };
}

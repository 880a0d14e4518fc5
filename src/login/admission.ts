import { tooBusy } from '../errors/auth-error.js';
import { inNextPhase } from '../http/next-phase.js';

/**
 * The rules of a gate, which counts the logins inside it, in total and for each address. Up to half of its limit, a
 * gate does not look at the address, so that one merchant may fill that half alone. In the second half, it keeps room
 * for others.
 */
export interface GateRules {
  /** The gate admits no login beyond this number. */
  readonly limit: number;
  /** In the second half, a login is refused if its address already has this share of the limit. */
  readonly shareOfAddress: number;
  /** The last share of the limit, which only known sources get. */
  readonly shareForKnown: number;
}

/**
 * Counts a login from the arrival of its body to its answer. Known sources have no share, because the throttle says
 * only after this gate which sources are known. This gate matters only
 * while the throttle's backend is slow.
 */
export const IN_PROGRESS: GateRules = { limit: 2_000, shareOfAddress: 1 / 2, shareForKnown: 0 };

/**
 * A group of identical logins has one place until its hash computation starts. The option `maxPendingLogins` is the
 * limit.
 */
export const PLACES: Omit<GateRules, 'limit'> = { shareOfAddress: 1 / 4, shareForKnown: 1 / 4 };

/** A login with a longer estimated wait for its hash computation gets no place. In milliseconds. */
export const MAX_ESTIMATED_WAIT_MS = 5_000;

const REFUSALS_PER_TURN = 32;

export interface Caller {
  /** The source, or the peer's address when the source is undetermined. */
  readonly address: string;
  /** True when this account has logged in from this address within 14 days, and always without a throttle. */
  readonly isKnown: boolean;
}

/**
 * Decides which logins may go on, and refuses the others with `tooBusy()`. A login passes the first gate before it costs
 * anything. The second gate has the places to wait for a hash computation.
 */
export class Admission {
  readonly #inProgress = new Gate(IN_PROGRESS);
  readonly #places: Gate;
  readonly #estimateWaitMs: (isKnown: boolean) => number;
  readonly #refusals: (() => void)[] = [];

  constructor(maxPendingLogins: number, estimateWaitMs: (isKnown: boolean) => number) {
    this.#places = new Gate({ ...PLACES, limit: maxPendingLogins });
    this.#estimateWaitMs = estimateWaitMs;
  }

  /**
   * Checks a login before its body is read, and does not count it yet, so that connections without a body occupy
   * nothing.
   * @param address called only in the second half, because determining the source takes time
   * @throws `tooBusy()`
   */
  admit(address: () => string): void {
    if (!this.#inProgress.isOpenTo(address)) throw tooBusy();
  }

  /**
   * Checks a login again when its body has arrived, and counts it as in progress.
   * @returns a function that ends it
   * @throws `tooBusy()`
   */
  begin(address: string): () => void {
    this.admit(() => address);
    return this.#inProgress.enter(address);
  }

  /**
   * Takes a place. While no login holds one, the wait is not estimated.
   * @returns a function that frees the place
   * @throws `tooBusy()`
   */
  takePlace({ address, isKnown }: Caller): () => void {
    const isIdle = this.#places.inside === 0;
    const isWaitShort = isIdle || this.#estimateWaitMs(isKnown) <= MAX_ESTIMATED_WAIT_MS;
    if (!isWaitShort || !this.#places.isOpenTo(() => address, isKnown)) throw tooBusy();
    return this.#places.enter(address);
  }

  /**
   * Waits until a refused login may be answered. One turn of the event loop answers only a few, so that a burst does
   * not delay other requests. Until then, a login in progress still counts as such.
   */
  waitToRefuse(): Promise<void> {
    return new Promise((resolve) => {
      this.#refusals.push(resolve);
      if (this.#refusals.length === 1) inNextPhase(this.#release);
    });
  }

  readonly #release = (): void => {
    for (const refuse of this.#refusals.splice(0, REFUSALS_PER_TURN)) refuse();
    if (this.#refusals.length > 0) inNextPhase(this.#release);
  };
}

class Gate {
  readonly #rules: GateRules;
  readonly #byAddress = new Map<string, number>();
  inside = 0;

  constructor(rules: GateRules) {
    this.#rules = rules;
  }

  isOpenTo(address: () => string, isKnown = false): boolean {
    const { limit, shareOfAddress, shareForKnown } = this.#rules;
    if (this.inside < limit / 2) return true;
    const end = isKnown ? limit : limit * (1 - shareForKnown);
    return this.inside < end && this.#insideFrom(address()) < limit * shareOfAddress;
  }

  /** Counts a login, and returns a function that ends the count. A second call of that function does nothing. */
  enter(address: string): () => void {
    this.inside += 1;
    this.#byAddress.set(address, this.#insideFrom(address) + 1);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.inside -= 1;
      const left = this.#insideFrom(address) - 1;
      if (left > 0) this.#byAddress.set(address, left);
      else this.#byAddress.delete(address);
    };
  }

  #insideFrom(address: string): number {
    return this.#byAddress.get(address) ?? 0;
  }
}

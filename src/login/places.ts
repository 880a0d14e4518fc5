import { AuthError } from '../errors/auth-error.js';

/** Refuses a login at once when its estimated wait is longer, in milliseconds. */
const MAX_ESTIMATED_WAIT_MS = 5_000;

/** The address that a login comes from. */
export interface Origin {
  /** The source, or the peer's address when the source is undetermined. */
  readonly address: string;
  /** True when the identifier has logged in from this address within 14 days. */
  readonly isKnown: boolean;
}

/**
 * Counts the places for logins that wait for a hash computation. The places are shared, so that neither one merchant's
 * loop nor a flood of strangers blocks the others.
 */
export class Places {
  readonly #max: number;
  readonly #estimateWaitMs: (isKnown: boolean) => number;
  readonly #takenBy = new Map<string, number>();
  #taken = 0;

  constructor(max: number, estimateWaitMs: (isKnown: boolean) => number) {
    this.#max = max;
    this.#estimateWaitMs = estimateWaitMs;
  }

  /**
   * Takes a place.
   * @returns a function that frees the place. A second call of it does nothing
   * @throws AuthError `too_busy` when there is no place for this login
   */
  take({ address, isKnown }: Origin): () => void {
    const takenBy = this.#takenBy.get(address) ?? 0;
    if (!this.#admits(takenBy, isKnown)) throw new AuthError('too_busy');
    this.#taken += 1;
    this.#takenBy.set(address, takenBy + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#taken -= 1;
      const left = (this.#takenBy.get(address) ?? 1) - 1;
      if (left > 0) this.#takenBy.set(address, left);
      else this.#takenBy.delete(address);
    };
  }

  #admits(takenBySource: number, isKnown: boolean): boolean {
    // An idle process admits every login.
    if (this.#taken === 0) return true;
    // No place is left, or the wait is too long.
    if (this.#taken >= this.#max || this.#estimateWaitMs(isKnown) > MAX_ESTIMATED_WAIT_MS) return false;
    // The first half is for every login.
    if (this.#taken < this.#max / 2) return true;
    // In the second half, an address with a quarter of the places gets no more. The last quarter is for known logins.
    const isLastQuarter = this.#taken >= (this.#max * 3) / 4;
    return takenBySource < this.#max / 4 && (isKnown || !isLastQuarter);
  }
}

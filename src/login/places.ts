import { AuthError } from '../errors/auth-error.js';

/** A login is refused at once when its wait would be longer, in milliseconds. */
const MAX_ESTIMATED_WAIT_MS = 5_000;

/** The origin of a login. */
export interface Origin {
  /** The source, or the peer's address when the source is undetermined. */
  readonly address: string;
  /** True when the identifier has logged in from there within 14 days. */
  readonly isKnown: boolean;
}

/**
 * The places for logins that wait for a hash slot. They are shared so that neither one merchant's loop nor a flood of
 * strangers shuts out the others.
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
   * @returns a function that gives it back, once
   * @throws AuthError `too_busy`
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
    if (this.#taken === 0) return true;
    if (this.#taken >= this.#max || this.#estimateWaitMs(isKnown) > MAX_ESTIMATED_WAIT_MS) return false;
    if (this.#taken < this.#max / 2) return true;
    const isLastQuarter = this.#taken >= (this.#max * 3) / 4;
    return takenBySource < this.#max / 4 && (isKnown || !isLastQuarter);
  }
}

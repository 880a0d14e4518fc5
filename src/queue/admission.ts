import { tooBusy } from '../errors/auth-error.js';
import { inNextPhase } from '../base/next-phase.js';

/** The most logins from the arrival of their body to the answer. One source gets at most half of them. */
export const MAX_INSIDE = 2_000;

const REFUSALS_PER_TURN = 32;

/** Throws `tooBusy()` for a login before it costs anything. */
export class Admission {
  #inside = 0;
  readonly #bySource = new Map<string, number>();
  readonly #refusals: (() => void)[] = [];

  /** Nothing is counted before the body is read, so connections without a body occupy nothing. */
  requireRoom(address: string): void {
    if ((this.#bySource.get(address) ?? 0) >= MAX_INSIDE - this.#inside) throw tooBusy();
  }

  /** Counts a login whose body has arrived, until the returned function is called, once. */
  enter(address: string): () => void {
    this.requireRoom(address);
    this.#count(address, 1);
    return () => this.#count(address, -1);
  }

  /** Refuses a few in each turn, so that a burst does not delay other requests. */
  waitToRefuse(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#refusals.push(resolve) === 1) inNextPhase(this.#release);
    });
  }

  readonly #release = (): void => {
    for (const refuse of this.#refusals.splice(0, REFUSALS_PER_TURN)) refuse();
    if (this.#refusals.length > 0) inNextPhase(this.#release);
  };

  #count(address: string, change: 1 | -1): void {
    const count = (this.#bySource.get(address) ?? 0) + change;
    this.#inside += change;
    if (count > 0) this.#bySource.set(address, count);
    else this.#bySource.delete(address);
  }
}

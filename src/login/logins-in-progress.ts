import { setImmediate } from 'node:timers';
import { AuthError } from '../errors/auth-error.js';

/** The number of refusals that are released in one turn of the event loop. */
const REFUSALS_PER_TURN = 32;

/**
 * Counts the logins in progress. It refuses logins beyond the limit before they cost anything, and releases the refusals a
 * few at a time, so that a burst delays neither guarded requests nor the logins that were admitted.
 */
export class LoginsInProgress {
  readonly #max: number;
  #total = 0;
  readonly #bySource = new Map<string, number>();
  #refused: (() => void)[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  /** @throws AuthError `too_busy` beyond the limit, or beyond half of it from one source */
  admit(address: string): void {
    const fromSource = this.#bySource.get(address) ?? 0;
    if (this.#total >= this.#max || fromSource >= this.#max / 2) throw new AuthError('too_busy');
  }

  /** Runs a login, and counts it while it runs. @throws AuthError `too_busy` as `admit` does */
  async run<Result>(address: string, login: () => Promise<Result>): Promise<Result> {
    this.admit(address);
    this.#total += 1;
    this.#bySource.set(address, (this.#bySource.get(address) ?? 0) + 1);
    try {
      return await login();
    } finally {
      this.#total -= 1;
      const left = (this.#bySource.get(address) ?? 1) - 1;
      if (left > 0) this.#bySource.set(address, left);
      else this.#bySource.delete(address);
    }
  }

  /** Resolves when it is the turn of a refusal to be answered. */
  turnToRefuse(): Promise<void> {
    return new Promise((resolve) => {
      this.#refused.push(resolve);
      if (this.#refused.length === 1) setImmediate(this.#release);
    });
  }

  readonly #release = (): void => {
    for (const resolve of this.#refused.splice(0, REFUSALS_PER_TURN)) resolve();
    if (this.#refused.length > 0) setImmediate(this.#release);
  };
}

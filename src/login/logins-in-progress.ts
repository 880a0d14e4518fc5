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

  /**
   * @param address called only when one source can have half of the limit, because it costs more than all else here
   * @throws AuthError `too_busy` beyond the limit, or beyond half of it from one source
   */
  async admit(address: () => string): Promise<void> {
    if (!this.#isOpenTo(address)) await this.#refuse(new AuthError('too_busy'));
  }

  /**
   * Runs a login, and counts it until it is answered: also while it waits for the turn of its refusal.
   * @throws AuthError `too_busy` as `admit` does
   */
  async run<Result>(address: string, login: () => Promise<Result>): Promise<Result> {
    if (!this.#isOpenTo(() => address)) return this.#refuse(new AuthError('too_busy'));
    this.#total += 1;
    this.#bySource.set(address, (this.#bySource.get(address) ?? 0) + 1);
    try {
      return await login();
    } catch (error) {
      if (error instanceof AuthError && error.code === 'too_busy') return await this.#refuse(error);
      throw error;
    } finally {
      this.#total -= 1;
      const left = (this.#bySource.get(address) ?? 1) - 1;
      if (left > 0) this.#bySource.set(address, left);
      else this.#bySource.delete(address);
    }
  }

  #isOpenTo(address: () => string): boolean {
    const half = this.#max / 2;
    if (this.#total < half) return true;
    return this.#total < this.#max && (this.#bySource.get(address()) ?? 0) < half;
  }

  /** Rejects when it is the turn of this refusal. */
  #refuse(error: AuthError): Promise<never> {
    return new Promise((_resolve, reject) => {
      this.#refused.push(() => reject(error));
      if (this.#refused.length === 1) setImmediate(this.#release);
    });
  }

  readonly #release = (): void => {
    for (const refuse of this.#refused.splice(0, REFUSALS_PER_TURN)) refuse();
    if (this.#refused.length > 0) setImmediate(this.#release);
  };
}

import { AuthError } from '../errors/auth-error.js';
import { inNextPhase } from '../http/next-phase.js';

/** Limits the refusals in one turn of the event loop. */
const REFUSALS_PER_TURN = 32;

/**
 * Counts the logins in progress, and refuses logins beyond the limit before they cost anything. It releases the
 * refusals a few at a time, so that a burst does not delay other requests.
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
   * Refuses a login beyond the limit.
   * @param address returns the caller's address. Called only when half of the limit is reached, because it is slow
   * @throws AuthError `too_busy` beyond the limit, or beyond half of it from one source
   */
  async admit(address: () => string): Promise<void> {
    if (!this.#isOpenTo(address)) await this.#refuse(new AuthError('too_busy'));
  }

  /**
   * Runs a login, and counts it until its answer. A refused login counts until its refusal is released.
   * @throws AuthError `too_busy` like `admit`
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

  /** Puts a refusal into the queue, and rejects when it is released. */
  #refuse(error: AuthError): Promise<never> {
    return new Promise((_resolve, reject) => {
      this.#refused.push(() => reject(error));
      if (this.#refused.length === 1) inNextPhase(this.#release);
    });
  }

  readonly #release = (): void => {
    for (const refuse of this.#refused.splice(0, REFUSALS_PER_TURN)) refuse();
    if (this.#refused.length > 0) inNextPhase(this.#release);
  };
}

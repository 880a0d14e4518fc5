import { AuthError } from '../errors/auth-error.js';

/** Counts the logins in progress, so that a burst cannot become a queue at the throttle's backend. */
export class LoginsInProgress {
  readonly #max: number;
  #total = 0;
  readonly #bySource = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Runs a login, and counts it while it runs.
   * @throws AuthError `too_busy` beyond the limit, or beyond half of it from one source
   */
  async run<Result>(source: string, login: () => Promise<Result>): Promise<Result> {
    const fromSource = this.#bySource.get(source) ?? 0;
    if (this.#total >= this.#max || fromSource >= this.#max / 2) throw new AuthError('too_busy');
    this.#total += 1;
    this.#bySource.set(source, fromSource + 1);
    try {
      return await login();
    } finally {
      this.#total -= 1;
      const left = (this.#bySource.get(source) ?? 1) - 1;
      if (left > 0) this.#bySource.set(source, left);
      else this.#bySource.delete(source);
    }
  }
}

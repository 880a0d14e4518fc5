import { AuthError } from '../errors/auth-error.js';

/** Counts logins that hold one of a limited number of places. */
export class Places {
  readonly #limit: number;
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Runs `step` in a place.
   * @throws AuthError `too_busy` when all places are taken; `step` does not run then
   */
  async run<Result>(step: () => Promise<Result>): Promise<Result> {
    if (this.#taken >= this.#limit) throw new AuthError('too_busy');
    this.#taken += 1;
    try {
      return await step();
    } finally {
      this.#taken -= 1;
    }
  }
}

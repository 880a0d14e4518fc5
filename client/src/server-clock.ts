/**
 * Tells the time of the server. A token's end is a time of the server, because the local clock can be wrong. The clocks
 * of processes that share a token can also differ.
 */
export interface ServerClock {
  /** Returns milliseconds since the epoch. */
  now(): number;
  /** Sets the clock by the `Date` header of an answer (RFC 9110 section 6.6.1). */
  learn(answer: Response): void;
}

/**
 * Makes the clock of one service. It tells the local time until an answer has a `Date`. Browsers hide that header of
 * another origin.
 */
export function createServerClock(): ServerClock {
  let offset = 0;
  return {
    now: () => Date.now() + offset,
    learn({ headers }) {
      const date = Date.parse(headers.get('Date') ?? '');
      if (!Number.isNaN(date)) offset = date - Date.now();
    },
  };
}

import { messageOf } from '../message-of.js';

/** The database is away, hangs, is full or read-only, or has no connection left. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';

  constructor(cause: unknown) {
    super(`The database is unavailable: ${messageOf(cause)}`, { cause });
  }
}

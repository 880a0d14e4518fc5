import { messageOf } from '../message-of.js';

/** Reports that the database is away, hangs, is full, is read-only or has no free connection. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';

  constructor(cause: unknown) {
    super(`The database is unavailable: ${messageOf(cause)}`, { cause });
  }
}

import { messageOf } from '../message-of.js';

/** The database could not be asked: it is away, it hangs, or every connection to it is taken. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';

  constructor(cause: unknown) {
    super(`The database cannot be asked: ${messageOf(cause)}`, { cause });
  }
}

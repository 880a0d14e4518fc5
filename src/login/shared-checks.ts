import type { Caller } from '../http/disconnect.js';
import type { HashToCompare, Passwords } from '../passwords/passwords.js';
import type { QueuedLogin } from './admission.js';
import { createMapKeys } from './keyed-digest.js';

/** A login that waits, whose account was looked up. */
export interface WaitingLogin extends QueuedLogin {
  readonly hash: HashToCompare;
  readonly caller: Caller;
  /** Ends the wait. */
  readonly leave: () => void;
}

interface Computation {
  readonly result: Promise<boolean>;
  /** The logins that wait for the start. `undefined` once the computation has started. */
  waiting: WaitingLogin[] | undefined;
}

/**
 * Computes once for identical logins in flight: one identifier byte for byte, one password, and one stored hash or
 * decoy. Two spellings of a known identifier can find two hashes, so those of an unknown one share nothing either. A login
 * from an unknown source joins only logins of this source, because a guess that joined another one would be answered
 * before its own place in the queue.
 */
export class SharedChecks {
  readonly #passwords: Passwords;
  readonly #computations = new Map<string, Computation>();
  readonly #keyOf = createMapKeys();

  constructor(passwords: Passwords) {
    this.#passwords = passwords;
  }

  /**
   * Resolves to true when the password matches.
   * @throws `tooBusy()`; the caller's `AbortError` when it has disconnected, and nobody else waits for the computation
   */
  async compare(login: WaitingLogin): Promise<boolean> {
    const { identifier, password, address, hash, isKnown, caller, leave } = login;
    caller.requirePresence();
    const facts = [identifier, password, isKnown ? '' : address, String(hash.isDecoy), hash.hash];
    const key = this.#keyOf(...facts);
    const computation = this.#computations.get(key) ?? this.#start(key, login);
    if (computation.waiting) computation.waiting.push(login);
    else leave();
    return computation.result.catch((error: unknown) => {
      caller.requirePresence();
      throw error;
    });
  }

  #start(key: string, { password, hash, isKnown, caller }: WaitingLogin): Computation {
    const forget = (): void => {
      if (this.#computations.get(key) === computation) this.#computations.delete(key);
    };
    const onStart = (): void => {
      const { waiting = [] } = computation;
      if (waiting.every((login) => login.caller.left)) {
        // Nobody may join it any more, and get the error of another caller.
        forget();
        caller.requirePresence();
      }
      for (const { leave } of waiting) leave();
      computation.waiting = undefined;
    };
    const result = this.#passwords.compare(password, hash, { isKnown, onStart });
    const computation: Computation = { result: result.finally(forget), waiting: [] };
    this.#computations.set(key, computation);
    return computation;
  }
}

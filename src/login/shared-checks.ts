import { randomBytes } from 'node:crypto';
import type { HashToCompare, Passwords } from '../passwords/passwords.js';
import type { Admission, Caller } from './admission.js';
import { digestUnder } from './keyed-digest.js';

/** A login that can share its password check with identical ones. */
export interface CheckedLogin {
  /**
   * The identifier as it was sent, never the folded one. Two spellings of a known identifier can find different hashes
   * and share nothing, so those of an unknown one must share nothing either, even with the same decoy.
   */
  readonly identifier: string;
  readonly password: string;
  readonly caller: Caller;
}

/**
 * Gives identical logins in flight one place and one hash computation. Forty workers of one merchant, for example, log
 * in together when their token expires.
 */
export class SharedChecks {
  readonly #passwords: Passwords;
  readonly #admission: Admission;
  readonly #logins = new Map<string, SharedLogin>();
  /** Has a random key, so that the keys of `#logins` are useless for guessing passwords anywhere else. */
  readonly #digest = digestUnder(randomBytes(32));

  constructor(passwords: Passwords, admission: Admission) {
    this.#passwords = passwords;
    this.#admission = admission;
  }

  /**
   * Joins the logins in flight with the same identifier and password, or starts a new shared login. Each member must
   * leave it.
   * @throws `tooBusy()` when a new shared login gets no place
   */
  join({ identifier, password, caller }: CheckedLogin): SharedLogin {
    const key = this.#digest(identifier, password).toString('base64');
    const shared = this.#logins.get(key) ?? this.#open(key, password, caller);
    shared.members += 1;
    return shared;
  }

  #open(key: string, password: string, caller: Caller): SharedLogin {
    const onEnd = () => {
      if (this.#logins.get(key) === shared) this.#logins.delete(key);
    };
    const shared = new SharedLogin({ passwords: this.#passwords, admission: this.#admission, password, caller, onEnd });
    this.#logins.set(key, shared);
    return shared;
  }
}

interface SharedLoginOptions {
  readonly passwords: Passwords;
  readonly password: string;
  readonly admission: Admission;
  readonly caller: Caller;
  /** Called when the computation ends, or when no member waits for it any more. */
  readonly onEnd: () => void;
}

/** Identical logins in flight, with one place. Each member still reads the store and is counted by the throttle. */
export class SharedLogin {
  readonly #options: SharedLoginOptions;
  readonly #freePlace: () => void;
  readonly #nobodyWaits = new AbortController();
  readonly #checks = new Map<string, Check>();
  members = 0;

  /** @throws `tooBusy()` when there is no place */
  constructor(options: SharedLoginOptions) {
    this.#options = options;
    this.#freePlace = options.admission.takePlace(options.caller);
  }

  /**
   * Resolves to true when the password matches. Members with the same hash, or the same decoy, share one computation.
   * @throws `tooBusy()`; the signal's reason when this member's caller disconnects before the computation
   *   starts
   */
  async compare(hash: HashToCompare, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const key = `${hash.isDecoy ? 'decoy' : 'stored'} ${hash.hash}`;
    return resultOf(this.#checks.get(key) ?? this.#compute(key, hash), signal);
  }

  /** Ends the shared login when its last member leaves. A computation that still waits for a slot is dropped. */
  leave(): void {
    this.members -= 1;
    if (this.members > 0) return;
    this.#nobodyWaits.abort();
    this.#freePlace();
    this.#options.onEnd();
  }

  #compute(key: string, hash: HashToCompare): Check {
    const { passwords, password, admission, caller, onEnd } = this.#options;
    // The shared login has one place. A computation with another hash needs a second one.
    const freePlace = this.#checks.size === 0 ? this.#freePlace : admission.takePlace(caller);
    const { signal } = this.#nobodyWaits;
    let hasStarted = false;
    const onStart = () => {
      hasStarted = true;
      freePlace();
    };
    const result = passwords.compare(password, hash, { isKnown: caller.isKnown, signal, onStart }).finally(() => {
      freePlace();
      onEnd();
    });
    // Prevents an unhandled rejection when all members are gone.
    result.catch(() => undefined);
    const check: Check = { result, hasStarted: () => hasStarted };
    this.#checks.set(key, check);
    return check;
  }
}

/** A computation that waits for a slot, runs or has ended. */
interface Check {
  readonly result: Promise<boolean>;
  readonly hasStarted: () => boolean;
}

/**
 * Waits for a computation, and rejects when the caller disconnects before it starts. A later disconnect changes
 * nothing, so that the throttle counts this guess.
 */
function resultOf({ result, hasStarted }: Check, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      if (!hasStarted()) reject(signal.reason as Error);
    };
    signal.addEventListener('abort', giveUp);
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

import { randomBytes } from 'node:crypto';
import type { ComparedHash, Passwords } from '../passwords/passwords.js';
import { digestUnder } from './keyed-digest.js';
import type { Origin, Places } from './places.js';

/** The login whose check a member joins. */
export interface CheckedLogin {
  /** The folded identifier. Also for unknown ones, so that sharing says nothing about a decoy. */
  readonly folded: string;
  readonly password: string;
  readonly origin: Origin;
}

/**
 * One place and one hash computation for identical logins in flight, because forty workers of one merchant log in together
 * when their token ends.
 */
export class SharedChecks {
  readonly #passwords: Passwords;
  readonly #places: Places;
  readonly #groups = new Map<string, Group>();
  /** Random, so that no other process and no log can match the key of a group with a password. */
  readonly #digest = digestUnder(randomBytes(32));

  constructor(passwords: Passwords, places: Places) {
    this.#passwords = passwords;
    this.#places = places;
  }

  /**
   * Joins the logins in flight with the same identifier and password.
   * @param run the rest of the login; it gets the group, which ends with its last member
   * @throws AuthError `too_busy` when there is no such login and no place
   */
  async join<Result>(login: CheckedLogin, run: (group: Group) => Promise<Result>): Promise<Result> {
    const { folded, password, origin } = login;
    const key = this.#digest(folded, password).toString('base64');
    const group = this.#groups.get(key) ?? this.#open(key, password, origin);
    group.members += 1;
    try {
      return await run(group);
    } finally {
      group.members -= 1;
      if (group.members === 0) group.close();
    }
  }

  #open(key: string, password: string, origin: Origin): Group {
    const onEnd = () => {
      if (this.#groups.get(key) === group) this.#groups.delete(key);
    };
    const group = new Group({ passwords: this.#passwords, places: this.#places, password, origin, onEnd });
    this.#groups.set(key, group);
    return group;
  }
}

interface GroupOptions {
  readonly passwords: Passwords;
  readonly password: string;
  readonly places: Places;
  readonly origin: Origin;
  /** Called when the computation ends, or when nobody waits for it any more. */
  readonly onEnd: () => void;
}

/** Identical logins in flight. Each member reads the store itself and is counted by the throttle itself. */
export class Group {
  readonly #options: GroupOptions;
  readonly #leave: () => void;
  readonly #nobodyWaits = new AbortController();
  readonly #checks = new Map<string, Check>();
  members = 0;

  /** @throws AuthError `too_busy` when there is no place */
  constructor(options: GroupOptions) {
    this.#options = options;
    this.#leave = options.places.take(options.origin);
  }

  /**
   * Resolves to true when the password matches. Members with the same hash, or the same decoy, share one computation.
   * @throws AuthError `too_busy`; the signal's reason when this member's caller disconnects before the computation starts
   */
  async compare(hash: ComparedHash, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const key = `${hash.isDecoy ? 'decoy' : 'stored'} ${hash.hash}`;
    return resultOf(this.#checks.get(key) ?? this.#compute(key, hash), signal);
  }

  /** Ends the wait for a slot when no member is left. */
  close(): void {
    this.#nobodyWaits.abort();
    this.#leave();
    this.#options.onEnd();
  }

  #compute(key: string, hash: ComparedHash): Check {
    const { passwords, password, places, origin, onEnd } = this.#options;
    // The group has one place. Another hash takes its own.
    const leave = this.#checks.size === 0 ? this.#leave : places.take(origin);
    const { signal } = this.#nobodyWaits;
    let isRunning = false;
    const onStart = () => {
      isRunning = true;
      leave();
    };
    const result = passwords.compare(password, hash, { isKnown: origin.isKnown, signal, onStart }).finally(() => {
      leave();
      onEnd();
    });
    // All members may be gone when it rejects.
    result.catch(() => undefined);
    const check: Check = { result, isRunning: () => isRunning };
    this.#checks.set(key, check);
    return check;
  }
}

/** A computation, with its wait for a slot. */
interface Check {
  readonly result: Promise<boolean>;
  readonly isRunning: () => boolean;
}

/** Rejects when the caller disconnects before the computation starts. After that, the guess of a caller who left counts. */
function resultOf({ result, isRunning }: Check, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      if (!isRunning()) reject(signal.reason as Error);
    };
    signal.addEventListener('abort', giveUp);
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

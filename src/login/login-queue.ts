import { tooBusy } from '../errors/auth-error.js';
import type { Caller } from '../http/disconnect.js';
import type { HashToCompare, Passwords } from '../passwords/passwords.js';
import { comparePlaces, type Line, Place, processSlots } from '../passwords/slots.js';
import type { ThrottleKeys } from '../throttle/throttle-check.js';
import { MAX_INSIDE } from './admission.js';

const UNKNOWN = 'all unknown sources';
/** The most logins of unknown sources, and of one of their places, because each of them reads an account. */
const MAX_UNKNOWN = MAX_INSIDE / 2;
const MAX_IDENTICAL = 50;

/** The place of identical logins of a source, which wait as one and share a computation. */
class LoginPlace extends Place {
  guess = '';
  callers = 0;
  /** The results by hash, because the stored one can change between two logins. Empty while the account is being read. */
  readonly results = new Map<string, Promise<boolean>>();
  /** The places of further hashes. */
  readonly others: Place[] = [];
}

/**
 * Lets logins wait for their hash computation, by fair queueing with longest queue drop. A login from a known source
 * stands in the lines of its account and of its source. Any other one stands in the lines of its source and of all
 * unknown sources, so that nobody gets more by multiplying accounts or addresses alone.
 */
export class LoginQueue {
  readonly #passwords: Passwords;
  readonly #maxWaiting: number;
  /** The places until their computation ends. A dropped one stays until its account has been read, and nobody joins it. */
  readonly #places = new Set<LoginPlace>();

  constructor(passwords: Passwords, maxWaiting: number) {
    this.#passwords = passwords;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Lets a login wait, until its caller disconnects or `leave` is called. In a full queue, the last login of the longest
   * line is refused. Other sources do not join an identical login, because a caller could otherwise find a password
   * that waits. Both this method and `compare` throw `tooBusy()`, or the `AbortError` of a caller that has disconnected.
   */
  join({ guess, email, address }: ThrottleKeys, isKnown: boolean, caller: Caller) {
    caller.requirePresence();
    let same: LoginPlace | undefined;
    let strangers = 0;
    for (const place of this.#places) {
      if (place.guess === guess && place.state !== 'dropped') same = place;
      if (place.lines[0].key === UNKNOWN) strangers += place.callers;
    }
    if (!isKnown && (strangers >= MAX_UNKNOWN || (same?.callers ?? 0) >= MAX_IDENTICAL)) throw tooBusy();
    const place = same ?? this.#open(guess, isKnown ? email : UNKNOWN, address);
    place.callers += 1;
    const disconnect = (): void => {
      if (caller.onLeave.delete(disconnect)) place.callers -= 1;
      if (place.callers === 0) this.#drop(place);
    };
    caller.onLeave.add(disconnect);
    return {
      leave: () => {
        disconnect();
        if (place.callers === 0) this.#remove(place);
      },
      compare: (password: string, hash: HashToCompare) =>
        this.#compare(place, password, hash).catch((error: unknown) => {
          caller.requirePresence();
          throw error;
        }),
    };
  }

  #lineOf(key: string): Line {
    for (const { lines } of this.#places) for (const line of lines) if (line.key === key) return line;
    return processSlots.newLine(key);
  }

  #open(guess: string, key: string, otherKey: string): LoginPlace {
    const place = new LoginPlace([this.#lineOf(key), this.#lineOf(otherKey)]);
    place.guess = guess;
    this.#places.add(place);
    for (const line of place.lines) line.length += 1;
    const waiting = [...this.#places].filter(({ state }) => state !== 'started');
    if (waiting.length <= this.#maxWaiting) return place;
    // A place whose account is being read stays, so that a flood cannot multiply the reads. Only shorter lines come in.
    const others = waiting.filter(({ results }) => results.size > 0);
    const last = others.reduce((one, next) => (comparePlaces('length', next, one) < 0 ? one : next), place);
    const isLonger = (line: Line) => place.lines.every(({ length }) => length < line.length);
    const isLast = comparePlaces('length', last, place) <= 0;
    if (!isLast) this.#drop(last);
    if (!isLast || waiting.some(({ lines }) => lines.some(isLonger))) return place;
    this.#remove(place);
    throw tooBusy();
  }

  async #compare(place: LoginPlace, password: string, hash: HashToCompare): Promise<boolean> {
    const key = `${hash.isDecoy} ${hash.hash}`;
    const known = place.results.get(key);
    if (known !== undefined) return known;
    const own = place.results.size === 0 ? place : new Place(place.lines);
    if (own !== place) place.others.push(own);
    if (place.state === 'dropped') processSlots.drop(own);
    const result = this.#passwords.compare(password, hash, own).finally(() => this.#remove(place));
    place.results.set(key, result);
    return result;
  }

  #drop(place: LoginPlace): void {
    for (const one of [place, ...place.others]) processSlots.drop(one);
    if (place.results.size > 0) this.#remove(place);
  }

  #remove(place: LoginPlace): void {
    if (this.#places.delete(place)) for (const line of place.lines) line.length -= 1;
  }
}

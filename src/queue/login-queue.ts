import { tooBusy } from '../errors/auth-error.js';
import type { Caller } from './disconnect.js';
import { comparePlaces, type Line, Place, processSlots } from './slots.js';
import { MAX_INSIDE } from './admission.js';

const UNKNOWN = 'all unknown sources';
/** Beyond this number of logins of all unknown sources, none joins another: each reads an account. */
export const MAX_UNKNOWN = MAX_INSIDE / 2;
/** The limit for one unknown source: each login reads an account. */
export const MAX_IDENTICAL = 50;

/** The members are digests. */
interface Waiting {
  /** Equal for identical logins of one source. */
  readonly guess: string;
  readonly email: string;
  readonly source: string;
}

/** Identical logins of a source wait as one and share a computation. */
class LoginPlace extends Place {
  guess = '';
  callers = 0;
  /** By hash: the stored one can change between two logins. Empty while the account is being read. */
  readonly results = new Map<string, Promise<boolean>>();
  /** The places of further hashes. */
  readonly others: Place[] = [];
}

/**
 * Fair queueing with longest queue drop. A login waits in the lines of its account and of its source, so that nobody
 * gets more by multiplying accounts or addresses alone. From an unknown source, it waits in the line of all unknown
 * sources in place of its account's.
 */
export class LoginQueue {
  readonly #maxWaiting: number;
  /** A place stays until its computation ends, even one that is dropped while its account is read. */
  readonly #places = new Set<LoginPlace>();

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Lets a login wait, until its caller disconnects or `leave` is called. In a full queue, the last login of the
   * longest line is refused. A login that joins no other is bounded by the lines alone. Other sources do not join an
   * identical login: a caller could find a password that waits.
   * @throws `tooBusy()`, or the `AbortError` of a caller that has disconnected, as `compare` does too
   */
  join({ guess, email, source }: Waiting, isKnown: boolean, caller: Caller) {
    caller.requirePresence();
    let same: LoginPlace | undefined;
    let strangers = 0;
    for (const place of this.#places) {
      if (place.guess === guess && place.state !== 'dropped') same = place;
      if (place.lines[0].key === UNKNOWN) strangers += place.callers;
    }
    if (same && !isKnown && (strangers >= MAX_UNKNOWN || same.callers >= MAX_IDENTICAL)) throw tooBusy();
    const place = same ?? this.#open(guess, isKnown ? email : UNKNOWN, source);
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
      /** Runs `compute` once for all callers with the same `hash`. */
      compare: (hash: string, compute: (place: Place) => Promise<boolean>) =>
        this.#compare(place, hash, compute).catch((error: unknown) => {
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
    const crowdedOut = this.#crowdedOutBy(place);
    if (crowdedOut === place) {
      this.#remove(place);
      throw tooBusy();
    }
    if (crowdedOut !== undefined) this.#drop(crowdedOut);
    return place;
  }

  /** Returns the last place of the longest line, which can be the new one, in an overfull queue. */
  #crowdedOutBy(newPlace: LoginPlace): LoginPlace | undefined {
    const waiting = [...this.#places].filter(({ state }) => state !== 'started');
    if (waiting.length <= this.#maxWaiting) return undefined;
    // Never a place whose account is being read: a flood could multiply the reads.
    const droppable = waiting.filter(({ results }) => results.size > 0);
    const last = droppable.reduce((one, next) => (comparePlaces('length', next, one) < 0 ? one : next), newPlace);
    if (comparePlaces('length', last, newPlace) > 0) return last;
    // Places that are not dropped can overfill the queue, and must not shut out a shorter line.
    const isLonger = (line: Line) => newPlace.lines.every(({ length }) => length < line.length);
    return waiting.some(({ lines }) => lines.some(isLonger)) ? undefined : newPlace;
  }

  async #compare(place: LoginPlace, hash: string, compute: (place: Place) => Promise<boolean>): Promise<boolean> {
    const known = place.results.get(hash);
    if (known !== undefined) return known;
    const own = place.results.size === 0 ? place : new Place(place.lines);
    if (own !== place) place.others.push(own);
    if (place.state === 'dropped') processSlots.drop(own);
    const result = compute(own).finally(() => this.#remove(place));
    place.results.set(hash, result);
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

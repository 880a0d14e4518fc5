import { tooBusy } from '../errors/auth-error.js';
import { within } from '../base/host-calls.js';

export const MAX_WAIT_MS = 10_000;

/** Places that belong together, for example those of one account. */
export interface Line {
  readonly key: string;
  length: number;
  /**
   * The number of the last slot that this line got: the lowest is next. A new line has that of the last slot of all.
   */
  turn: number;
}

/** The computations of one `Passwords`. */
export interface Share {
  readonly limit: number;
  /** For the computations that the host calls. */
  readonly line: Line;
}

export class Place {
  state: 'waiting' | 'started' | 'dropped' = 'waiting';

  constructor(readonly lines: readonly [Line, Line]) {}
}

/** Compares by the greater number of the two lines, then by the lesser. */
export function comparePlaces(by: 'length' | 'turn', { lines: [a, b] }: Place, { lines: [c, d] }: Place): number {
  const byGreater = Math.max(a[by], b[by]) - Math.max(c[by], d[by]);
  const byLesser = Math.min(a[by], b[by]) - Math.min(c[by], d[by]);
  return byGreater === 0 ? byLesser : byGreater;
}

/** The lines that wait get the slots in turn. */
export class Slots {
  #turn = 0;
  readonly #running: Share[] = [];
  readonly #waiting = new Map<Place, { readonly share: Share; readonly settle: () => void }>();

  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running.length, waiting: this.#waiting.size };
  }

  /** Its first turn comes after those of the lines that wait. */
  newLine(key: string): Line {
    return { key, length: 0, turn: this.#turn };
  }

  /**
   * Holds the slot until `compute` ends.
   * @throws `tooBusy()` after `MAX_WAIT_MS`, or when the place is dropped
   */
  async run<Result>(share: Share, compute: () => Promise<Result>, place?: Place): Promise<Result> {
    await this.#takeSlot(share, place ?? new Place([share.line, share.line]));
    try {
      return await compute();
    } finally {
      this.#running.splice(this.#running.indexOf(share), 1);
      this.#startNext();
    }
  }

  /** Returns `undefined`, and runs nothing, unless a slot is free and nobody waits. */
  async tryRun<Result>(share: Share, compute: () => Promise<Result>): Promise<Result | undefined> {
    return this.#waiting.size === 0 && this.#hasSlot(share) ? this.run(share, compute) : undefined;
  }

  /** Ends the wait of a place, even before `run`. */
  drop(place: Place): void {
    if (place.state === 'waiting') this.#settle(place, 'dropped');
  }

  async #takeSlot(share: Share, place: Place): Promise<void> {
    if (place.state === 'waiting') {
      const settled = new Promise<void>((settle) => this.#waiting.set(place, { share, settle }));
      if (this.#hasSlot(share)) this.#startNext();
      if (this.#waiting.has(place)) await within(MAX_WAIT_MS, () => settled).catch(() => this.drop(place));
    }
    if (place.state === 'dropped') throw tooBusy();
  }

  /** Repeats, because each start can raise the limit of all. */
  #startNext(): void {
    const ready = [...this.#waiting].filter(([, { share }]) => this.#hasSlot(share));
    const [next] = ready.sort(([one], [other]) => comparePlaces('turn', one, other));
    if (next === undefined) return;
    const [place, { share }] = next;
    this.#turn += 1;
    for (const line of place.lines) line.turn = this.#turn;
    this.#running.push(share);
    this.#settle(place, 'started');
    this.#startNext();
  }

  /**
   * Each `Passwords` keeps its own limit, and all together keep the highest one, so that a low limit does not starve.
   */
  #hasSlot(share: Share): boolean {
    const own = this.#running.filter((one) => one === share);
    const limits = [share, ...this.#running].map(({ limit }) => limit);
    return own.length < share.limit && this.#running.length < Math.max(...limits);
  }

  #settle(place: Place, state: 'started' | 'dropped'): void {
    const { settle } = this.#waiting.get(place) ?? {};
    place.state = state;
    this.#waiting.delete(place);
    settle?.();
  }
}

/** All `Passwords` share them, because all computations use the same libuv threads. */
export const processSlots = new Slots();

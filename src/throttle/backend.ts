import { emitWarning } from 'node:process';
import { within } from '../errors/within.js';

/** The longest time of a backend call, in milliseconds, because a login must not wait for a counter. */
const TIMEOUT_MS = 250;

/** How long a failed backend is not called, in milliseconds, so that not every login waits for it again. */
const REST_MS = 1_000;

const BEGINS =
  'The backend of the login throttle failed, so failed logins are counted in the memory of this process until it answers. ' +
  'If this comes at start, the limiter is set up wrongly: node-redis needs useRedisPackage: true.';
const ENDS = 'The backend of the login throttle answers again, so failed logins are counted there.';

/** The methods of a limiter that write. */
export type WriteKind = 'penalty' | 'set' | 'delete';
type CallKind = 'get' | WriteKind;

/**
 * The backend of all counters of a throttle, with its outages. An outage begins when the backend refuses, fails or hangs on
 * any call. A backend can refuse one kind of call and serve others. So an outage ends when each kind of call that failed has
 * succeeded again, and a write has succeeded.
 */
export class Backend {
  readonly #now: () => number;
  #isOut = false;
  /** The kinds of calls that failed, and have not succeeded since. */
  readonly #failing = new Set<CallKind>();
  #hasWritten = false;
  #restsUntil = -Infinity;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Calls the backend to read. Resolves to `undefined` while it rests, and when it fails. */
  read<Result>(call: () => Promise<Result>): Promise<Result | undefined> {
    return this.#call('get', call);
  }

  /** The same for a call that writes. `kind` is the method of the limiter. */
  write<Result>(kind: WriteKind, call: () => Promise<Result>): Promise<Result | undefined> {
    return this.#call(kind, call);
  }

  async #call<Result>(kind: CallKind, call: () => Promise<Result>): Promise<Result | undefined> {
    const startedAt = this.#now();
    if (startedAt < this.#restsUntil) return undefined;
    try {
      const result = await within(TIMEOUT_MS, call);
      // A call that was in flight when the outage began says nothing about its end.
      if (startedAt >= this.#restsUntil) this.#succeed(kind);
      return result;
    } catch {
      this.#fail(kind);
      return undefined;
    }
  }

  #fail(kind: CallKind): void {
    this.#restsUntil = this.#now() + REST_MS;
    this.#failing.add(kind);
    this.#hasWritten = false;
    if (!this.#isOut) warn(BEGINS);
    this.#isOut = true;
  }

  #succeed(kind: CallKind): void {
    this.#failing.delete(kind);
    if (kind !== 'get') this.#hasWritten = true;
    if (!this.#isOut || this.#failing.size > 0 || !this.#hasWritten) return;
    this.#isOut = false;
    warn(ENDS);
  }
}

function warn(message: string): void {
  emitWarning(message, { type: 'ExpressMerchantAuthWarning', code: 'EMA_THROTTLE_BACKEND' });
}

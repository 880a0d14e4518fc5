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

/**
 * The backend of all counters of a throttle, with its outages. An outage begins when the backend refuses, fails or hangs on
 * any call. It ends when a call of the kind that failed succeeds, because a backend can refuse one kind and serve others.
 */
export class Backend {
  readonly #now: () => number;
  /** The kind of call that began the outage. */
  #failedKind: string | undefined;
  #restsUntil = -Infinity;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Calls the backend to read. Resolves to `undefined` while it rests, and when it fails. */
  read<Result>(call: () => Promise<Result>): Promise<Result | undefined> {
    return this.#call('read', call);
  }

  /** The same for a call that writes, of one kind. */
  write<Result>(call: () => Promise<Result>, kind = 'write'): Promise<Result | undefined> {
    return this.#call(kind, call);
  }

  async #call<Result>(kind: string, call: () => Promise<Result>): Promise<Result | undefined> {
    const startedAt = this.#now();
    if (startedAt < this.#restsUntil) return undefined;
    try {
      const result = await within(TIMEOUT_MS, call);
      // A call that was in flight when the outage began says nothing about its end.
      if (kind === this.#failedKind && startedAt >= this.#restsUntil) this.#end();
      return result;
    } catch {
      this.#begin(kind);
      return undefined;
    }
  }

  #begin(kind: string): void {
    this.#restsUntil = this.#now() + REST_MS;
    if (this.#failedKind !== undefined) return;
    this.#failedKind = kind;
    warn(BEGINS);
  }

  #end(): void {
    this.#failedKind = undefined;
    warn(ENDS);
  }
}

function warn(message: string): void {
  emitWarning(message, { type: 'ExpressMerchantAuthWarning', code: 'EMA_THROTTLE_BACKEND' });
}

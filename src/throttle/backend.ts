import { within } from '../errors/host-calls.js';
import { emitPackageWarning } from '../events/warning.js';

/** Limits a call of the backend, in milliseconds, because a login must not wait for a counter. */
const TIMEOUT_MS = 250;

/** The pause after a failed call, in milliseconds, so that not every login waits for the failed backend. */
const REST_MS = 1_000;

const BEGINS =
  'The backend of the login throttle failed, so failed logins are counted in the memory of this process until it answers. ' +
  'If this comes at start, the limiter is set up wrongly: node-redis needs useRedisPackage: true.';
const ENDS = 'The backend of the login throttle answers again, so failed logins are counted there.';

/** The kind of a call, which is the method of the limiter. */
export type CallKind = 'get' | 'penalty' | 'set' | 'delete';

/**
 * Calls the backend of a throttle, and notices its outages. An outage begins when the backend refuses, fails or hangs
 * on any call. An outage ends when each kind of call that failed has succeeded again, and a write has succeeded. A
 * backend can refuse one kind of call, for example writes, and serve others.
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

  /** True from the first failed call until the backend serves all kinds of calls again. */
  get isOut(): boolean {
    return this.#isOut;
  }

  /** Calls the backend. Resolves to `undefined` during the pause after a failure, and when the call fails. */
  async call<Result>(kind: CallKind, call: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#now() < this.#restsUntil) return undefined;
    return this.insist(kind, call).catch(() => undefined);
  }

  /**
   * Calls the backend, even during the pause.
   * @throws the error of the call, or of its timeout
   */
  async insist<Result>(kind: CallKind, call: () => Promise<Result>): Promise<Result> {
    const startedAt = this.#now();
    try {
      const result = await within(TIMEOUT_MS, call);
      // A call from before the outage does not prove that the outage has ended.
      if (startedAt >= this.#restsUntil) this.#succeed(kind);
      return result;
    } catch (error) {
      this.#fail(kind);
      throw error;
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
  emitPackageWarning('EMA_THROTTLE_BACKEND', message);
}

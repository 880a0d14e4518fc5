import { codesOf } from '../base/describe-error.js';
import { asError } from '../base/as-error.js';
import { within } from '../base/host-calls.js';
import { createWarn, emitPackageWarning, HOUR_MS } from '../events/warning.js';

/** A login must not wait for a counter. */
export const TIMEOUT_MS = 250;

/** After a failed call, not every login waits for the backend. */
export const PAUSE_MS = 1_000;

const BEGINS =
  'The backend of the login throttle failed, so failed logins are counted in the memory of this process until it answers.';
const ENDS = 'The backend of the login throttle answers again, so failed logins are counted there.';
const NOT_RECORDED =
  'The backend of the login throttle did not record a good login, so only this process knows its source and has cleared ' +
  'its failures.';

/** In the error of RateLimiterRedis for node-redis without its setting. */
const NODE_REDIS = '.pttl is not a function';

/** A message can be a whole statement. Limiters put keyed digests there, and no emails. */
function causeOf(reason: unknown): string {
  const error = asError(reason);
  const text = [error.name, ...codesOf(error), error.message.trim()].join(' ').slice(0, 300);
  const hint = text.includes(NODE_REDIS) ? ' node-redis needs useRedisPackage: true.' : '';
  return `${hint} Cause: ${text.split(/[\p{C}\u2028\u2029]/u, 1)[0]}`;
}

/**
 * An outage begins when `call` fails. It ends when the backend has counted a failed login again, because a backend can
 * serve reads and refuse writes.
 */
export class Backend {
  readonly #warn = createWarn();
  #pausedUntil = -Infinity;
  isOut = false;

  get #isPaused(): boolean {
    return performance.now() < this.#pausedUntil;
  }

  /** Counts, locks or reads. Resolves to `undefined` during the pause and when the call fails. */
  async call<Result>(call: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#isPaused) return undefined;
    try {
      return await within(TIMEOUT_MS, call);
    } catch (reason) {
      this.#pausedUntil = performance.now() + PAUSE_MS;
      if (!this.isOut) emitPackageWarning('EMA_THROTTLE_BACKEND', BEGINS + causeOf(reason));
      this.isOut = true;
      return undefined;
    }
  }

  /** Marks or clears. A failure pauses nothing. */
  async record(call: () => Promise<unknown>): Promise<void> {
    if (this.#isPaused) return;
    await this.insist(call).catch((reason: unknown) => {
      this.#warn('EMA_THROTTLE_BACKEND', NOT_RECORDED, HOUR_MS, causeOf(reason));
    });
  }

  /** Calls even during the pause. @throws the error of the call, or of its timeout */
  insist<Result>(call: () => Promise<Result>): Promise<Result> {
    return within(TIMEOUT_MS, call);
  }

  hasCounted(): void {
    // A call from before the failure does not prove that the outage has ended.
    if (!this.isOut || this.#isPaused) return;
    this.isOut = false;
    emitPackageWarning('EMA_THROTTLE_BACKEND', ENDS);
  }
}

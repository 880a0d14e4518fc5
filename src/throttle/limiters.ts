import { RateLimiterMemory, type RateLimiterAbstract, type RateLimiterRes } from 'rate-limiter-flexible';
import { within } from '../errors/within.js';

/** The argument of the host's `limiter`, ready to be spread into the options of a limiter of rate-limiter-flexible. */
export interface LimiterOptions {
  readonly keyPrefix: string;
  /** Failures until the answer is 429. */
  readonly points: number;
  /** Seconds that a failure counts. */
  readonly duration: number;
  /** Counts in memory while the backend does not answer. */
  readonly insuranceLimiter: RateLimiterAbstract;
}

/** The options of a counter in memory. */
type CounterOptions = Pick<LimiterOptions, 'keyPrefix' | 'points' | 'duration'>;

/** The number of keys that a counter holds in memory. Attackers can fill it, but cannot make it grow. */
export const MAX_KEYS = 100_000;

/** The longest time of a backend call, in milliseconds, because a login must not wait for a counter. */
const BACKEND_TIMEOUT_MS = 250;

/** How long a failed backend is not called, in milliseconds, so that not every login waits for it again. */
const BACKEND_REST_MS = 1_000;

/** The calls that the throttle makes. */
export interface Counter {
  get(key: string): Promise<RateLimiterRes | null>;
  penalty(key: string): Promise<RateLimiterRes>;
  set(key: string, points: number, seconds: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
}

/** rate-limiter-flexible's memory limiter, which drops the oldest key beyond `maxKeys`. */
export class BoundedMemoryLimiter extends RateLimiterMemory {
  readonly #keys = new Set<string>();
  readonly #maxKeys: number;

  constructor(options: CounterOptions, maxKeys = MAX_KEYS) {
    super(options);
    this.#maxKeys = maxKeys;
  }

  override penalty(key: string | number, points = 1): Promise<RateLimiterRes> {
    this.#remember(String(key));
    return super.penalty(key, points);
  }

  override set(key: string | number, points: number, secDuration: number): Promise<RateLimiterRes> {
    this.#remember(String(key));
    return super.set(key, points, secDuration);
  }

  override delete(key: string | number): Promise<boolean> {
    this.#keys.delete(String(key));
    return super.delete(key);
  }

  /** Drops a hundredth at once, because V8 finds the first of a set by passing all that were deleted before it. */
  #remember(key: string): void {
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size <= this.#maxKeys) return;
    const kept = this.#maxKeys - Math.floor(this.#maxKeys / 100);
    for (const oldest of this.#keys) {
      void this.delete(oldest);
      if (this.#keys.size <= kept) return;
    }
  }
}

/**
 * The insurance of the host's limiter: the same memory, with a report of each use. Without the report a backend that was
 * set up wrongly would look like one that counts, while every process counts alone.
 */
export class ReportingInsurance extends RateLimiterMemory {
  readonly #memory: BoundedMemoryLimiter;
  readonly #onUse: () => void;

  constructor(options: CounterOptions, memory: BoundedMemoryLimiter, onUse: () => void) {
    super(options);
    this.#memory = memory;
    this.#onUse = onUse;
  }

  override get(key: string | number): Promise<RateLimiterRes | null> {
    this.#onUse();
    return this.#memory.get(key);
  }

  override penalty(key: string | number, points?: number): Promise<RateLimiterRes> {
    this.#onUse();
    return this.#memory.penalty(key, points);
  }

  override set(key: string | number, points: number, secDuration: number): Promise<RateLimiterRes> {
    this.#onUse();
    return this.#memory.set(key, points, secDuration);
  }

  override delete(key: string | number): Promise<boolean> {
    this.#onUse();
    return this.#memory.delete(key);
  }
}

/** The host's limiter with a timeout for its calls, and the memory while it fails. */
export class InsuredCounter implements Counter {
  readonly #backend: Counter;
  readonly #insurance: Counter;
  readonly #now: () => number;
  readonly #onFailure: () => void;
  #restingUntil = -Infinity;

  constructor(
    backend: Counter,
    insurance: Counter,
    now: () => number = () => performance.now(),
    onFailure: () => void = () => undefined,
  ) {
    this.#backend = backend;
    this.#insurance = insurance;
    this.#now = now;
    this.#onFailure = onFailure;
  }

  get = (key: string) => this.#call((counter) => counter.get(key));
  penalty = (key: string) => this.#call((counter) => counter.penalty(key));
  set = (key: string, points: number, seconds: number) => this.#call((counter) => counter.set(key, points, seconds));
  delete = (key: string) => this.#call((counter) => counter.delete(key));

  async #call<Result>(call: (counter: Counter) => Promise<Result>): Promise<Result> {
    if (this.#now() < this.#restingUntil) return call(this.#insurance);
    try {
      return await within(BACKEND_TIMEOUT_MS, () => call(this.#backend));
    } catch {
      this.#onFailure();
      this.#restingUntil = this.#now() + BACKEND_REST_MS;
      return await call(this.#insurance);
    }
  }
}

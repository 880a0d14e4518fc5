import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { AuthErrorCode } from '../errors/catalogue.js';
import { callAsync } from '../call-async.js';
import { checkFunction } from '../options.js';

/**
 * What every event says. No event holds a password, a token or a hash; a `cause` is the error of the host's own store,
 * with whatever its driver writes into messages.
 */
interface EventBase {
  /** When, by the clock of the process. */
  readonly time: Date;
  readonly realm: string;
  /** The address that the request came from, cut as the throttle counts it; `undefined` when it is unknown. */
  readonly source: string | undefined;
}

/** What an event of a login says beside that. */
interface LoginEventBase extends EventBase {
  /** A keyed digest of the folded email, the same in all processes that have one pepper. */
  readonly emailDigest: string;
  /** The account, where one was found. */
  readonly accountId: string | undefined;
}

/** The closed union of what is reported. Switch on `type`. */
export type AuthEvent =
  | (LoginEventBase & { readonly type: 'login_succeeded' })
  | (LoginEventBase & {
      readonly type: 'login_failed';
      readonly reason: 'unknown_email' | 'wrong_password' | 'no_usable_hash' | 'account_disabled';
    })
  /** 429: too many failures were counted, before the hash or after it. */
  | (LoginEventBase & { readonly type: 'login_throttled'; readonly retryAfterSeconds: number })
  /** 503: no place, or no permit within its time. */
  | (LoginEventBase & { readonly type: 'login_shed' })
  /** The stored hash was replaced by a new one. */
  | (LoginEventBase & { readonly type: 'hash_upgraded' })
  /** It was not: the store said `false`, or it or the computation failed. */
  | (LoginEventBase & { readonly type: 'hash_not_upgraded'; readonly cause: unknown })
  | (EventBase & {
      readonly type: 'token_refused';
      readonly reason: Extract<AuthErrorCode, `${string}_token`>;
      /** The account, where the token was good and the account was not. */
      readonly accountId: string | undefined;
    })
  | (EventBase & {
      readonly type: 'ownership_refused';
      readonly reason: Extract<AuthErrorCode, `${string}_reference`>;
      readonly accountId: string;
    })
  /** 503 or 500: the store failed, or broke its contract. */
  | (EventBase & {
      readonly type: 'store_failed';
      readonly reason: 'store_unavailable' | 'malformed_account';
      readonly cause: unknown;
    });

/** An event without what `emit` adds. */
export type EventDetails = AuthEvent extends infer Event
  ? Event extends AuthEvent
    ? Omit<Event, 'time'>
    : never
  : never;

const CHANNEL = 'express-merchant-auth';
const events = channel(CHANNEL);

/** Reports an event; `describe` is called only when somebody listens. It does not throw: an answer depends on it. */
export function emit(describe: () => EventDetails): void {
  if (!events.hasSubscribers) return;
  try {
    events.publish({ ...describe(), time: new Date() });
  } catch {
    // An event that cannot be described, of a request whose address cannot be read.
  }
}

/**
 * Listens to everything that login and guard decide, in this process: the channel `express-merchant-auth` of
 * `node:diagnostics_channel`. The listener runs before the answer is written; it may be async, and nobody waits for it.
 * What it throws or rejects with is dropped.
 * @returns what ends the listening
 * @throws TypeError for a listener that is no function
 */
export function onAuthEvent(listener: (event: AuthEvent) => unknown): () => void {
  checkFunction('onAuthEvent: listener', listener);
  const subscriber = (event: unknown) => {
    // Either would end the process.
    callAsync(() => listener(event as AuthEvent)).catch(() => undefined);
  };
  subscribe(CHANNEL, subscriber);
  return () => {
    unsubscribe(CHANNEL, subscriber);
  };
}

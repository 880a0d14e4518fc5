import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { LoginFailure } from '../errors/auth-error.js';
import { callAsync } from '../errors/call-async.js';
import type { CodeOfEvent } from '../errors/catalogue.js';
import { checkFunction } from '../options/check-options.js';

/**
 * The members of every event. No event holds a password, a token or a hash. A `cause` is the error of the host's own
 * store, with everything that its driver writes into messages.
 */
interface EventBase {
  /** The time by the clock of the process. */
  readonly time: Date;
  readonly realm: string;
  /** The address of the caller, cut as the throttle counts it; `undefined` when it is undetermined. */
  readonly source: string | undefined;
}

/** The further members of a login's events. */
interface LoginEventBase extends EventBase {
  /** A keyed digest of the folded identifier. Processes with the same `digestKey` compute the same. */
  readonly emailDigest: string;
  /** The account, where one was found. */
  readonly accountId: string | undefined;
}

/** The closed union of audit events. Switch on `type`. */
export type AuthEvent =
  | (LoginEventBase & { readonly type: 'login_succeeded' })
  | (LoginEventBase & { readonly type: 'login_failed'; readonly reason: LoginFailure })
  /** 429: too many failures were counted, before the hash or after it. */
  | (LoginEventBase & { readonly type: 'login_throttled'; readonly retryAfterSeconds: number })
  /** 503: too many logins at once. */
  | (LoginEventBase & { readonly type: 'login_shed' })
  /** A new hash replaced the stored one. */
  | (LoginEventBase & { readonly type: 'hash_upgraded' })
  /** The stored hash stays: the store said `false`, or the store or the computation failed. */
  | (LoginEventBase & { readonly type: 'hash_not_upgraded'; readonly cause: unknown })
  | (EventBase & {
      readonly type: 'token_refused';
      readonly reason: CodeOfEvent<'token_refused'>;
      /** The account, where the token was good and the account was not. */
      readonly accountId: string | undefined;
    })
  | (EventBase & {
      readonly type: 'ownership_refused';
      readonly reason: CodeOfEvent<'ownership_refused'>;
      readonly accountId: string;
      /** False when the guard has `reference: 'reported'`, so that the request went on. */
      readonly enforced: boolean;
    })
  /** 503 or 500: the store failed, or broke its contract. */
  | (EventBase & {
      readonly type: 'store_failed';
      readonly reason: CodeOfEvent<'store_failed'>;
      readonly cause: unknown;
    });

/** An event without the member that `emit` adds. */
export type EventDetails = AuthEvent extends infer Event
  ? Event extends AuthEvent
    ? Omit<Event, 'time'>
    : never
  : never;

const CHANNEL = 'express-merchant-auth';
const events = channel(CHANNEL);

/** Reports an event. `describe` is called only when somebody listens. */
export function emit(describe: () => EventDetails): void {
  if (events.hasSubscribers) events.publish({ ...describe(), time: new Date() });
}

/**
 * Listens to every decision of login and guard in this process, on the channel `express-merchant-auth` of
 * `node:diagnostics_channel`. The listener runs before the answer is written. It may be async; nobody waits for it. Errors
 * of the listener are dropped, because they would end the process.
 * @returns a function that ends the listening
 * @throws TypeError for a listener that is not a function
 */
export function onAuthEvent(listener: (event: AuthEvent) => unknown): () => void {
  checkFunction('onAuthEvent: listener', listener);
  const subscriber = (event: unknown) => {
    callAsync(() => listener(event as AuthEvent)).catch(() => undefined);
  };
  subscribe(CHANNEL, subscriber);
  return () => {
    unsubscribe(CHANNEL, subscriber);
  };
}

import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describeError } from '../base/describe-error.js';
import { asError } from '../base/as-error.js';
import { callAsync, callDroppingErrors } from '../base/host-calls.js';
import type { CodeOfEvent } from '../errors/catalogue.js';
import { checkFunction } from '../base/check-options.js';
import { createWarn } from './warning.js';

/**
 * Every event has these members, and none has a password, a token or a hash. A `cause` is the error of the host's own
 * store, whose message can contain what the database driver writes there.
 */
interface EventBase {
  /** The time by the clock of the process. */
  readonly time: Date;
  /** The realm of the tokens. */
  readonly realm: string;
  /**
   * The caller's address, with an IPv6 address cut to /64, as the throttle counts it. `undefined` when it is
   * undetermined.
   */
  readonly source: string | undefined;
}

interface RefusalBase extends EventBase {
  /**
   * Says for your logs why the request was refused. It contains nothing that the caller sent, and the caller does not
   * get it.
   */
  readonly detail: string;
}

export interface LoginEventBase extends EventBase {
  /**
   * A keyed digest of the email or user name, without differences in case, marks and white space. Equal in processes
   * with the same `digestKey`. Empty when the login was refused before or just after its body was read.
   */
  readonly emailDigest: string;
  /** The id of the account, if one was found. */
  readonly accountId: string | undefined;
}

interface GuessEventBase extends LoginEventBase, RefusalBase {
  /**
   * Present when wrong credentials were counted before for the same email, password and source. Usually a server of
   * this merchant has an old password.
   */
  readonly repeated?: true;
}

/** The reasons of a failed login, which are never in the answer. */
export type LoginFailure =
  'unknown_email' | 'other_identifier' | 'wrong_password' | 'no_usable_hash' | 'account_disabled';

/** The closed union of audit events. Switch on `type`. */
export type AuthEvent =
  /** The password was right, and a token was issued. */
  | (LoginEventBase & { readonly type: 'login_succeeded' })
  /** 401: wrong credentials, or a disabled account. */
  | (GuessEventBase & { readonly type: 'login_failed'; readonly reason: LoginFailure })
  /** 429: too many logins failed. The limit was reached before or after the hash computation. */
  | (GuessEventBase & { readonly type: 'login_throttled'; readonly retryAfterSeconds: number })
  /** 503 `too_busy`: too many logins at once. */
  | (LoginEventBase & RefusalBase & { readonly type: 'login_shed' })
  /** A new hash replaced the stored one. */
  | (LoginEventBase & { readonly type: 'hash_upgraded' })
  /** The stored hash stays: the store returned `false`, or the store or the computation failed. */
  | (LoginEventBase & { readonly type: 'hash_not_upgraded'; readonly cause: unknown })
  /** 401: the token is missing, not valid, expired or revoked. */
  | (RefusalBase & {
      readonly type: 'token_refused';
      readonly reason: CodeOfEvent<'token_refused'>;
      /** The id of the account, if the token was good and the account was not. */
      readonly accountId: string | undefined;
    })
  /** 403: the password or the token is good, and the account may not be used from this address. */
  | (RefusalBase & { readonly type: 'source_refused'; readonly accountId: string | undefined })
  /** 400, 403, 415 or 500: the check of the reference refused the request, or only reported it. */
  | (RefusalBase & {
      readonly type: 'ownership_refused';
      readonly reason: CodeOfEvent<'ownership_refused'>;
      readonly accountId: string;
      /** False when the guard has `reference: 'reported'`, so the request went on. */
      readonly enforced: boolean;
      /** The name that was found, or each name of the guard. */
      readonly referenceNames: readonly string[] | undefined;
    })
  /** An operator called `login.forgive`, which cleared the failures. `source` is that of the call. */
  | (EventBase & { readonly type: 'login_forgiven'; readonly emailDigest: string })
  /** An operator called `tokens.replaceKeys`. */
  | (EventBase & {
      readonly type: 'keys_replaced';
      /** The `kid` of each old key, in the order of the ring. */
      readonly before: readonly string[];
      /** The `kid` of each new key. The first one signs. */
      readonly after: readonly string[];
    })
  /** 503 or 500: the store failed, or broke its contract. */
  | (RefusalBase & {
      readonly type: 'store_failed';
      readonly reason: CodeOfEvent<'store_failed'>;
      readonly cause: unknown;
    });

export type EventDetails = AuthEvent extends infer Event
  ? Event extends AuthEvent
    ? Omit<Event, 'time'>
    : never
  : never;

const CHANNEL = 'express-merchant-auth';
const events = channel(CHANNEL);

/** Drops an event if `describe` throws, for example in a getter of an account. */
export function emit(describe: () => EventDetails): void {
  if (events.hasSubscribers) void callDroppingErrors(() => events.publish({ ...describe(), time: new Date() }));
}

const LISTENER_FAILED =
  'A listener of onAuthEvent failed, so an event is lost. Later errors of this listener are dropped without a warning. ' +
  'Catch them in the listener. The first one:';

/**
 * Calls a listener at every decision of login and guard in this process, through the channel `express-merchant-auth` of
 * `node:diagnostics_channel`. The listener runs before the answer is written, except for the upgrade of a hash. It may
 * be async, but nothing waits for it. Its errors are dropped, because they would end the process, and the first one is
 * a process warning.
 * @returns a function that removes the listener
 * @throws TypeError for a listener that is not a function
 */
export function onAuthEvent(listener: (event: AuthEvent) => unknown): () => void {
  checkFunction('onAuthEvent: listener', listener);
  const warn = createWarn();
  const subscriber = (event: unknown) => {
    callAsync(() => listener(event as AuthEvent)).catch((reason: unknown) => {
      warn('EMA_EVENT_LISTENER', `${LISTENER_FAILED} ${describeError(asError(reason))}`);
    });
  };
  subscribe(CHANNEL, subscriber);
  return () => {
    unsubscribe(CHANNEL, subscriber);
  };
}

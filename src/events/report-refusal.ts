import { AuthError } from '../errors/auth-error.js';
import { type CodeOfEvent, entryOf, type RefusalEvent } from '../errors/catalogue.js';
import { emit, type EventDetails, type LoginFailure } from './auth-event.js';

export interface LoginFacts {
  /** Absent when no account was found. */
  readonly accountId?: string | undefined;
  /** For `wrong_credentials`. Default `unknown_email`. */
  readonly reason?: LoginFailure;
  /** The same guess was counted before. */
  readonly isRepeated?: boolean | undefined;
}

/** A login, the check of a token, or the check of references in a request with an account. */
export interface RefusalPlace extends LoginFacts {
  readonly realm: string;
  readonly source: string | undefined;
  /** Absent unless it is a login that was admitted. */
  readonly emailDigest?: string | undefined;
  /** False for a finding that is only reported. */
  readonly enforced?: boolean;
}

type Members<Type> = Omit<Extract<EventDetails, { readonly type: Type }>, 'type' | 'realm' | 'source' | 'detail'>;

type Refusal<Type extends string> = AuthError & { readonly code: CodeOfEvent<Type> };

const MEMBERS: {
  readonly [Type in RefusalEvent]: (place: RefusalPlace, error: Refusal<Type>) => Members<Type>;
} = {
  login_failed(place, { code }) {
    return { ...guessOf(place), reason: code === 'account_disabled' ? code : (place.reason ?? 'unknown_email') };
  },
  login_throttled: (place, { headers }) => ({ ...guessOf(place), retryAfterSeconds: Number(headers['Retry-After']) }),
  login_shed: loginOf,
  token_refused: ({ accountId }, { code: reason }) => ({ accountId, reason }),
  source_refused: ({ accountId }) => ({ accountId }),
  ownership_refused({ accountId, enforced }, { code: reason, referenceNames }) {
    // `enforce` always gives `accountId` and `enforced`.
    return { accountId, enforced, reason, referenceNames } as Members<'ownership_refused'>;
  },
  store_failed: (_place, { code: reason, cause }) => ({ reason, cause }),
};

function loginOf({ accountId, emailDigest = '' }: RefusalPlace) {
  return { accountId, emailDigest };
}

function guessOf(place: RefusalPlace) {
  return { ...loginOf(place), ...(place.isRepeated && { repeated: true as const }) };
}

/** Skips an error without an event in the catalogue. `describe` is called only when there is a listener. */
export function reportRefusal(error: unknown, describe: () => RefusalPlace): void {
  if (!(error instanceof AuthError)) return;
  const { event: type } = entryOf(error.code);
  if (type === undefined) return;
  emit(() => {
    const place = describe();
    const { realm, source } = place;
    const members = MEMBERS[type](place, error as never);
    return { type, realm, source, detail: error.detail, ...members } as EventDetails;
  });
}

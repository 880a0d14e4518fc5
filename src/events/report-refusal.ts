import { AuthError } from '../errors/auth-error.js';
import { entryOf } from '../errors/catalogue.js';
import { type AuthEvent, emit, type EventDetails } from './auth-event.js';

type RefusalEvent = Exclude<AuthEvent['type'], 'login_succeeded' | 'hash_upgraded' | 'hash_not_upgraded'>;

/** The members of each event beside `type`, `time`, `realm` and `source`. */
const MEMBERS = {
  login_failed: ['emailDigest', 'accountId', 'reason'],
  login_throttled: ['emailDigest', 'accountId', 'retryAfterSeconds'],
  login_shed: ['emailDigest', 'accountId'],
  token_refused: ['reason', 'accountId'],
  ownership_refused: ['reason', 'accountId', 'enforced'],
  store_failed: ['reason', 'cause'],
} as const satisfies Record<RefusalEvent, readonly string[]>;

/** The facts that only the code which refuses the request knows. */
export interface RefusalPlace {
  readonly realm: string;
  readonly source: string | undefined;
  readonly accountId?: string | undefined;
  readonly emailDigest?: string;
  /** False for a finding that was only reported. Default true. */
  readonly enforced?: boolean;
}

/**
 * Reports a refusal as the event that the catalogue names for its code. Other errors are not refusals, and have no
 * event. `describe` is called only when there is a listener.
 */
export function reportRefusal(error: unknown, describe: () => RefusalPlace): void {
  if (!(error instanceof AuthError)) return;
  const { event: type } = entryOf(error.code);
  if (type === undefined) return;
  emit(() => {
    const place = describe();
    const facts: Readonly<Record<string, unknown>> = {
      reason: error.code,
      enforced: true,
      cause: error.cause,
      retryAfterSeconds: Number(error.headers['Retry-After']),
      ...place,
      ...error.audit,
    };
    const members = Object.fromEntries(MEMBERS[type].map((name) => [name, facts[name]]));
    return { type, realm: place.realm, source: place.source, ...members } as EventDetails;
  });
}

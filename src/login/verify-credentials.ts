import { AuthError } from '../errors/auth-error.js';
import type { LoginFacts } from '../events/report-refusal.js';
import type { Source } from '../http/source.js';
import { callStore } from '../store/call-store.js';
import { checkCredentials } from '../store/check-account.js';
import type { Credentials } from '../store/user-store.js';
import type { ThrottleCheck } from '../throttle/login-throttle.js';
import { foldIdentifier } from './fold-identifier.js';
import type { LoginIdentity } from './login-identity.js';
import type { LoginConfig } from './login-options.js';
import type { SharedLogin } from './shared-checks.js';

/** An account that may log in. */
export interface Verified {
  readonly credentials: Credentials;
  /** The time just before the account was read, in seconds. It is the `iat` of the token. */
  readonly readAt: number;
  /** The value as it was read, because a store can return an object that changes with its account. */
  readonly tokensValidAfter: Date | null;
}

/** An attempt to log in, with arguments that were checked. */
export interface LoginAttempt {
  readonly identifier: string;
  readonly password: string;
  readonly identity: LoginIdentity;
  readonly source: Source;
  /** Aborts when the caller has disconnected. */
  readonly signal: AbortSignal;
  /** Called when the password was checked, with the facts for the event of a refusal. */
  readonly onFacts: (facts: LoginFacts) => void;
}

const OTHER_IDENTIFIER =
  'A login found an account whose stored identifier is not the one that was sent, so the account counts as unknown. ' +
  'Let findCredentials return the text that its lookup matched as identifier, or rewrite the typed identifier before ' +
  'login.attempt (plus tags, phone numbers).';

const NO_DECOY =
  'A login found a stored hash of a format or cost that no decoy has, so the time of an answer can tell which emails ' +
  'exist. List a sample of each format and cost in your table as decoyHashes of createPasswords.';

/** The result without a throttle: no wait, and all sources are treated as known. */
const UNTHROTTLED: ThrottleCheck = { seconds: 0, isKnown: true };

/**
 * Decides about a login, in this order: throttle, place, store, hash, throttle again, disabled account. Each login that
 * gets a place costs one hash computation. So its time does not show if the account exists.
 * @throws AuthError `too_many_attempts`, `too_busy`, `store_unavailable`, `malformed_account`, `wrong_credentials` or
 *   `account_disabled`
 */
export async function verifyCredentials(config: LoginConfig, attempt: LoginAttempt): Promise<Verified> {
  const { throttle, checks } = config;
  const { identifier, identity, password, source } = attempt;
  const { seconds, isKnown, secondsIfWrong } = throttle ? await throttle.check(identity.keys) : UNTHROTTLED;
  refuseFor(seconds);
  const origin = { address: source.address, isKnown };
  return checks.join({ identifier, password, origin }, (shared) => decide(config, attempt, shared, secondsIfWrong));
}

async function decide(
  config: LoginConfig,
  attempt: LoginAttempt,
  shared: SharedLogin,
  secondsIfWrong: number | undefined,
): Promise<Verified> {
  const { passwords, throttle, realm, tokens, warn } = config;
  const { keys, decoy } = attempt.identity;
  // Before the read, so that no token outlives a revocation when the process is suspended until it issues the token.
  const readAt = tokens.now();
  const { found, facts } = await findAccount(config, attempt);
  const validAfter = found?.account.tokensValidAfter;
  const tokensValidAfter = validAfter ? new Date(validAfter) : null;

  const hash = passwords.hashToCompare(found?.passwordHash ?? null, decoy);
  if (!passwords.resemblesDecoy(hash)) warn('EMA_DECOY', NO_DECOY);
  const matches = await shared.compare(hash, attempt.signal);
  attempt.onFacts(found !== null && hash.isDecoy ? { ...facts, reason: 'no_usable_hash' } : facts);
  if (found === null || !matches) {
    refuseFor(await throttle?.fail(keys, secondsIfWrong));
    throw new AuthError('wrong_credentials', { realm });
  }
  // Checked again, because parallel guesses all passed the first check.
  const check = await throttle?.check(keys);
  refuseFor(check?.seconds);
  if (found.account.disabled) throw new AuthError('account_disabled', { realm });
  throttle?.succeed(keys, check?.secondsIfWrong);
  return { credentials: found, readAt, tokensValidAfter };
}

interface Lookup {
  /** `null` for an unknown identifier. */
  readonly found: Credentials | null;
  /** The facts for the event if the password is wrong. */
  readonly facts: LoginFacts;
}

/** Finds the account. An account counts as unknown if its identifier is not the one that was sent. */
async function findAccount(config: LoginConfig, { identifier, identity }: LoginAttempt): Promise<Lookup> {
  const { userStore, storeTimeoutMs, warn } = config;
  const found = await callStore('findCredentials', storeTimeoutMs, () => userStore.findCredentials(identifier));
  checkCredentials(found);
  if (found === null) return { found, facts: { reason: 'unknown_email' } };
  const { account } = found;
  const accountId = account.id;
  if (foldIdentifier(found.identifier ?? account.email) !== identity.folded) {
    warn('EMA_OTHER_IDENTIFIER', OTHER_IDENTIFIER);
    return { found: null, facts: { reason: 'other_identifier', accountId } };
  }
  return { found, facts: { reason: 'wrong_password', accountId } };
}

function refuseFor(retryAfterSeconds = 0): void {
  if (retryAfterSeconds > 0) throw new AuthError('too_many_attempts', { retryAfterSeconds });
}

import { AuthError } from '../errors/auth-error.js';
import type { Passwords } from '../passwords/passwords.js';
import type { Places } from '../passwords/permits.js';
import type { KeyedDigest } from '../pepper.js';
import { callStore } from '../store/call-store.js';
import { checkCredentials } from '../store/check-account.js';
import type { Credentials, UserStore } from '../store/user-store.js';
import type { LoginThrottle } from '../throttle/login-throttle.js';
import type { LoginBody } from './credentials-schema.js';
import { identify, type LoginIdentity } from './login-identity.js';

/** What logins are made with. */
export interface LoginConfig {
  readonly userStore: UserStore;
  readonly passwords: Passwords;
  /** `undefined` when the host throttles by itself. */
  readonly throttle: LoginThrottle | undefined;
  /** For the logins that wait to hear whether they may go on. */
  readonly checks: Places;
  readonly digest: KeyedDigest;
  readonly storeTimeoutMs: number;
  readonly realm: string;
}

/** Who tries to log in, from where, and until when somebody waits for the answer. */
export interface LoginAttempt {
  readonly body: LoginBody;
  readonly source: string | undefined;
  readonly signal: AbortSignal;
  /** What is found out on the way, for the audit. */
  identity?: LoginIdentity;
  found?: Credentials | null;
}

/**
 * How many logins may ask the throttle at a time before more are shed, as those beyond the places are: each is four calls
 * of its backend, and a burst must not become a queue there. In memory the answer is there before the next login is read.
 */
const MAX_CHECKS = 1_000;

/**
 * A login after its body was read, in the order of the answers: throttle, place, store, one hash computation whatever was
 * found, throttle again, and only then whether the account is disabled.
 * @throws AuthError `too_many_attempts`, `too_busy`, `store_unavailable`, `malformed_account`, `wrong_credentials` or
 *   `account_disabled`
 */
export async function verifyCredentials(config: LoginConfig, attempt: LoginAttempt): Promise<Credentials> {
  const { passwords, throttle, digest, realm } = config;
  const identity = identify(digest, realm, attempt.body.email, attempt.source);
  attempt.identity = identity;
  if (throttle !== undefined) {
    refuseFor(await inPlace(config.checks.enter(MAX_CHECKS), () => throttle.check(identity.keys)));
  }
  // A hasher of the host's own making may have no places.
  const leave = 'enter' in passwords ? passwords.enter() : () => undefined;
  return inPlace(leave, () => compare(config, attempt, identity));
}

/** Runs `step` in a place that was taken, and gives it back; without one it is not run. */
async function inPlace<Result>(leave: (() => void) | undefined, step: () => Promise<Result>): Promise<Result> {
  if (leave === undefined) throw new AuthError('too_busy');
  try {
    return await step();
  } finally {
    leave();
  }
}

async function compare(config: LoginConfig, attempt: LoginAttempt, sent: LoginIdentity): Promise<Credentials> {
  const { userStore, passwords, throttle, digest, storeTimeoutMs, realm } = config;
  const { body, source, signal } = attempt;
  const found = await callStore('findCredentials', storeTimeoutMs, () => userStore.findCredentials(body.email));
  checkCredentials(found);
  attempt.found = found;
  // A database can find an account by other spellings of its email, which must not have counters of their own.
  const isAsSent = found === null || found.account.email === body.email;
  const { keys } = isAsSent ? sent : identify(digest, realm, found.account.email, source);

  const options = { decoy: sent.decoy, signal };
  const matches: unknown = await passwords.verify(body.password, found?.passwordHash ?? null, options);
  if (found === null || matches !== true) {
    refuseFor(await throttle?.fail(keys));
    throw new AuthError('wrong_credentials', { realm });
  }
  // Asked again, so that a burst in parallel learns no more than the limit allows.
  refuseFor(await throttle?.check(keys));
  if (found.account.disabled) throw new AuthError('account_disabled', { realm });
  throttle?.succeed(keys);
  return found;
}

function refuseFor(seconds = 0): void {
  if (seconds > 0) throw new AuthError('too_many_attempts', { retryAfterSeconds: seconds });
}

import type { IncomingMessage } from 'node:http';
import { AuthError } from '../errors/auth-error.js';
import { emit } from '../events/auth-event.js';
import { type LoginFacts, reportLoginRefusal } from '../events/report-refusal.js';
import { disconnectSignal } from '../http/disconnect.js';
import { inNextPhase } from '../http/next-phase.js';
import { determineSource, remindOfSource } from '../http/source.js';
import { sourcePrefix } from '../http/source-prefix.js';
import { checkCalled } from '../options/check-options.js';
import type { MerchantAccount, UserStore } from '../store/user-store.js';
import { identify, type LoginIdentity } from './login-identity.js';
import { type LoginConfig, type LoginOptions, parseLoginOptions } from './login-options.js';
import { throughPassportLocal } from './passport-local.js';
import { upgradeHash } from './upgrade-hash.js';
import { type LoginAttempt, type Verified, verifyCredentials } from './verify-credentials.js';

/** The arguments of `Login.attempt`. */
export interface LoginCredentials {
  /** The email or user name, exactly as it was sent. */
  readonly identifier: string;
  readonly password: string;
}

/** A successful login. */
export interface LoginResult<Account extends MerchantAccount = MerchantAccount> {
  /** The account object that the store returned. */
  readonly account: Account;
  /** The bearer token, valid for 18,000 seconds (docs/interface.md 5.4). Send it with `Cache-Control: no-store`. */
  readonly token: string;
}

/** The longest identifier and the longest password, in Unicode code points. */
const MAX_CHARACTERS = 255;

const NO_SOURCE = 'login.forgive: source must be an address, or the source of the event login_throttled.';

/** Logs accounts in for a host with its own login route, request body or answer. `createLogin` makes it. */
export class Login<Account extends MerchantAccount = MerchantAccount> {
  readonly #config: LoginConfig;
  readonly #authenticate: (attempt: LoginAttempt) => Promise<Verified>;

  /** @internal */
  constructor(config: LoginConfig) {
    this.#config = config;
    this.#authenticate = throughPassportLocal((attempt: LoginAttempt) => verifyCredentials(config, attempt));
  }

  /**
   * Checks an identifier and a password, and issues a token. It reads `req` only for the caller's address and to notice
   * a disconnect. It never writes to the response. After a good login, it replaces an outdated hash in the background.
   * @throws AuthError `invalid_body` unless both arguments are non-empty strings of at most 255 code points, without
   *   NUL and lone surrogates
   * @throws AuthError `too_busy`, `too_many_attempts`, `store_unavailable`, `malformed_account`, `wrong_credentials` or
   *   `account_disabled`
   * @throws DOMException `AbortError` when the caller has disconnected
   */
  async attempt(req: IncomingMessage, credentials: LoginCredentials): Promise<LoginResult<Account>> {
    return this.#run(req, () => checkArguments(credentials));
  }

  /** @internal Does the same as `attempt`, with arguments that were checked already. */
  attemptValid(req: IncomingMessage, credentials: LoginCredentials): Promise<LoginResult<Account>> {
    return this.#run(req, () => credentials);
  }

  /** @internal Refuses a login before its body is read. @throws AuthError `too_busy` */
  async admit(req: IncomingMessage): Promise<void> {
    const { inProgress, realm } = this.#config;
    try {
      await inProgress.admit(() => determineSource(req).address);
    } catch (error) {
      reportLoginRefusal(error, () => ({ realm, source: determineSource(req).source, emailDigest: '' }));
      throw error;
    }
  }

  /**
   * Clears the failed logins of an identifier, for example when a merchant asks the operator for help. Counts that
   * another process made in its memory during an outage stay until they expire.
   * @param options.source also clears the failures from this address, or from its /64. The event `login_throttled` has
   *   it as `source`
   * @throws Error when the backend of the throttle fails. Call it again then
   * @throws TypeError when `source` is not an address
   */
  async forgive(identifier: string, { source }: { readonly source?: string } = {}): Promise<void> {
    const { digest, realm, throttle } = this.#config;
    const address = source && sourcePrefix(source.replace(/::\/64$/, '::'));
    if (source !== undefined && !address) throw new TypeError(NO_SOURCE);
    const { keys } = identify(digest, realm, identifier, { source: address, address: address ?? '' });
    await throttle?.forgive(keys.email, address && keys.emailAndAddressKey);
  }

  async #run(req: IncomingMessage, validate: () => LoginCredentials): Promise<LoginResult<Account>> {
    const { inProgress, realm, digest } = this.#config;
    const source = determineSource(req);
    const signal = disconnectSignal(req);
    signal.throwIfAborted();
    let identity: LoginIdentity | undefined;
    let facts: LoginFacts = {};
    try {
      return await inProgress.run(source.address, async () => {
        const { identifier, password } = validate();
        identity = identify(digest, realm, identifier, source);
        const onFacts = (found: LoginFacts) => (facts = found);
        return this.#logIn({ identifier, password, identity, source, signal, onFacts });
      });
    } catch (error) {
      reportLoginRefusal(error, () => ({
        realm,
        source: source.source,
        emailDigest: identity?.emailDigest ?? '',
        ...facts,
      }));
      if (error instanceof AuthError && error.code === 'too_many_attempts') remindOfSource(req);
      throw error;
    }
  }

  async #logIn(attempt: LoginAttempt): Promise<LoginResult<Account>> {
    const { tokens, realm } = this.#config;
    const { credentials, readAt, tokensValidAfter } = await this.#authenticate(attempt);
    const account = credentials.account as Account;
    const { id, marchand } = account;
    const token = tokens.issueAt(readAt, { id, marchand, tokensValidAfter });
    const { source, identity } = attempt;
    emit(() => {
      return {
        type: 'login_succeeded',
        realm,
        source: source.source,
        emailDigest: identity.emailDigest,
        accountId: account.id,
      };
    });
    // After the answer, so that the upgrade does not delay it.
    inNextPhase(() => void upgradeHash(this.#config, attempt, credentials));
    return { account, token };
  }
}

/**
 * Makes the login for a host that keeps its own login route.
 * @throws TypeError for a store without its two methods, a missing secret, tokens that cannot sign, or an unknown
 *   option
 */
export function createLogin<Account extends MerchantAccount>(
  userStore: UserStore<Account>,
  options: LoginOptions = {},
): Login<Account> {
  checkCalled('createLogin', userStore);
  return new Login<Account>(parseLoginOptions('createLogin', userStore, options));
}

function checkArguments(credentials: LoginCredentials): LoginCredentials {
  const { identifier, password } = credentials ?? {};
  for (const [name, text] of Object.entries({ identifier, password })) {
    const isValid = typeof text === 'string' && text !== '' && text.isWellFormed() && !text.includes('\0');
    // The first comparison keeps megabytes from being split. A character has one or two code units.
    if (!isValid || text.length > 2 * MAX_CHARACTERS || Array.from(text).length > MAX_CHARACTERS) {
      const description = `The ${name} must be a text of 1 to ${MAX_CHARACTERS} characters, without NUL.`;
      throw new AuthError('invalid_body', { description });
    }
  }
  return { identifier, password };
}

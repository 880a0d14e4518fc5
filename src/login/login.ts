import type { IncomingMessage } from 'node:http';
import { AuthError } from '../errors/auth-error.js';
import { emit } from '../events/auth-event.js';
import { type RefusalPlace, reportRefusal } from '../events/report-refusal.js';
import { callerOf } from '../queue/disconnect.js';
import { inNextPhase } from '../base/next-phase.js';
import { BRAND } from '../base/another-copy.js';
import { checkCalled, isFilledString } from '../base/check-options.js';
import { type OptionParser, parseOptions } from '../base/parse-options.js';
import { addressOfPrefix, sourcePrefix } from '../sources/address.js';
import { determineSource, remindOfProblem, type Source } from '../sources/determine-source.js';
import { requireAllowedSource } from '../sources/require-allowed-source.js';
import type { MerchantAccount, UserStore } from '../store/user-store.js';
import type { ThrottleCheck } from '../throttle/throttle-types.js';
import { checkCall, checkTexts, type LoginCredentials } from './check-arguments.js';
import { identify } from './login-identity.js';
import { LOGIN_OPTIONS, loginConfig, type LoginConfig, type LoginOptions } from './login-options.js';
import { createCheckPassword } from './passport-local.js';
import { upgradeHash } from './upgrade-hash.js';

/** A successful login. */
export interface LoginResult<Account extends MerchantAccount = MerchantAccount> {
  /** The account object that the store returned. */
  readonly account: Account;
  /** The bearer token, valid for 18,000 seconds (docs/interface.md 5.4). Send it with `Cache-Control: no-store`. */
  readonly token: string;
}

type ReadCredentials = () => LoginCredentials | Promise<LoginCredentials>;
type Exit = () => void;

const NO_IDENTIFIER = 'login.forgive needs the email or user name first: login.forgive(identifier, { source }).';

/** Logs accounts in for a host with its own login route, request body or answer. `createLogin` makes it. */
export class Login<Account extends MerchantAccount = MerchantAccount> {
  /** @internal */
  static readonly [BRAND] = 'Login';

  readonly #config: LoginConfig;
  readonly #checkPassword: ReturnType<typeof createCheckPassword>;

  /** @internal */
  constructor(config: LoginConfig) {
    this.#config = config;
    this.#checkPassword = createCheckPassword(config);
  }

  /**
   * Checks an identifier and a password, and issues a token. Reads `req` only for the caller's address and to notice a
   * disconnect, and never writes an answer. After a good login, replaces an outdated hash in the background.
   * @throws AuthError `invalid_body` unless identifier and password are strings of 1 to 255 code points, without NUL or
   *   lone surrogates
   * @throws AuthError `too_busy`, `too_many_attempts`, `store_unavailable`, `malformed_account`, `wrong_credentials`,
   *   `account_disabled` or `source_not_allowed`
   * @throws TypeError for a call without `req`, or without both members
   * @throws Error named `AbortError` when the caller has disconnected, or a tool that watches passport-local has answered
   *   the request
   */
  async attempt(req: IncomingMessage, credentials: LoginCredentials): Promise<LoginResult<Account>> {
    checkCall(req, credentials);
    return this.logIn(req, () => checkTexts(credentials));
  }

  /**
   * @internal Logs in, in the order of docs/login.svg. Each login with a place costs one hash computation, or its time
   *   would show which accounts exist.
   */
  async logIn(req: IncomingMessage, readCredentials: ReadCredentials): Promise<LoginResult<Account>> {
    const { admission, queue, realm, throttle, tokens } = this.#config;
    const source = determineSource(req);
    const stranger = () => ({ realm, source: source.source });
    const exits: Exit[] = [];
    try {
      const { body, caller, identity, keys, check } = await this.#reported(stranger, () => {
        // Not in an async function: a refusal joins its burst at once.
        admission.requireRoom(source.address);
        return this.#arrive(req, source, readCredentials, exits);
      });
      const { isKnown, isRepeated } = check;
      const login = () => ({ ...stranger(), emailDigest: identity.emailDigest });
      const guess = () => ({ ...login(), isRepeated });

      const { readAt, found, tokensValidAfter, facts } = await this.#reported(guess, async () => {
        refuseFor(check, source);
        const queued = queue.join(keys, isKnown, caller);
        exits.push(queued.leave);
        // Before the account is read. A suspended process could date the token after a revocation that the read missed.
        const readAt = tokens.now();
        return { readAt, ...(await this.#checkPassword(req, { body, identity, queued })) };
      });

      const failure = found === null ? await throttle.fail(keys, isKnown) : undefined;
      // Parallel guesses all passed the first check.
      const recheck = failure ?? (await throttle.recheck(keys, isKnown));

      const outcome = () => ({ ...login(), ...facts, isRepeated: failure && (isRepeated || failure.isRepeated) });
      return await this.#reported(outcome, () => {
        refuseFor(recheck, source);
        if (found === null) throw new AuthError('wrong_credentials', { realm });
        if (found.account.disabled) throw new AuthError('account_disabled', { realm });
        const { allowedSources } = found.account;
        if (allowedSources != null) requireAllowedSource(allowedSources, source);
        throttle.succeed(keys, recheck);
        const account = found.account as Account;
        const { id, marchand } = account;
        const token = tokens.issueAt(readAt, { id, marchand, tokensValidAfter });
        const success = () => ({ ...login(), accountId: id });
        emit(() => ({ type: 'login_succeeded', ...success() }));
        // After the answer.
        inNextPhase(() => void upgradeHash(this.#config, body.password, found, success));
        return { account, token };
      });
    } finally {
      for (const exit of exits) exit();
    }
  }

  async #arrive(req: IncomingMessage, source: Source, readCredentials: ReadCredentials, exits: Exit[]) {
    const { admission, digest, realm, throttle } = this.#config;
    const { identifier, password } = await readCredentials();
    const caller = callerOf(req);
    caller.requirePresence();
    exits.push(admission.enter(source.address));
    const identity = identify(digest, realm, identifier, source);
    const keys = identity.keys(password);
    return { body: { identifier, password }, caller, identity, keys, check: await throttle.check(keys) };
  }

  /** Runs a step, and reports its refusal with what is known before the step. */
  async #reported<Result>(place: () => RefusalPlace, step: () => Result | Promise<Result>): Promise<Result> {
    try {
      return await step();
    } catch (error) {
      if (error instanceof AuthError && error.code === 'too_busy') await this.#config.admission.waitToRefuse();
      reportRefusal(error, place);
      throw error;
    }
  }

  /**
   * Clears the failed logins of an identifier. Counts that another process made in its memory during an outage stay
   * until they expire.
   * @param options.source the `source` of the event `login_throttled`, or any address of its /64. Clears the failures of
   *   this identifier from there too
   * @throws Error when the backend of the throttle fails. Call `forgive` again
   * @throws TypeError for an identifier that is empty or not a string, an unknown option, or a `source` that is not an
   *   address
   */
  async forgive(identifier: string, options: { readonly source?: string } = {}): Promise<void> {
    if (!isFilledString(identifier)) throw new TypeError(NO_IDENTIFIER);
    const { source } = parseOptions('login.forgive', options, { source: parseSource });
    const { digest, realm, throttle } = this.#config;
    const { keys, emailDigest } = identify(digest, realm, identifier, { source, address: source ?? '' });
    const { email, emailAndSource } = keys('');
    await throttle.forgive(email, source && emailAndSource);
    emit(() => ({ type: 'login_forgiven', realm, source, emailDigest }));
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
  return new Login<Account>(loginConfig('createLogin', userStore, parseOptions('createLogin', options, LOGIN_OPTIONS)));
}

const parseSource: OptionParser<string | undefined> = (where, value) => {
  if (value === undefined) return undefined;
  const prefix = typeof value === 'string' && sourcePrefix(addressOfPrefix(value));
  if (prefix) return prefix;
  throw new TypeError(`${where} must be an address, or the source of the event login_throttled.`);
};

function refuseFor(check: ThrottleCheck, source: Source): void {
  if (check.seconds === 0) return;
  remindOfProblem(source, check.isSourceLimit);
  throw new AuthError('too_many_attempts', { retryAfterSeconds: check.seconds });
}

import type { IncomingMessage } from 'node:http';
import { asError } from '../base/as-error.js';
import { abortIfAnswered } from '../queue/disconnect.js';
import { findAccount } from './find-account.js';
import type { LoginIdentity } from './login-identity.js';
import type { LoginConfig } from './login-options.js';
import type { LoginQueue } from '../queue/login-queue.js';

const STRATEGY = 'merchant-login';
const FIELDS = { usernameField: 'identifier', passwordField: 'password', passReqToCallback: true } as const;

type Lookup = Awaited<ReturnType<typeof findAccount>>;

interface Attempt {
  readonly body: { readonly identifier: string; readonly password: string };
  readonly identity: LoginIdentity;
  readonly queued: Pick<ReturnType<LoginQueue['join']>, 'compare'>;
}

/** In place of the request, which monitoring tools report. */
interface Verifying extends Attempt {
  /** Not in the outcome, which tools read: it has the stored hash. */
  lookup?: Lookup;
  /** Does nothing after an outcome. */
  readonly end: (reason?: unknown) => void;
}

/**
 * Checks an identifier and a password with passport-local. The Passport is private, and the strategy has a name:
 * overlapping logins would share one that is passed as an object (passport 0.7). A tool that wraps passport-local can read
 * both texts and keep the outcome back (docs/failed-logins.md). A direct call can replace this file when the project may
 * drop passport-local.
 */
export function createCheckPassword(config: LoginConfig) {
  const { Passport } = require('passport') as typeof import('passport');
  const { Strategy } = require('passport-local') as typeof import('passport-local');
  const own = new Passport();
  own.use(
    STRATEGY,
    new Strategy(FIELDS, (given, identifier, password, done) => {
      const attempt = given as unknown as Verifying;
      const verify = async () => {
        const lookup = await findAccount(config, identifier, attempt.identity);
        attempt.lookup = lookup;
        const { hash } = lookup;
        const isRight = await attempt.queued.compare(`${hash.isDecoy} ${hash.hash}`, (place) =>
          config.passwords.compare(password, hash, place),
        );
        done(null, isRight && lookup.found?.account);
      };
      // A tool that blocks an account drops the call of `done`: the login would keep its place.
      verify()
        .catch((reason: unknown) => done(asError(reason)))
        .then(() => attempt.end(), attempt.end);
    }),
  );

  /**
   * Resolves with `found: null` unless the password is right.
   * @throws AuthError of the lookup or of `compare`, and an `AbortError` when a tool has answered the request
   */
  return function checkPassword(req: IncomingMessage, attempt: Attempt): Promise<Lookup> {
    return new Promise((resolve, reject) => {
      const end = (reason?: unknown) => {
        reject(asError(reason ?? abortIfAnswered(req) ?? new Error('passport-local reported no outcome')));
      };
      const given: Verifying = { ...attempt, end };
      const settle = (error: unknown, account: unknown) => {
        if (error || given.lookup === undefined) end(error);
        else resolve(account ? given.lookup : { ...given.lookup, found: null });
      };
      const run = own.authenticate(STRATEGY, settle) as (req: object, res: undefined, next: typeof end) => void;
      run(given, undefined, end);
    });
  };
}

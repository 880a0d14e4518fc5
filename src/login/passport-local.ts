import passport from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import { asError } from '../errors/as-error.js';
import { AuthError } from '../errors/auth-error.js';
import type { Credentials } from '../store/user-store.js';
import { type LoginAttempt, type LoginConfig, verifyCredentials } from './verify-credentials.js';

/** Finds the account that an email and a password open, with its hash. */
export type Authenticate = (attempt: LoginAttempt) => Promise<Credentials>;

const STRATEGY = 'merchant-login';
const FIELDS = { usernameField: 'email', passwordField: 'password', passReqToCallback: true } as const;

/**
 * passport-local behind a Passport of its own, so that the host's is untouched. The strategy gets the attempt in place of
 * the request: `authenticate` writes on what it is given, and passport-local would look into the query string.
 * @returns a function that rejects with what `verifyCredentials` throws
 */
export function createAuthenticate(config: LoginConfig): Authenticate {
  const own = new passport.Passport();
  own.use(
    STRATEGY,
    new LocalStrategy(FIELDS, (attempt, _email, _password, done) => {
      verifyCredentials(config, attempt as unknown as LoginAttempt).then(
        (found) => done(null, found),
        (reason: unknown) => done(asError(reason)),
      );
    }),
  );

  return (attempt) =>
    new Promise((resolve, reject) => {
      const authenticate = own.authenticate(STRATEGY, (error: Error | null, found?: Credentials | false) => {
        if (found) resolve(found);
        else reject(error ?? new AuthError('wrong_credentials', { realm: config.realm }));
      }) as (req: LoginAttempt, res: undefined, next: (err: Error) => void) => void;
      authenticate(attempt, undefined, reject);
    });
}

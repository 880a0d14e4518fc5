import passport from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import { asError } from '../errors/as-error.js';
import { AuthError } from '../errors/auth-error.js';
import type { Passwords } from '../passwords/passwords.js';
import { callStore } from '../store/call-store.js';
import { checkCredentials } from '../store/check-account.js';
import type { Credentials, UserStore } from '../store/user-store.js';
import type { LoginBody } from './credentials-schema.js';

/** Finds the account that an email and a password open, with its hash. */
export type Authenticate = (body: LoginBody) => Promise<Credentials>;

export interface AuthenticateConfig {
  readonly userStore: UserStore;
  readonly passwords: Passwords;
  readonly storeTimeoutMs: number;
  readonly realm: string;
}

const STRATEGY = 'merchant-login';

/**
 * passport-local behind a Passport of its own, so that the host's is untouched. The strategy gets a bare object in place
 * of the request: `authenticate` writes on what it is given, and passport-local would look into the query string.
 * @returns a function that rejects with AuthError `wrong_credentials`, `account_disabled`, `store_unavailable` or
 *   `malformed_account`, or with whatever `passwords` throws
 */
export function createAuthenticate(config: AuthenticateConfig): Authenticate {
  const own = new passport.Passport();
  own.use(
    STRATEGY,
    new LocalStrategy({ usernameField: 'email', passwordField: 'password' }, (email, password, done) => {
      verifyCredentials(config, { email, password }).then(
        (found) => done(null, found),
        (reason: unknown) => done(asError(reason)),
      );
    }),
  );

  return (body) =>
    new Promise((resolve, reject) => {
      const authenticate = own.authenticate(STRATEGY, (error: Error | null, found?: Credentials | false) => {
        if (found) resolve(found);
        else reject(error ?? new AuthError('wrong_credentials', { realm: config.realm }));
      }) as (req: object, res: undefined, next: (err: Error) => void) => void;
      authenticate({ body }, undefined, reject);
    });
}

/** Unknown email, wrong password and no usable hash: the same answer, and one hash computation each. */
async function verifyCredentials(config: AuthenticateConfig, { email, password }: LoginBody): Promise<Credentials> {
  const { userStore, passwords, storeTimeoutMs, realm } = config;
  const found = await callStore('findCredentials', storeTimeoutMs, () => userStore.findCredentials(email));
  checkCredentials(found);
  const matches: unknown = await passwords.verify(password, found?.passwordHash ?? null);
  if (found === null || matches !== true) throw new AuthError('wrong_credentials', { realm });
  if (found.account.disabled) throw new AuthError('account_disabled', { realm });
  return found;
}

import { asError } from '../errors/as-error.js';

const STRATEGY = 'merchant-login';
const FIELDS = { usernameField: 'name', passwordField: 'name', passReqToCallback: true } as const;

const NO_NAME = 'a merchant';

/**
 * Makes a function that runs a login as the verify function of passport-local. The Passport is private, so that the host's
 * stays untouched, and the strategy has a name, because overlapping requests would share one that is passed as an object.
 * The strategy gets neither the request nor the email, because monitoring tools report both. This file can go, in favor of
 * a direct call, when the project may drop passport-local.
 */
export function createPassportLocal(): <Result>(logIn: () => Promise<Result>) => Promise<Result> {
  const { Passport } = require('passport') as typeof import('passport');
  const { Strategy } = require('passport-local') as typeof import('passport-local');
  const own = new Passport();
  own.use(
    STRATEGY,
    new Strategy(FIELDS, (given, _name, _password, done) => {
      const { logIn } = given as unknown as { logIn: () => Promise<void> };
      logIn().then(
        () => done(null, true),
        (reason: unknown) => done(asError(reason)),
      );
    }),
  );

  return function throughPassportLocal<Result>(logIn: () => Promise<Result>) {
    return new Promise<Result>((resolve, reject) => {
      let result: Result;
      const login = async () => void (result = await logIn());
      const settle = (error: Error | null) => {
        if (error) reject(error);
        else resolve(result);
      };
      const run = own.authenticate(STRATEGY, settle) as (req: object, res: undefined, next: typeof reject) => void;
      run({ body: { name: NO_NAME }, logIn: login }, undefined, reject);
    });
  };
}

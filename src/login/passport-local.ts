import { asError } from '../errors/host-calls.js';

const STRATEGY = 'merchant-login';
const FIELDS = { usernameField: 'identifier', passwordField: 'password', passReqToCallback: true } as const;

/**
 * Runs `verify` as the verify function of passport-local. A private Passport holds the strategy, so that the host's
 * Passport stays untouched. The strategy has a name, because overlapping requests would share a strategy that is passed
 * as an object. The strategy gets the credentials instead of the request, because passport would write to the request,
 * and passport-local would read the query string. This file can go, in favor of a direct call, when the project may
 * drop passport-local.
 * @param verify resolves to true for right credentials
 */
export function throughPassportLocal<Given extends { identifier: string; password: string }>(
  verify: (given: Given) => Promise<boolean>,
): (given: Given) => Promise<boolean> {
  const { Passport } = require('passport') as typeof import('passport');
  const { Strategy } = require('passport-local') as typeof import('passport-local');
  const own = new Passport();
  own.use(
    STRATEGY,
    new Strategy(FIELDS, ({ body }, _identifier, _password, done) => {
      const given = body as Given;
      verify(given).then(
        (isRight) => done(null, isRight && given),
        (reason: unknown) => done(asError(reason)),
      );
    }),
  );

  return function authenticate(given) {
    return new Promise((resolve, reject) => {
      const run = own.authenticate(STRATEGY, (error: Error | null, user?: Given | false) => {
        if (error) reject(error);
        else resolve(user === given);
      }) as (req: { readonly body: Given }, res: undefined, next: (err: Error) => void) => void;
      run({ body: given }, undefined, reject);
    });
  };
}

import { asError } from '../errors/host-calls.js';

/** A login attempt in the form that passport-local reads. */
interface Attempt<Input> {
  readonly body: { readonly identifier: string; readonly password: string };
  readonly input: Input;
}

const STRATEGY = 'merchant-login';
const FIELDS = { usernameField: 'identifier', passwordField: 'password', passReqToCallback: true } as const;

/**
 * Runs `verify` as the verify function of passport-local. A private Passport holds the strategy, so that the host's
 * Passport stays untouched. The strategy has a name, because overlapping requests would share a strategy that is passed
 * as an object. The strategy gets the attempt instead of the request. Otherwise passport would write to the request,
 * and passport-local would read its query string. This file can go, in favor of a direct call, when the project may
 * drop passport-local.
 */
export function throughPassportLocal<Input extends { identifier: string; password: string }, Result extends object>(
  verify: (input: Input) => Promise<Result>,
): (input: Input) => Promise<Result> {
  const { Passport } = require('passport') as typeof import('passport');
  const { Strategy } = require('passport-local') as typeof import('passport-local');
  const own = new Passport();
  own.use(
    STRATEGY,
    new Strategy(FIELDS, (attempt, _identifier, _password, done) => {
      verify((attempt as unknown as Attempt<Input>).input).then(
        (found) => done(null, found),
        (reason: unknown) => done(asError(reason)),
      );
    }),
  );

  return function authenticate(input) {
    return new Promise((resolve, reject) => {
      const { identifier, password } = input;
      const attempt: Attempt<Input> = { body: { identifier, password }, input };
      const run = own.authenticate(STRATEGY, (error: Error | null, found?: Result | false) => {
        if (found) resolve(found);
        else reject(error ?? new Error('passport-local reported no outcome'));
      }) as (req: Attempt<Input>, res: undefined, next: (err: Error) => void) => void;
      run(attempt, undefined, reject);
    });
  };
}

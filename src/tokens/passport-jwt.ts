import { Strategy } from 'passport-jwt';
import { pauseStackTraces } from '../base/stack-traces.js';
import type { Algorithm } from './algorithms.js';
import type { Key } from './keys.js';

interface Presented {
  readonly token: string;
}

/** Each function throws the error with which it refuses a token. */
interface Rules<Claims> {
  readonly algorithms: readonly Algorithm[];
  readonly keyOf: (token: string) => Key;
  /** Runs after the signature check. */
  readonly claimsOf: (payload: unknown, token: string) => Claims;
}

/**
 * The guard reads the account afterwards, for cached tokens too. `passport.authenticate` is left out: it takes 50
 * microseconds and changes the session manager of a host with sessions. `jsonwebtoken.verify` can replace this file when
 * the project may drop passport-jwt.
 */
export function createReadToken<Claims extends object>({ algorithms, keyOf, claimsOf }: Rules<Claims>) {
  const strategy = new Strategy(
    {
      passReqToCallback: true,
      // Without text passport-jwt asks for no key, and `keyOf` has to refuse a missing token.
      jwtFromRequest: (presented) => (presented as unknown as Presented).token || 'none',
      secretOrKeyProvider(_presented, token: string, done) {
        done(null, keyOf(token).verifyingKey as never);
      },
      // passport-jwt ignores it in jsonWebTokenOptions.
      algorithms: [...algorithms],
      // tokens/rules.ts checks the times by the clock of these tokens.
      ignoreExpiration: true,
      // oxlint-disable-next-line typescript/no-deprecated -- the only way to pass ignoreNotBefore
      jsonWebTokenOptions: { ignoreNotBefore: true },
    },
    ({ token }: Presented, payload: unknown, done: (error: null, claims: Claims) => void) => {
      done(null, claimsOf(payload, token));
    },
  );

  /** @param refuse makes the error for a bad signature from passport-jwt's reason */
  return function readToken(token: string, refuse: (reason: unknown) => Error): Claims {
    let outcome = (): Claims => {
      throw new Error('passport-jwt reported no outcome');
    };
    // As passport does: the strategy reports to itself, and overlapping calls would mix their outcomes.
    const attempt = Object.create(strategy) as Strategy;
    attempt.success = (claims) => {
      outcome = () => claims as Claims;
    };
    attempt.error = (error: unknown) => {
      outcome = () => {
        throw error as Error;
      };
    };
    attempt.fail = (reason: unknown) => attempt.error(refuse(reason));
    const resumeStackTraces = pauseStackTraces();
    try {
      attempt.authenticate({ token } satisfies Presented as never);
    } finally {
      resumeStackTraces();
    }
    return outcome();
  };
}

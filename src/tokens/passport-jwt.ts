import { Strategy } from 'passport-jwt';
import { pauseStackTraces } from '../base/stack-traces.js';
import type { Algorithm } from './algorithms.js';
import type { Key } from './keys.js';

interface Presented {
  readonly token: string;
}

/** The rules of tokens. Each function throws the error with which it refuses a token. */
interface Rules<Claims> {
  readonly algorithms: readonly Algorithm[];
  readonly keyOf: (token: string) => Key;
  /** Returns the claims in the payload of a token with a good signature. */
  readonly claimsOf: (payload: unknown, token: string) => Claims;
}

/**
 * Reads a token with a passport-jwt strategy: its `secretOrKeyProvider` finds the key by the header, and its verify
 * callback checks and freezes the claims. The guard reads the account afterwards, because it reads it for cached tokens
 * too. Each call has its own `Object.create(strategy)`, as in passport, whose `authenticate` is left out: it takes 50
 * microseconds and changes the session manager of a host with sessions. This file can go, in favor of
 * `jsonwebtoken.verify`, when the project may drop passport-jwt.
 */
export function createReadToken<Claims extends object>({ algorithms, keyOf, claimsOf }: Rules<Claims>) {
  const strategy = new Strategy(
    {
      passReqToCallback: true,
      // passport-jwt asks for no key when it gets no text, and `keyOf` refuses a missing token like any other text.
      jwtFromRequest: (presented) => (presented as unknown as Presented).token || 'none',
      secretOrKeyProvider(_presented, token: string, done) {
        done(null, keyOf(token).verifyingKey as never);
      },
      // Not in jsonWebTokenOptions, because passport-jwt ignores it there.
      algorithms: [...algorithms],
      // tokens/rules.ts checks the times, because they need the clock of these tokens.
      ignoreExpiration: true,
      // oxlint-disable-next-line typescript/no-deprecated -- the only way to pass ignoreNotBefore
      jsonWebTokenOptions: { ignoreNotBefore: true },
    },
    ({ token }: Presented, payload: unknown, done: (error: null, claims: Claims) => void) => {
      done(null, claimsOf(payload, token));
    },
  );

  /** Returns the claims. `refuse` makes the error for a token without a good signature from the reason of passport-jwt. */
  return function readToken(token: string, refuse: (reason: unknown) => Error): Claims {
    let outcome = (): Claims => {
      throw new Error('passport-jwt reported no outcome');
    };
    // The strategy reports its outcome to itself, and overlapping calls would get each other's.
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

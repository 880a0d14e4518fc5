import { Strategy } from 'passport-jwt';
import { pauseStackTraces } from '../errors/stack-traces.js';
import type { Algorithm } from './algorithms.js';
import type { Key } from './keys.js';

interface Presented {
  readonly token: string;
  readonly key: Key;
}

/**
 * Verifies signatures with one passport-jwt strategy, but without passport's `authenticate`, which takes 50
 * microseconds and changes the session manager of a host with sessions. Each call has its own
 * `Object.create(strategy)`, because the strategy reports its result to the object itself, and overlapping calls would
 * get each other's result. This file can go, in favor of `jsonwebtoken.verify`, when the project may drop passport-jwt.
 */
export function createVerifySignature(algorithms: readonly Algorithm[]) {
  const strategy = new Strategy(
    {
      jwtFromRequest: (presented) => (presented as unknown as Presented).token,
      secretOrKeyProvider(presented, _token, done) {
        done(null, (presented as unknown as Presented).key.verifyingKey as never);
      },
      // Not in jsonWebTokenOptions, because passport-jwt ignores it there.
      algorithms: [...algorithms],
      // tokens/rules.ts checks the times, because they need the clock of these tokens.
      ignoreExpiration: true,
      // oxlint-disable-next-line typescript/no-deprecated -- the only way to pass ignoreNotBefore
      jsonWebTokenOptions: { ignoreNotBefore: true },
    },
    (payload: unknown, done) => {
      done(null, { payload });
    },
  );

  /** Returns the payload. @throws the error with which passport-jwt refused the token */
  return function verifySignature(token: string, key: Key): unknown {
    let outcome = (): unknown => {
      throw new Error('passport-jwt reported no outcome');
    };
    const attempt = Object.create(strategy) as Strategy;
    attempt.success = (verified) => {
      outcome = () => (verified as { payload: unknown }).payload;
    };
    attempt.fail = attempt.error = (reason: unknown) => {
      outcome = () => {
        throw reason as Error;
      };
    };
    const resumeStackTraces = pauseStackTraces();
    try {
      attempt.authenticate({ token, key } satisfies Presented as never);
    } finally {
      resumeStackTraces();
    }
    return outcome();
  };
}

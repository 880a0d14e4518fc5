import { Strategy } from 'passport-jwt';
import { limitStackTraces } from '../errors/stack-traces.js';
import type { Algorithm } from './algorithms.js';
import type { Key } from './keys.js';

/** The strategy gets this in place of a request. */
interface Presented {
  readonly token: string;
  readonly key: Key;
}

/** Returns the payload of a token. @throws the error with which passport-jwt refused its signature */
export type VerifySignature = (token: string, key: Key) => unknown;

/**
 * Drives one configured passport-jwt strategy. passport's own `authenticate` is not used, because it costs a request 50 us
 * in writes on `req` and changes the session manager of a host that has sessions. Each call gets its own
 * `Object.create(strategy)`, because the strategy reports to the object itself and overlapping calls would get each other's
 * outcome. This file can go, in favor of `jsonwebtoken.verify`, when the project may drop passport-jwt.
 */
export function createVerifySignature(algorithms: readonly Algorithm[]): VerifySignature {
  const strategy = new Strategy(
    {
      jwtFromRequest: (presented) => (presented as unknown as Presented).token,
      secretOrKeyProvider(presented, _token, done) {
        done(null, (presented as unknown as Presented).key.verifyingKey as never);
      },
      // Beside jsonWebTokenOptions, because passport-jwt drops it inside them.
      algorithms: [...algorithms],
      // tokens/rules.ts has all rules on claims, because they need the clock of these tokens.
      ignoreExpiration: true,
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way to pass ignoreNotBefore
      jsonWebTokenOptions: { ignoreNotBefore: true },
    },
    (payload: unknown, done) => {
      done(null, { payload });
    },
  );

  return function verifySignature(token, key) {
    let payload: unknown;
    let failure: unknown = new Error('passport-jwt reported no outcome');
    const attempt = Object.create(strategy) as Strategy;
    attempt.success = (verified) => {
      failure = undefined;
      ({ payload } = verified as { payload: unknown });
    };
    attempt.fail = attempt.error = (reason: unknown) => {
      failure = reason instanceof Error ? reason : new Error(String(reason));
    };
    const { stackTraceLimit } = Error;
    limitStackTraces(0);
    try {
      attempt.authenticate({ token, key } satisfies Presented as never);
    } finally {
      limitStackTraces(stackTraceLimit);
    }
    if (failure !== undefined) throw failure as Error;
    return payload;
  };
}

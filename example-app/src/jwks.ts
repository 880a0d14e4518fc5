import type { RequestHandler } from 'express';
import type { Tokens } from 'express-merchant-auth';

/**
 * Limits the time for which a verifier caches the keys, in seconds. A rotation waits one hour before a new key signs, and
 * five hours before the old key is removed (docs/keys.md). The limit is far below both.
 */
const MAX_AGE_SECONDS = 300;

/** Answers with the public keys of the tokens, so that other services can verify them. Mount it before the guard. */
export function publishKeys(tokens: Tokens): RequestHandler {
  return (_req, res) => {
    res.set('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`).json(tokens.jwks());
  };
}

import { parseBody, textOf } from './merchant-api-error.js';
import { readText } from './read-text.js';

/** The codes of the service's guard (docs/for-merchants.md). Each means that no handler ran. */
export const GUARD_CODES = ['missing_token', 'invalid_token', 'expired_token', 'revoked_token'] as const;

/**
 * Returns true if the service's guard refused the token, so that a repetition pays nothing twice. Any other 401 can be that
 * of a handler, which may have acted. A body decides alone, because a handler can relay the challenge of another service.
 * Only the answer to a HEAD is judged by its challenge, because it has no body. The caller can still read the body.
 */
export async function isGuardRefusal(answer: Response, method: string | undefined): Promise<boolean> {
  if (answer.status !== 401 || answer.redirected || answer.bodyUsed) return false;
  // The guard's body has less than 1 KiB, and a clone in node-fetch stops at 16 KiB.
  const text = await readText(answer.clone(), 8_192);
  if (text !== '') return (GUARD_CODES as readonly unknown[]).includes(textOf(parseBody(text ?? ''), 'error'));
  const challenge = answer.headers.get('WWW-Authenticate') ?? '';
  const [, code = 'invalid_token'] = /\berror\s*=\s*"?([^",\s]*)/i.exec(challenge) ?? [];
  return /^head$/i.test(method ?? 'GET') && /^bearer(?:\s|$)/i.test(challenge) && code === 'invalid_token';
}

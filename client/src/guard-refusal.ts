import { parseBody } from './merchant-api-error.js';
import { readText } from './read-text.js';

/** Codes of the service's guard (docs/for-merchants.md). With each, no handler ran. */
export const GUARD_CODES = ['missing_token', 'invalid_token', 'expired_token', 'revoked_token'] as const;

/**
 * Returns true if the guard refused the token, so that a repetition pays nothing twice. A handler that has acted can
 * relay a challenge or a body, so both must be the guard's. A GET or HEAD pays nothing: one is enough. API Gateway of
 * AWS renames the header. The body stays readable.
 */
export async function isGuardRefusal(answer: Response, method = 'GET'): Promise<boolean> {
  if (answer.status !== 401 || answer.redirected || answer.bodyUsed) return false;
  const { headers } = answer;
  const challenge = headers.get('WWW-Authenticate') ?? headers.get('x-amzn-Remapped-WWW-Authenticate') ?? '';
  const [, code = 'invalid_token'] = /\berror\s*=\s*"?([^",\s]*)/i.exec(challenge) ?? [];
  const isChallenge = /^bearer(?:\s|$)/i.test(challenge) && code === 'invalid_token';
  if (!isChallenge && !/^(?:get|head)$/i.test(method)) return false;
  // The guard's body has less than 1 KiB. A clone in node-fetch stops at 16 KiB.
  const text = await readText(answer.clone(), 8_192);
  if (text === '') return isChallenge && /^head$/i.test(method);
  const { success, error } = Object(parseBody(text ?? '')) as Readonly<Record<string, unknown>>;
  return success === false && (GUARD_CODES as readonly unknown[]).includes(error);
}

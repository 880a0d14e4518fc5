import { parseBody } from './merchant-api-error.js';
import { readText } from './read-text.js';

/** The codes of the service's guard (docs/for-merchants.md). Each means that no handler ran. */
export const GUARD_CODES = ['missing_token', 'invalid_token', 'expired_token', 'revoked_token'] as const;

/**
 * Returns true if the service's guard refused the token, so that a repetition pays nothing twice. Any other 401 can be that
 * of a handler, which may have acted. A handler can relay the challenge or the body of another service, so both must be the
 * guard's. A GET and a HEAD pay nothing, so one is enough. API Gateway of AWS renames the header. The body stays readable.
 */
export async function isGuardRefusal(answer: Response, method = 'GET'): Promise<boolean> {
  if (answer.status !== 401 || answer.redirected || answer.bodyUsed) return false;
  const { headers } = answer;
  const challenge = headers.get('WWW-Authenticate') ?? headers.get('x-amzn-Remapped-WWW-Authenticate') ?? '';
  const [, code = 'invalid_token'] = /\berror\s*=\s*"?([^",\s]*)/i.exec(challenge) ?? [];
  const isChallenge = /^bearer(?:\s|$)/i.test(challenge) && code === 'invalid_token';
  if (!isChallenge && !/^(?:get|head)$/i.test(method)) return false;
  // The guard's body has less than 1 KiB, and a clone in node-fetch stops at 16 KiB.
  const text = await readText(answer.clone(), 8_192);
  if (text === '') return isChallenge && /^head$/i.test(method);
  const { success, error } = Object(parseBody(text ?? '')) as Readonly<Record<string, unknown>>;
  return success === false && (GUARD_CODES as readonly unknown[]).includes(error);
}

import { MerchantApiError } from './merchant-api-error.js';

/** The codes of the service's guard (docs/for-merchants.md). */
const CODES = ['missing_token', 'invalid_token', 'expired_token', 'revoked_token'];

const QUOTED = /"((?:[^"\\]|\\.)*)"/g;

/**
 * Returns true if the guard of the service refused the token, so that no handler ran. A handler's own 401 can come after
 * it has acted, for example when its own upstream refused it, and a repetition would pay twice.
 * @param text the body, or `undefined` when it is not known, which counts as a handler's
 */
export function isGuardRefusal(answer: Response, text: string | undefined): boolean {
  if (answer.status !== 401 || answer.redirected || text === undefined) return false;
  const { body, error = '' } = new MerchantApiError(answer, text);
  const hasError = 'error' in Object(body);
  return hasError ? CODES.includes(error) : asksForToken(answer.headers.get('WWW-Authenticate') ?? '');
}

/**
 * Returns true if a challenge (RFC 9110 section 11.6.1) is `Bearer`, and no challenge has an `error` other than
 * `invalid_token`, for example that of a step-up (RFC 9470).
 */
function asksForToken(challenges: string): boolean {
  // A quoted text can contain commas and the names of parameters.
  const plain = challenges.replace(QUOTED, (_quoted, text: string) => encodeURIComponent(text));
  const errors = Array.from(plain.matchAll(/(?:^|[\s,])error\s*=\s*([^\s,]*)/gi), ([, code]) => code);
  return (
    /(?:^|,)\s*bearer(?:\s|,|$)/i.test(plain) &&
    !plain.includes('"') &&
    errors.every((code) => code === 'invalid_token')
  );
}

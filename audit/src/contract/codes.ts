import type { AuthErrorCode } from 'express-merchant-auth';

// The cases take the codes that they expect from here, so that a renamed code changes one file.
export const INVALID_BODY = 'invalid_body' satisfies AuthErrorCode;
export const WRONG_CREDENTIALS = 'wrong_credentials' satisfies AuthErrorCode;
export const ACCOUNT_DISABLED = 'account_disabled' satisfies AuthErrorCode;
export const TOO_MANY_ATTEMPTS = 'too_many_attempts' satisfies AuthErrorCode;
export const SOURCE_NOT_ALLOWED = 'source_not_allowed' satisfies AuthErrorCode;
export const MISSING_TOKEN = 'missing_token' satisfies AuthErrorCode;
export const INVALID_TOKEN = 'invalid_token' satisfies AuthErrorCode;
export const EXPIRED_TOKEN = 'expired_token' satisfies AuthErrorCode;
export const MISSING_REFERENCE = 'missing_reference' satisfies AuthErrorCode;
export const FOREIGN_REFERENCE = 'foreign_reference' satisfies AuthErrorCode;

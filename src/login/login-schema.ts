import { MAX_CHARACTERS } from '../passwords/login-text.js';

/** The login request body of docs/interface.md 2.1. */
export interface LoginBody {
  readonly email: string;
  readonly password: string;
}

/**
 * The JSON Schema of `LoginBody`, which the OpenAPI document shows too. Ajv counts code points, which are the
 * "characters" of docs/interface.md.
 */
export const LOGIN_SCHEMA = {
  type: 'object',
  required: ['email', 'password'],
  properties: {
    email: {
      type: 'string',
      minLength: 5,
      maxLength: MAX_CHARACTERS,
      format: 'email-with-at',
      description: 'The API email. It has an @ and no NUL.',
    },
    password: {
      type: 'string',
      minLength: 6,
      maxLength: MAX_CHARACTERS,
      format: 'well-formed',
      description: 'The API password, in well-formed Unicode.',
    },
  },
} as const;

/** Both refuse lone surrogates, and that of the email refuses NUL: databases store and compare them differently. */
export const LOGIN_FORMATS = {
  'email-with-at': /^(?=[^@]*@)[^\0\p{Surrogate}]*$/u,
  'well-formed': /^\P{Surrogate}*$/u,
} as const;

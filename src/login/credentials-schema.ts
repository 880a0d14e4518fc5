import { Ajv, type ErrorObject } from 'ajv';
import type { FieldError } from '../errors/auth-error.js';

/** The login request body of docs/interface.md 2.1. */
export interface LoginBody {
  readonly email: string;
  readonly password: string;
}

/** Lengths are counted in Unicode code points, which is what Ajv and docs/interface.md's "characters" count. */
const SCHEMA = {
  type: 'object',
  required: ['email', 'password'],
  properties: {
    email: { type: 'string', minLength: 5, maxLength: 255, format: 'email-with-at' },
    password: { type: 'string', minLength: 6, maxLength: 255, format: 'well-formed' },
  },
} as const;

type Field = keyof LoginBody;
interface LengthRule {
  readonly limit: number;
}

/** A sentence for each rule that can be broken. */
const MESSAGES: Readonly<Record<FieldError['rule'], (field: Field, params: LengthRule) => string>> = {
  required: (field) => `${field} is required.`,
  type: (field) => `${field} must be a string.`,
  minLength: (field, { limit }) => `${field} must have at least ${limit} characters.`,
  maxLength: (field, { limit }) => `${field} must have at most ${limit} characters.`,
  format: (field) =>
    field === 'email' ? 'email must be an address with an @.' : `${field} must be well-formed Unicode.`,
};

// A lone surrogate and NUL are stored and compared differently from one database to the next.
const validate = new Ajv({
  allErrors: true,
  ownProperties: true,
  formats: {
    'email-with-at': (email: string) => email.includes('@') && !email.includes('\0') && email.isWellFormed(),
    'well-formed': (password: string) => password.isWellFormed(),
  },
}).compile(SCHEMA);

/** Returns every rule of docs/interface.md 2.1 that a body breaks; none for a `LoginBody`. */
export function brokenRules(body: object): FieldError[] {
  return validate(body) ? [] : (validate.errors ?? []).map(toFieldError);
}

function toFieldError({ keyword, instancePath, params }: ErrorObject): FieldError {
  const rule = keyword as FieldError['rule'];
  const field = (
    rule === 'required' ? (params as { missingProperty: string }).missingProperty : instancePath.slice(1)
  ) as Field;
  return { field, rule, message: MESSAGES[rule](field, params as LengthRule) };
}

import { Ajv, type ErrorObject } from 'ajv';
import type { FieldError } from '../errors/auth-error.js';
import { LOGIN_SCHEMA, type LoginBody } from './login-schema.js';

type Field = keyof LoginBody;
interface LengthRule {
  readonly limit: number;
}

/** The sentence for each broken rule. */
const MESSAGES: Readonly<Record<FieldError['rule'], (field: Field, params: LengthRule) => string>> = {
  required: (field) => `${field} is required.`,
  type: (field) => `${field} must be a string.`,
  minLength: (field, { limit }) => `${field} must have at least ${limit} characters.`,
  maxLength: (field, { limit }) => `${field} must have at most ${limit} characters.`,
  format: (field) =>
    field === 'email' ? 'email must be an address with an @.' : `${field} must be well-formed Unicode.`,
};

// The formats refuse NUL and lone surrogates, because databases store and compare them differently.
const validate = new Ajv({
  allErrors: true,
  ownProperties: true,
  formats: {
    'email-with-at': (email: string) => email.includes('@') && !email.includes('\0') && email.isWellFormed(),
    'well-formed': (password: string) => password.isWellFormed(),
  },
}).compile(LOGIN_SCHEMA);

/** Returns every rule of docs/interface.md 2.1 that a body breaks. The list is empty for a valid body. */
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

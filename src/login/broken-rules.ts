import type { Ajv, ValidateFunction } from 'ajv';
import type { FieldError, LimitedFieldError } from '../errors/auth-error.js';
import { LOGIN_FORMATS, LOGIN_SCHEMA, type LoginBody } from './login-schema.js';

type Field = keyof LoginBody;

interface BrokenRule {
  readonly keyword: FieldError['rule'];
  readonly instancePath: string;
  readonly params: { readonly missingProperty?: Field; readonly limit?: number };
}

export type BrokenRules = (body: object) => readonly LimitedFieldError[];

const MESSAGES: Readonly<Record<FieldError['rule'], (field: Field, limit: number | undefined) => string>> = {
  required: (field) => `${field} is required.`,
  type: (field) => `${field} must be a string.`,
  minLength: (field, limit) => `${field} must have at least ${limit} characters.`,
  maxLength: (field, limit) => `${field} must have at most ${limit} characters.`,
  format: (field) =>
    field === 'email' ? 'email must be an address with an @.' : `${field} must be well-formed Unicode.`,
};

const NO_CODE_GENERATION =
  'createLoginRouter: Ajv generates code, and this process forbids it. Start Node.js without ' +
  '--disallow-code-generation-from-strings, or use createLogin, which works there.';

/** The rules of docs/interface.md 2.1. */
export const FIELD_RULES: readonly string[] = Object.keys(MESSAGES);

/** Loads Ajv here and not above: a host that only guards does not need it. */
export function compileLoginSchema(): BrokenRules {
  const { Ajv } = require('ajv') as typeof import('ajv');
  const ajv = new Ajv({
    allErrors: true,
    ownProperties: true,
    messages: false,
    formats: LOGIN_FORMATS,
    // A suite checks the schema. The meta-schema takes longer to compile.
    meta: false,
    validateSchema: false,
    // Ajv would print its generated code before it throws.
    logger: false,
  });
  const validate = compileWith(ajv);
  return (body) => (validate(body) ? [] : (validate.errors as unknown as readonly BrokenRule[]).map(toFieldError));
}

function compileWith(ajv: Ajv): ValidateFunction {
  try {
    return ajv.compile(LOGIN_SCHEMA);
  } catch (cause) {
    if (!(cause instanceof EvalError)) throw cause;
    throw new Error(NO_CODE_GENERATION, { cause });
  }
}

function toFieldError({ keyword, instancePath, params }: BrokenRule): LimitedFieldError {
  return fieldError(params.missingProperty ?? (instancePath.slice(1) as Field), keyword, params.limit);
}

export function fieldError(field: Field, rule: FieldError['rule'], limit?: number): LimitedFieldError {
  return { field, rule, message: MESSAGES[rule](field, limit), ...(limit !== undefined && { limit }) };
}

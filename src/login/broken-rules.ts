import type { FieldError, LimitedFieldError } from '../errors/auth-error.js';
import type { LoginBody } from './login-schema.js';
import { validateLoginBody } from './validate-login-body.js';

type Field = keyof LoginBody;

/** A broken rule, as Ajv reports it. */
interface BrokenRule {
  readonly keyword: FieldError['rule'];
  readonly instancePath: string;
  readonly params: { readonly missingProperty?: Field; readonly limit?: number };
}

/** Ajv's validating function, which replaces its list of errors at each call. */
const validate = validateLoginBody as {
  (body: object): boolean;
  readonly errors: readonly BrokenRule[] | null;
};

const MESSAGES: Readonly<Record<FieldError['rule'], (field: Field, limit: number | undefined) => string>> = {
  required: (field) => `${field} is required.`,
  type: (field) => `${field} must be a string.`,
  minLength: (field, limit) => `${field} must have at least ${limit} characters.`,
  maxLength: (field, limit) => `${field} must have at most ${limit} characters.`,
  format: (field) =>
    field === 'email' ? 'email must be an address with an @.' : `${field} must be well-formed Unicode.`,
};

/** The rules of docs/interface.md 2.1 that a member can break. */
export const FIELD_RULES: readonly string[] = Object.keys(MESSAGES);

/** Returns every rule of docs/interface.md 2.1 that a body breaks. */
export function brokenRules(body: object): LimitedFieldError[] {
  return validate(body) ? [] : (validate.errors ?? []).map(toFieldError);
}

function toFieldError({ keyword: rule, instancePath, params }: BrokenRule): LimitedFieldError {
  const { missingProperty, limit } = params;
  const field = missingProperty ?? (instancePath.slice(1) as Field);
  return { field, rule, message: MESSAGES[rule](field, limit), ...(limit !== undefined && { limit }) };
}

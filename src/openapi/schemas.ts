import type { AuthErrorBody, FieldError } from '../errors/auth-error.js';
import { FIELD_RULES } from '../login/broken-rules.js';
import { LOGIN_SCHEMA } from '../login/login-schema.js';
import { successBody } from '../login/success-body.js';

const TEXT = { type: 'string' } as const;

/** The compiler rejects a schema of another layout. */
type Properties<Layout> = { readonly [Name in keyof Layout]: object };

export function having<Layout extends Properties<Layout>>(properties: Layout) {
  return { type: 'object', required: Object.keys(properties), properties } as const;
}

function exactly<Layout extends Properties<Layout>>(properties: Layout) {
  return { ...having(properties), additionalProperties: false } as const;
}

function withoutFormat<Schema extends { readonly format: string }>({ format: _format, ...schema }: Schema) {
  return schema;
}

const { email: EMAIL, password: PASSWORD } = LOGIN_SCHEMA.properties;

/**
 * Without formats: validators warn of unknown ones. Lone surrogates, which the login refuses, are in no pattern: most
 * languages cannot express that.
 */
const EMAIL_AND_PASSWORD = {
  ...LOGIN_SCHEMA,
  properties: {
    email: { ...withoutFormat(EMAIL), pattern: String.raw`^[^@\x00]*@[^\x00]*$` },
    password: withoutFormat(PASSWORD),
  },
  examples: [{ email: 'merchant@shop.example', password: 'your API password' }],
} as const;

const EXAMPLE = successBody(
  { email: 'merchant@shop.example', phone: '+2250700000000', marchand: { referencl: 'SHP-1000', statut: 1 } },
  'header.payload.signature',
);

/** The body of docs/interface.md 2.2. */
const successfulLogin = (referenceName: string) =>
  ({
    ...exactly({
      status: { const: EXAMPLE.status },
      success: { const: EXAMPLE.success },
      code: { const: EXAMPLE.code },
      message: { const: EXAMPLE.message },
      user: exactly({ email: TEXT, phone: TEXT }),
      marchand: exactly({
        referencl: { ...TEXT, description: `The merchant reference. Send it as ${referenceName}.` },
        statut: { type: 'integer', description: 'A number whose meaning the service defines.' },
      }),
      authorisation: exactly({
        token: { ...TEXT, description: 'Send the header Authorization: Bearer <token>. It is valid for five hours.' },
        type: { const: EXAMPLE.authorisation.type },
      }),
    }),
    examples: [EXAMPLE],
  }) as const;

const FIELD_ERROR = exactly<Properties<FieldError>>({
  field: { ...TEXT, description: 'The member that broke the rule.' },
  rule: { ...TEXT, enum: FIELD_RULES },
  message: { ...TEXT, description: 'The rule, in a sentence.' },
});

/** Any text can be in `error`: a host can use this layout for its own errors. */
const AUTH_ERROR = having<Properties<Omit<AuthErrorBody, 'errors'>>>({
  status: { const: 'Error' },
  success: { const: false },
  code: { type: 'integer', description: 'The HTTP status.' },
  error: { ...TEXT, description: 'The code of the error. Decide by it, because messages may change.' },
  message: { ...TEXT, description: 'The error in a few words.' },
  description: { ...TEXT, description: 'The error in a sentence, with the next step of the caller.' },
});

export const schemas = (referenceName: string) =>
  ({
    EmailAndPassword: EMAIL_AND_PASSWORD,
    SuccessfulLogin: successfulLogin(referenceName),
    FieldError: FIELD_ERROR,
    AuthError: AUTH_ERROR,
  }) as const;

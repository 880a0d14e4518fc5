import { type OptionParsers, parseOptions } from '../base/parse-options.js';
import { DEFAULT_REALM } from '../errors/auth-error.js';
import { REFERENCE_FIELD } from '../errors/catalogue.js';
import { parseReferenceName } from '../ownership/reference-names.js';
import { parseRealm } from '../tokens/realm.js';
import { type ErrorResponse, type RefusalGroup, refusalsOf } from './responses.js';
import { schemas } from './schemas.js';

export interface OpenApiOptions {
  /**
   * The path where the host mounts the login router. Default `/v1` (docs/interface.md 9). Give an empty text when the
   * address in `servers` ends in it.
   */
  readonly basePath?: string;
  /** The realm of the challenges. Default `merchant`, as in `createTokens`. */
  readonly realm?: string;
  /** The name of the reference in the texts, one of the guard's `referenceNames`. Default `refercence_cl`. */
  readonly referenceName?: string;
}

/** Refers to another part of the document. */
export interface ReferenceObject {
  readonly $ref: string;
}

/** The operation `POST /login`. A host can add an example of a request. */
export interface LoginOperation {
  readonly operationId: 'login';
  readonly summary: string;
  readonly description: string;
  /** A login needs no token. */
  readonly security: [];
  readonly requestBody: { readonly required: true; readonly content: JsonContent };
  readonly responses: Readonly<Record<string, ReferenceObject | { readonly description: string }>>;
}

type JsonContent = Readonly<Record<'application/json', { readonly schema: ReferenceObject }>>;

/**
 * A host spreads `paths` and the members of `components` into the document of its routes. Fits the types of libraries,
 * for example `OpenAPIV3_1.Document` of openapi-types.
 */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, { readonly post: LoginOperation }>>;
  readonly components: {
    readonly securitySchemes: {
      readonly merchantToken: { readonly type: 'http'; readonly scheme: 'bearer'; readonly bearerFormat: 'JWT' };
    };
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, ErrorResponse>>;
  };
}

const OPTIONS = {
  basePath(where, value: unknown = '/v1') {
    if (typeof value === 'string' && /^(\/[^/?#\s]+)*$/.test(value)) return value;
    throw new TypeError(`${where} must be a path such as "/v1", without a slash at its end, or empty.`);
  },
  realm: parseRealm,
  referenceName: parseReferenceName,
} satisfies OptionParsers<OpenApiOptions>;

const MERCHANT_TOKEN = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: 'The authorisation.token of a login.',
} as const;

const LOGIN_SUCCEEDED = {
  description: 'The account, and a token for its requests.',
  headers: {
    'Cache-Control': { required: true, description: 'Always no-store.', schema: { const: 'no-store' } },
  },
  content: jsonOf('SuccessfulLogin'),
};

/**
 * The responses of the guard by status, for each operation after it: `{ 201: created, ...guardedResponses }`. They refer
 * to `components` of `openApi()`.
 *
 * If an operation has an error with one of these statuses, describe both. For 400 the schema is `{ oneOf: [{ $ref:
 * '#/components/schemas/RefusedRequest400' }, { $ref: '#/components/schemas/YourError' }] }`. A host that parses bodies
 * before the guard adds the 413 of its parser.
 */
export const guardedResponses: Readonly<Record<string, ReferenceObject>> = refsTo(
  refusalsOf('Request', DEFAULT_REALM, REFERENCE_FIELD),
);

/**
 * Returns the OpenAPI 3.1 document of the login, of the security scheme `merchantToken`, and of every error as a named
 * example. Each call returns a new object, which the host may change.
 * @throws TypeError for an unknown option or a value that is not valid
 */
export function openApi(options: OpenApiOptions = {}): OpenApiDocument {
  const { basePath, realm, referenceName } = parseOptions('openApi', options, OPTIONS);
  const login = refusalsOf('Login', realm, referenceName);
  const groups = [...login, ...refusalsOf('Request', realm, referenceName)];
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: {
      title: 'Merchant authentication',
      version: '1',
      description: 'Log in with email and password. Send the token with every other request.',
    },
    paths: { [`${basePath}/login`]: { post: loginOperation(login) } },
    components: {
      securitySchemes: { merchantToken: MERCHANT_TOKEN },
      schemas: { ...schemas(referenceName), ...Object.fromEntries(groups.map(({ name, schema }) => [name, schema])) },
      responses: Object.fromEntries(groups.map(({ name, response }) => [name, response])),
    },
  };
  // Shares no object: a host may change its document, and YAML would refer to a shared one.
  return JSON.parse(JSON.stringify(document)) as OpenApiDocument;
}

function loginOperation(refusals: readonly RefusalGroup[]): LoginOperation {
  return {
    operationId: 'login',
    summary: 'Log in',
    description:
      'Returns a token that is valid for five hours. Keep it on your server, and log in again on the first 401.',
    security: [],
    requestBody: { required: true, content: jsonOf('EmailAndPassword') },
    responses: {
      200: LOGIN_SUCCEEDED,
      ...refsTo(refusals),
    },
  };
}

function jsonOf(schema: keyof ReturnType<typeof schemas>): JsonContent {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
}

function refsTo(groups: readonly RefusalGroup[]): Readonly<Record<string, ReferenceObject>> {
  return Object.fromEntries(groups.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]));
}

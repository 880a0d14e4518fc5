import { type OptionParsers, parseOptions } from '../base/parse-options.js';
import { DEFAULT_REALM } from '../errors/auth-error.js';
import { REFERENCE_FIELD } from '../errors/catalogue.js';
import { parseReferenceName } from '../ownership/reference-names.js';
import { parseRealm } from '../tokens/realm.js';
import { type ErrorResponse, type RefusalGroup, refusalsOf } from './responses.js';
import { schemas } from './schemas.js';

export interface OpenApiOptions {
  /**
   * The path where the host mounts the login router. Default `/v1`, as in docs/interface.md 9. Give an empty text when
   * the address in `servers` ends in that path.
   */
  readonly basePath?: string;
  /** The realm of the host's tokens, which the challenges name. Default `merchant`, as in `createTokens`. */
  readonly realm?: string;
  /** The name of the merchant reference in the texts, one of the guard's `referenceNames`. Default `refercence_cl`. */
  readonly referenceName?: string;
}

/** Refers to another part of the OpenAPI document. */
export interface ReferenceObject {
  readonly $ref: string;
}

/** The operation `POST /login`, so that a host can add its own example of a request. */
export interface LoginOperation {
  readonly operationId: 'login';
  readonly summary: string;
  readonly description: string;
  /** Empty, because a login needs no token. */
  readonly security: [];
  readonly requestBody: { readonly required: true; readonly content: JsonContent };
  readonly responses: Readonly<Record<string, ReferenceObject | { readonly description: string }>>;
}

type JsonContent = Readonly<Record<'application/json', { readonly schema: ReferenceObject }>>;

/**
 * An OpenAPI 3.1 document. A host spreads `paths` and the members of `components` into the document of its routes. It
 * fits the types of libraries without a cast, for example `OpenAPIV3_1.Document` of openapi-types.
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
 * The responses of the guard, by status. Spread them into the `responses` of each operation after the guard: `{ 201:
 * created, ...guardedResponses }`. Each refers to a response in `components` of `openApi()`.
 *
 * An operation can also have its own errors with one of these statuses. Describe both under that status. For 400 the
 * schema is then `{ oneOf: [{ $ref: '#/components/schemas/RefusedRequest400' }, { $ref:
 * '#/components/schemas/YourError' }] }`. A host that parses bodies before the guard adds the 413 of its parser.
 */
export const guardedResponses: Readonly<Record<string, ReferenceObject>> = refsTo(
  refusalsOf('Request', DEFAULT_REALM, REFERENCE_FIELD),
);

/**
 * Returns the OpenAPI 3.1 document of this package's own responses. It has the login, the security scheme
 * `merchantToken`, and every error as a named example of a response. Each call returns a new object, which the host may
 * change.
 * @throws TypeError for an unknown option, and for a path, a realm or a name that is not valid
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
  // A copy that shares no object, because a host may change its document, and YAML would refer to a shared object.
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

import { expect } from 'chai';
import { createTokens } from '../../src/index.js';
import { AuthError } from '../../src/errors/auth-error.js';
import { type AuthErrorCode, catalogue, entryOf } from '../../src/errors/catalogue.js';
import { LOGIN_SCHEMA } from '../../src/login/login-schema.js';
import { guardedResponses, openApi, type OpenApiOptions } from '../../src/openapi/index.js';
import { expectTypeError, thrownBy } from '../helpers/thrown.js';
import { type Document, hostDocument, resolve, responseOf } from './host-document.js';

const LOGIN = { 400: 'Login400', 401: 'Login401', 429: 'Login429', 500: 'Login500', 503: 'Login503' };
const GUARDED = {
  400: 'Guarded400',
  401: 'Guarded401',
  403: 'Guarded403',
  415: 'Guarded415',
  500: 'Guarded500',
  503: 'Guarded503',
};

const BASE_PATH = 'openApi: basePath must be a path such as "/v1", without a slash at its end, or empty.';

/** The members that openapi-types 12 requires in a document. All other members are optional. */
interface TypedDocument {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, TypedOperation> | undefined>;
  components: {
    schemas: Record<string, { type?: string }>;
    responses: Record<string, TypedResponse>;
    securitySchemes: Record<string, { type: 'http'; scheme: string; bearerFormat?: string }>;
  };
}

interface TypedOperation {
  operationId?: string;
  security?: Record<string, string[]>[];
  requestBody?: { content: Record<string, { schema?: { $ref: string } }> };
  responses: Record<string, TypedResponse | { $ref: string }>;
}

interface TypedResponse {
  description: string;
  headers?: Record<string, { required?: boolean }>;
  content?: Record<string, { examples?: Record<string, { summary?: string; value?: unknown }> }>;
}

function refsTo(names: Readonly<Record<string, string>>): object {
  const entries = Object.entries(names).map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]);
  return Object.fromEntries(entries) as object;
}

/** The examples of a named response, under their codes. */
function examplesIn(document: object, name: string): Readonly<Record<string, { readonly value: object }>> {
  const { components } = document as Document;
  return components.responses[name]?.content['application/json']?.examples ?? {};
}

describe('openApi', () => {
  it('describes the login, with a response for each of its statuses', () => {
    const { openapi, paths } = openApi();
    const { 200: success, ...refusals } = paths['/v1/login']?.post.responses ?? {};
    expect(openapi).to.equal('3.1.0');
    expect(Object.keys(paths)).to.deep.equal(['/v1/login']);
    expect(success).to.have.property('description');
    expect(refusals).to.deep.equal(refsTo(LOGIN));
  });

  it('needs no token for the login, also if the host demands one everywhere', () => {
    const { paths, components } = openApi();
    expect(paths['/v1/login']?.post).to.deep.include({ security: [] });
    expect(components.securitySchemes.merchantToken).to.deep.include({ type: 'http', scheme: 'bearer' });
  });

  it('has the login below the path that the host names', () => {
    for (const basePath of ['', '/api', '/api/v1']) {
      expect(Object.keys(openApi({ basePath }).paths)).to.deep.equal([`${basePath}/login`]);
    }
    expect(openApi({ basePath: undefined as never })).to.deep.equal(openApi());
  });

  it('names the realm of the host in each challenge', () => {
    const { Login401, Guarded401 } = openApi({ realm: 'sandbox' }).components.responses;
    const rejected = (code: AuthErrorCode) =>
      `Bearer realm="sandbox", error="invalid_token", error_description="${entryOf(code).description}"`;
    expect(Login401?.headers?.['WWW-Authenticate']).to.deep.include({
      required: true,
      schema: { type: 'string', enum: ['Bearer realm="sandbox"'] },
    });
    expect(Guarded401?.headers?.['WWW-Authenticate']).to.deep.include({
      required: true,
      schema: {
        type: 'string',
        enum: [
          'Bearer realm="sandbox"',
          rejected('invalid_token'),
          rejected('expired_token'),
          rejected('revoked_token'),
        ],
      },
    });
  });

  it('has each code of the catalogue as an example, which is the body of that error', () => {
    const document = openApi();
    const names = [...Object.values(LOGIN), ...Object.values(GUARDED)];
    expect(Object.keys(document.components.responses)).to.deep.equal(names);
    const found = new Set<string>();
    for (const name of names) {
      for (const [code, { value }] of Object.entries(examplesIn(document, name))) {
        const { retryAfterSeconds } = entryOf(code as AuthErrorCode);
        const error = new AuthError(code as AuthErrorCode, retryAfterSeconds && { retryAfterSeconds: 5 });
        if (name !== 'Login400') expect(value, name).to.deep.equal(error.toJSON());
        found.add(code);
      }
    }
    expect([...found].sort()).to.deep.equal(Object.keys(catalogue).sort());
  });

  it('shows the broken rules in the 400 of the login', () => {
    const description = 'password is required. email must be an address with an @.';
    const errors = [
      { field: 'password', rule: 'required', message: 'password is required.' },
      { field: 'email', rule: 'format', message: 'email must be an address with an @.' },
    ];
    const body = new AuthError('invalid_body', { description, errors: errors as never }).toJSON();
    expect(examplesIn(openApi(), 'Login400')).to.have.nested.property('invalid_body.value').that.deep.equals(body);
  });

  it('contains every object that a $ref names', () => {
    const document = hostDocument();
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => ref);
    expect(refs).to.have.length.above(20);
    for (const ref of refs) expect(resolve(document, ref), ref).to.be.an('object');
  });

  it('can be spread into a typed document without a cast', () => {
    const { paths, components, ...document } = openApi();
    const typed: TypedDocument = {
      ...document,
      paths: {
        ...paths,
        '/v1/transactions': { get: { responses: { ...guardedResponses, 200: { description: 'All.' } } } },
      },
      components: { ...components, schemas: { ...components.schemas, Transaction: { type: 'object' } } },
    };
    expect(Object.keys(typed.paths)).to.deep.equal(['/v1/login', '/v1/transactions']);
    expect(typed.components.responses).to.deep.equal(components.responses);
  });

  it('returns a document that the host may change', () => {
    const before = JSON.stringify(openApi());
    const schema = JSON.stringify(LOGIN_SCHEMA);
    (function empty(value: object): void {
      for (const [name, member] of Object.entries(value)) {
        if (typeof member === 'object' && member !== null) empty(member as object);
        expect(Reflect.deleteProperty(value, name)).to.equal(true);
      }
    })(openApi());
    expect(JSON.stringify(LOGIN_SCHEMA)).to.equal(schema);
    expect(JSON.stringify(openApi())).to.equal(before);
  });

  it('throws for unknown options and invalid values', () => {
    const open = (options: unknown) => () => openApi(options as OpenApiOptions);
    expectTypeError(open({ path: '/v1' }), 'openApi: unknown option "path". Known options: basePath, realm.');
    expectTypeError(open('/v1'), 'openApi: the options must be a plain object, { name: value }.');
    for (const basePath of ['v1', '/', '/v1/', '//v1', '/v1?a', '/v1#a', '/v 1', 1, null]) {
      expectTypeError(open({ basePath }), BASE_PATH);
    }
  });

  it('accepts the realms that createTokens accepts, and no others', () => {
    for (const realm of ['merchant', 'my shop', '~!', '', 'a"b', 'a\\b', 'é', 'a\nb', 5, null]) {
      const messages = [() => createTokens({ realm } as never), () => openApi({ realm } as never)].map((call) => {
        try {
          call();
        } catch (error) {
          expect(error).to.be.instanceOf(TypeError);
          return (error as TypeError).message.replace(/^\w+/, '');
        }
        return undefined;
      });
      expect(messages[0]).to.equal(messages[1]);
    }
    expect(thrownBy(() => openApi({ realm: '' }))).to.be.instanceOf(TypeError);
  });
});

describe('guardedResponses', () => {
  it('refers to a response for each status of the guard', () => {
    expect(guardedResponses).to.deep.equal(refsTo(GUARDED));
    for (const status of Object.keys(GUARDED)) {
      expect(responseOf(hostDocument(), 'GET', '/v1/guarded', Number(status))).to.have.property('content');
    }
  });
});

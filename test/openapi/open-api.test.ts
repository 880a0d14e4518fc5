import { expect } from 'chai';
import { createTokens } from '../../src/index.js';
import { LOGIN_SCHEMA } from '../../src/login/login-schema.js';
import { guardedResponses, openApi, type OpenApiOptions } from '../../src/openapi/index.js';
import { expectTypeError, thrownBy } from '../helpers/thrown.js';

const LOGIN = refusedBy('Login', [400, 401, 403, 429, 500, 503]);
const GUARDED = refusedBy('Request', [400, 401, 403, 415, 500, 503]);

const BASE_PATH = 'openApi: basePath must be a path such as "/v1", without a slash at its end, or empty.';

/** The members that openapi-types 12 requires in a document, with the optional ones that `openApi` gives. */
interface TypedDocument {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, TypedOperation> | undefined>;
  components: {
    schemas: Record<string, { type?: string }>;
    responses: Record<string, { description: string; content?: Record<string, object> }>;
    securitySchemes: Record<string, { type: 'http'; scheme: string; bearerFormat?: string }>;
  };
}

interface TypedOperation {
  operationId?: string;
  security?: Record<string, string[]>[];
  responses: Record<string, { description: string } | { $ref: string }>;
}

/** Returns the names of the responses by status. */
function refusedBy(operation: string, statuses: readonly number[]): Readonly<Record<string, string>> {
  return Object.fromEntries(statuses.map((status) => [status, `Refused${operation}${status}`]));
}

function refsTo(names: Readonly<Record<string, string>>): object {
  const entries = Object.entries(names).map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]);
  return Object.fromEntries(entries) as object;
}

describe('openApi', () => {
  it('describes the login, which needs no token, with a response for each of its statuses', () => {
    const { openapi, paths, components } = openApi();
    const { 200: success, ...refusals } = paths['/v1/login']?.post.responses ?? {};
    expect(openapi).to.equal('3.1.0');
    expect(success).to.have.property('description');
    expect(refusals).to.deep.equal(refsTo(LOGIN));
    expect(paths['/v1/login']?.post).to.deep.include({ security: [] });
    expect(components.securitySchemes.merchantToken).to.deep.include({ type: 'http', scheme: 'bearer' });
    expect(Object.keys(components.responses)).to.deep.equal([...Object.values(LOGIN), ...Object.values(GUARDED)]);
  });

  it('describes the guard by a reference to a response for each of its statuses', () => {
    expect(guardedResponses).to.deep.equal(refsTo(GUARDED));
  });

  it('has the login below the path that the host names', () => {
    for (const basePath of ['', '/api', '/api/v1']) {
      expect(Object.keys(openApi({ basePath }).paths)).to.deep.equal([`${basePath}/login`]);
    }
    expect(openApi({ basePath: undefined as never })).to.deep.equal(openApi());
  });

  it('can be spread into a typed document without a cast', () => {
    const { paths, components, ...document } = openApi();
    const responses = { ...guardedResponses, 200: { description: 'All.' } };
    const typed: TypedDocument = {
      ...document,
      paths: { ...paths, '/v1/transactions': { get: { responses } } },
      components: { ...components, schemas: { ...components.schemas, Transaction: { type: 'object' } } },
    };
    expect(Object.keys(typed.paths)).to.deep.equal(['/v1/login', '/v1/transactions']);
  });

  it('returns a document that the host may change', () => {
    const before = JSON.stringify([openApi(), LOGIN_SCHEMA]);
    (function empty(value: object): void {
      for (const [name, member] of Object.entries(value)) {
        if (typeof member === 'object' && member !== null) empty(member as object);
        expect(Reflect.deleteProperty(value, name)).to.equal(true);
      }
    })(openApi());
    expect(JSON.stringify([openApi(), LOGIN_SCHEMA])).to.equal(before);
  });

  it('throws for unknown options and invalid values', () => {
    const open = (options: unknown) => () => openApi(options as OpenApiOptions);
    expectTypeError(
      open({ path: '/v1' }),
      'openApi: unknown option "path". Known options: basePath, realm, referenceName.',
    );
    expectTypeError(open('/v1'), 'openApi: the options must be a plain object, { name: value }.');
    for (const basePath of ['v1', '/', '/v1/', '//v1', '/v1?a', '/v1#a', '/v 1', 1, null]) {
      expectTypeError(open({ basePath }), BASE_PATH);
    }
  });

  it('has each object in one place, because YAML would refer from the others to the first', () => {
    const seen = new Set<object>();
    (function visit(value: object): void {
      expect(seen.has(value), JSON.stringify(value)).to.equal(false);
      seen.add(value);
      for (const member of Object.values(value)) {
        if (typeof member === 'object' && member !== null) visit(member as object);
      }
    })(openApi());
  });

  it('names the reference of the host in each text', () => {
    const text = JSON.stringify(openApi({ referenceName: 'merchantId' }));
    expect(text).to.include('Send it as merchantId.').and.to.include('Send merchantId once, as a string.');
    expect(text).not.to.include('refercence_cl');
    expectTypeError(
      () => openApi({ referenceName: 'length' }),
      'openApi: referenceName must be a word such as "merchantId", and not "id" or a member of each array or object.',
    );
  });

  it('accepts the realms that createTokens accepts, and no others', () => {
    expect(() => openApi({ realm: 'my shop' })).not.to.throw();
    for (const realm of ['a"b', 5]) {
      const options = { realm } as never;
      const { message } = thrownBy(() => createTokens(options)) as TypeError;
      expectTypeError(() => openApi(options), message.replace('createTokens', 'openApi'));
    }
  });
});

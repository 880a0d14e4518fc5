import { expect } from 'chai';
import { LOGIN_SCHEMA } from '../../src/login/login-schema.js';
import { guardedResponses, openApi, type OpenApiOptions } from '../../src/openapi/index.js';
import { expectTypeError } from '../helpers/thrown.js';

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

describe('openApi', () => {
  it('has the login below the path that the host names, and can be spread into a typed document without a cast', () => {
    for (const basePath of ['', '/api', '/api/v1', undefined]) {
      const { paths, components, ...document } = openApi({ basePath } as OpenApiOptions);
      const responses = { ...guardedResponses, 200: { description: 'All.' } };
      const typed: TypedDocument = {
        ...document,
        paths: { ...paths, '/v1/transactions': { get: { responses } } },
        components: { ...components, schemas: { ...components.schemas, Transaction: { type: 'object' } } },
      };
      expect(Object.keys(typed.paths)).to.deep.equal([`${basePath ?? '/v1'}/login`, '/v1/transactions']);
    }
  });

  it('shares no object, because a host may change its document, and YAML would refer to a shared one', () => {
    const seen = new Set<object>();
    (function visit(value: object): void {
      expect(seen.has(value), JSON.stringify(value)).to.equal(false);
      seen.add(value);
      for (const member of Object.values(value)) {
        if (typeof member === 'object' && member !== null) visit(member as object);
      }
    })([openApi(), openApi(), LOGIN_SCHEMA]);
  });

  it('names the reference of the host in each text', () => {
    const text = JSON.stringify(openApi({ referenceName: 'merchantId' }));
    expect(text).to.include('Send it as merchantId.').and.to.include('Send merchantId once, as a string.');
    expect(text).not.to.include('refercence_cl');
  });

  it('throws for unknown options and invalid values', () => {
    const wrongPath = 'basePath must be a path such as "/v1", without a slash at its end, or empty.';
    const wrongName =
      'referenceName must be a word such as "merchantId", and not "id" or a member of each array or object.';
    for (const [options, problem] of [
      [{ path: '/v1' }, 'unknown option "path". Known options: basePath, realm, referenceName.'],
      [{ realm: 5 }, 'realm must be visible ASCII without quotes and backslashes.'],
      [{ referenceName: 'length' }, wrongName],
      ...['v1', '/', '/v1/', '//v1', '/v1?a', '/v1#a', '/v 1', 1, null].map(
        (basePath) => [{ basePath }, wrongPath] as const,
      ),
    ] as const) {
      expectTypeError(() => openApi(options as OpenApiOptions), `openApi: ${problem}`);
    }
  });
});

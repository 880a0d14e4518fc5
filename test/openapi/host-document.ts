import { expect } from 'chai';
import { guardedResponses, openApi, type OpenApiOptions } from '../../src/openapi/index.js';
import { serveApp } from '../example-app/serve-app.js';
import { type Client, serve } from '../helpers/http.js';

/** A document as the tests read it and break it. */
export interface Document {
  readonly paths: Record<
    string,
    Record<string, { operationId: string; responses: Record<string, Reference | Response> }>
  >;
  readonly components: { readonly schemas: Record<string, object>; readonly responses: Record<string, Response> };
}

interface Reference {
  readonly $ref: string;
}

export interface Response {
  readonly headers?: Record<string, { readonly required?: boolean; readonly schema: object }>;
  readonly content: Record<string, MediaType>;
}

interface MediaType {
  readonly schema: object;
  readonly examples?: Readonly<Record<string, { readonly value: object }>>;
}

const CALLER = {
  description: 'The caller.',
  content: { 'application/json': { schema: { type: 'object', properties: { id: {}, referencl: {} } } } },
};

const REFERENCE = { name: 'refercence_cl', in: 'path', required: true, schema: { type: 'string' } };

/** The document of the host in test/helpers/payments.ts, which spreads the fragments as a host does. */
export function hostDocument(options?: OpenApiOptions): Document {
  const { paths, components, ...document } = openApi(options);
  const responses = { 200: CALLER, ...guardedResponses };
  const content = { 'application/json': { schema: { type: 'object' } } };
  return structuredClone({
    ...document,
    info: { ...document.info, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    security: [{ merchantToken: [] }],
    paths: {
      ...paths,
      '/v1/guarded': { get: { operationId: 'readCaller', summary: 'Read the caller', responses } },
      '/v1/transactions': {
        post: { operationId: 'createTransaction', summary: 'Create', requestBody: { content }, responses },
      },
      '/v1/merchants/{refercence_cl}': {
        get: { operationId: 'readMerchant', summary: 'Read the merchant', parameters: [REFERENCE], responses },
      },
    },
    components,
  }) as unknown as Document;
}

/** Returns the document that the example app serves. */
export async function documentOf(client: Client): Promise<Document> {
  const { status, text, json } = await client.send('GET', '/openapi.json');
  expect(status, text).to.equal(200);
  return json as Document;
}

/** The documents that tools have to read. */
export const DOCUMENTS: readonly (readonly [title: string, read: () => Document | Promise<Document>])[] = [
  ['a document that spreads the fragments', hostDocument],
  ['the document of the example app', async () => documentOf(await serve(serveApp().app))],
];

/** Returns the response of an operation, even where the document refers to it. */
export function responseOf(document: Document, method: string, path: string, status: number): Response | undefined {
  const described = document.paths[path]?.[method.toLowerCase()]?.responses[status];
  if (described === undefined || !('$ref' in described)) return described;
  return document.components.responses[described.$ref.replace('#/components/responses/', '')];
}

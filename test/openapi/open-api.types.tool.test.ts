import { expect } from 'chai';
import { serveApp } from '../example-app/serve-app.js';
import { withApiTool } from '../helpers/api-tools.js';
import { complaintsAbout, writeSnippet } from '../helpers/snippets.js';
import { type Document, documentOf } from './host-document.js';
import { runTool, writeDocument } from './run-tool.js';

/** Types that must be the same in both directions, or the compiler complains. */
const SAME = `import type { AuthErrorBody, AuthErrorCode, FieldError } from 'express-merchant-auth';
import type { LoginSuccess, MerchantClientOptions } from 'express-merchant-auth-client';
import type { components, paths } from './api.js';

type Schemas = components['schemas'];
type Login = paths['/v1/login']['post'];
type Refusal = Schemas[Extract<keyof Schemas, \`Refused\${'Login' | 'Request'}\${number}\`>];
type Same<One, Other> = [One, Other, keyof One, keyof Other] extends [Other, One, keyof Other, keyof One] ? true : false;

export const success: Same<Login['responses'][200]['content']['application/json'], LoginSuccess> = true;
export const request: Same<
  NonNullable<Login['requestBody']>['content']['application/json'],
  Pick<MerchantClientOptions, 'email' | 'password'>
> = true;
// The document has no method except POST on the login's path.
export const codes: Same<Refusal['error'], Exclude<AuthErrorCode, 'method_not_allowed'>> = true;
export const fieldError: Same<Schemas['FieldError'], FieldError> = true;
export const members: Same<keyof Schemas['RefusedLogin400'], keyof AuthErrorBody> = true;
export const asBody = (refusal: Refusal): AuthErrorBody => refusal;
`;

withApiTool('openapi-typescript', 'openapi-typescript', (openApiTypescript) => {
  let document: Document;
  before('read the document', async () => {
    document = await documentOf((await serveApp()).client);
  });

  /** Returns the compiler's complaints about the types of the package beside those that are made from a document. */
  async function complaintsFor(changed: object): Promise<string[]> {
    const file = writeDocument(changed);
    const types = writeSnippet('api.ts', await runTool(openApiTypescript, [file], file), 'openapi.md');
    return complaintsAbout([types, writeSnippet('same.ts', SAME, 'openapi.md')]);
  }

  it("makes the types of the client and of the package's errors from the document of the example app", async () => {
    expect(await complaintsFor(document)).to.deep.equal([]);
  });

  interface Schema {
    readonly properties: Record<string, Schema>;
    readonly allOf: readonly [unknown, Schema];
    readonly enum: string[];
  }
  const NOT_THE_SAME = "same.ts: Type 'true' is not assignable to type 'false'.";

  for (const [title, change] of [
    [
      'another type of a member',
      ({ SuccessfulLogin }) => Object.assign(SuccessfulLogin?.properties['user'] ?? {}, { type: 'string' }),
    ],
    ['one more code', ({ RefusedLogin401 }) => RefusedLogin401?.allOf[1].properties['error']?.enum.push('other')],
  ] as readonly (readonly [string, (schemas: Record<string, Schema>) => unknown])[]) {
    it(`makes other types when the document has ${title}`, async () => {
      const changed = structuredClone(document);
      change(changed.components.schemas as Record<string, Schema>);
      expect(await complaintsFor(changed)).to.include(NOT_THE_SAME);
    });
  }
});

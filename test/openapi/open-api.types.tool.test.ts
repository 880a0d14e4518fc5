import { expect } from 'chai';
import { serveApp } from '../example-app/serve-app.js';
import { METHOD_NOT_ALLOWED } from '../helpers/answers.js';
import { withApiTool } from '../helpers/api-tools.js';
import { serve } from '../helpers/http.js';
import { complaintsAbout, writeSnippet } from '../helpers/snippets.js';
import { documentOf } from './host-document.js';
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
export const codes: Same<Refusal['error'], Exclude<AuthErrorCode, '${METHOD_NOT_ALLOWED}'>> = true;
export const fieldError: Same<Schemas['FieldError'], FieldError> = true;
export const members: Same<keyof Schemas['RefusedLogin400'], keyof AuthErrorBody> = true;
export const asBody = (refusal: Refusal): AuthErrorBody => refusal;
`;

withApiTool('openapi-typescript', 'openapi-typescript', (openApiTypescript) => {
  it("makes the types of the client and of the package's errors from the document of the example app", async () => {
    const file = writeDocument(await documentOf(await serve(serveApp().app)));
    const types = writeSnippet('api.ts', await runTool(openApiTypescript, [file], file), 'openapi.md');
    expect(complaintsAbout([types, writeSnippet('same.ts', SAME, 'openapi.md')])).to.deep.equal([]);
  });
});

// Writes docs/postman.json from the OpenAPI document of the example app.
// With --check it compares instead, and fails when the file differs.
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { promisify } from 'node:util';
import converter from 'openapi-to-postmanv2';
import { format, resolveConfig } from 'prettier';
import { demoAccounts } from '../../example-app/dist/demo-accounts.js';
import { createDocument } from '../../example-app/dist/openapi/document.js';

const FILE = `${import.meta.dirname}/../../docs/postman.json`;
const description = `Send "Log in" first. A script keeps the token and the reference for the other requests.
For your own service, set \`baseUrl\`, and write your account into "Log in".`;
const KEEP = `const { authorisation, marchand, transaction } = pm.response.code < 300 ? pm.response.json() : {};
if (authorisation) pm.collectionVariables.set('bearerToken', authorisation.token);
if (marchand) pm.collectionVariables.set('refercence_cl', marchand.referencl);
if (transaction) pm.collectionVariables.set('id', transaction.id);`;
const VALUES = { id: '{{id}}', after: '{{id}}', merchant_transaction_id: 'order-1' };

const document = createDocument(demoAccounts);
const routes = Object.entries(document.paths).filter(([route]) => route.startsWith('/v1/'));
const paths = Object.fromEntries(routes.map(([route, methods]) => [route.slice('/v1'.length), methods]));
paths['/login'].post.security = [{}]; // The converter takes `[]` for "as the others".
const info = { ...document.info, description };
const data = { ...document, info, paths, tags: [], servers: [{ url: 'http://localhost:3000/v1' }] };
const options = { folderStrategy: 'Tags', parametersResolution: 'Example', enableOptionalParameters: false };
const { output, reason } = await promisify(converter.convertV2)({ type: 'json', data }, options);
if (output === undefined) throw new Error(reason);
const event = [{ listen: 'test', script: { type: 'text/javascript', exec: KEEP.split('\n') } }];
const json = JSON.stringify({ ...output[0].data, event }, (name, value) => {
  // The ids are random, and so are values in the answers.
  if (['id', '_postman_id', 'response'].includes(name)) return undefined;
  if (name === 'raw') return value.replace?.(demoAccounts[0].marchand.referencl, '{{refercence_cl}}') ?? value;
  return value?.key in VALUES ? { ...value, value: VALUES[value.key] } : value;
});
const text = await format(json, { ...(await resolveConfig(FILE)), parser: 'json' });
if (!process.argv.includes('--check')) writeFileSync(FILE, text);
else if (readFileSync(FILE, 'utf8') !== text) throw new Error('Run `npm run postman` and commit docs/postman.json.');

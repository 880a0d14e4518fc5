// Writes docs/postman.json from the OpenAPI document of the example app.
// With --check it compares instead, and fails when the file differs.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { demoAccounts } from '../../example-app/dist/demo-accounts.js';
import { createDocument } from '../../example-app/dist/openapi/document.js';

const FILE = path.resolve(import.meta.dirname, '../../docs/postman.json');

/** The variable `baseUrl` ends in it (docs/interface.md 9). */
const BASE_PATH = '/v1';

const DESCRIPTION = `Send "Log in" first. It stores your token and your reference in the variables \`token\` and \`refercence_cl\`, which the other requests send. The requests work in this order, including in the collection runner.

Set \`baseUrl\`, \`email\` and \`password\` for your own service. The values here are those of the example app.

\`refercence_cl\`, \`referencl\` and \`marchand\` are the interface's own spelling.`;

const AMOUNT = 2500;
const ORDER = {
  refercence_cl: '{{refercence_cl}}',
  merchant_transaction_id: '{{merchant_transaction_id}}',
  amount: AMOUNT,
  currency: 'XOF',
};

const KEEP_LOGIN = `if (pm.response.code === 200) {
  const { authorisation, marchand } = pm.response.json();
  pm.collectionVariables.set('token', authorisation.token);
  pm.collectionVariables.set('refercence_cl', marchand.referencl);
}`;
const NEW_ORDER = `pm.collectionVariables.set('merchant_transaction_id', pm.variables.replaceIn('order-{{$guid}}'));`;
const KEEP_ID = `if (pm.response.code === 201) pm.collectionVariables.set('id', pm.response.json().transaction.id);`;
const SAME_ID = `pm.test('is the same transaction', () => {
  pm.expect(pm.response.json().transaction.id).to.equal(pm.collectionVariables.get('id'));
});`;

const FOUND_ID = `pm.test('has the transaction alone', () => {
  pm.expect(pm.response.json().transactions.map(({ id }) => id)).to.eql([pm.collectionVariables.get('id')]);
});`;

/** The requests. Those of a refusal have its `error`. */
const REQUESTS = [
  {
    operation: 'login',
    status: 200,
    body: { email: '{{email}}', password: '{{password}}' },
    test: KEEP_LOGIN,
  },
  { operation: 'createTransaction', status: 201, body: ORDER, prerequest: NEW_ORDER, test: KEEP_ID },
  { operation: 'createTransaction', name: 'Repeat it safely', status: 200, body: ORDER, test: SAME_ID },
  { operation: 'findTransaction', status: 200, test: SAME_ID },
  { operation: 'listTransactions', status: 200, query: ['limit=2'] },
  {
    operation: 'listTransactions',
    name: 'Find it by your own id',
    status: 200,
    query: ['merchant_transaction_id={{merchant_transaction_id}}'],
    test: FOUND_ID,
  },
  { operation: 'listTransactions', name: 'Without a token', status: 401, error: 'missing_token', auth: 'noauth' },
  {
    operation: 'createTransaction',
    name: 'With the reference of another merchant',
    status: 403,
    error: 'foreign_reference',
    body: { ...ORDER, refercence_cl: 'not-mine' },
  },
  {
    operation: 'createTransaction',
    name: 'Without a reference',
    status: 400,
    error: 'missing_reference',
    body: { ...ORDER, refercence_cl: undefined },
  },
  {
    operation: 'createTransaction',
    name: 'With a used merchant_transaction_id and another amount',
    status: 409,
    error: 'transaction_conflict',
    body: { ...ORDER, amount: AMOUNT + 1 },
  },
];

const [account] = demoAccounts;
const VARIABLES = {
  baseUrl: `http://localhost:3000${BASE_PATH}`,
  email: account.email,
  password: account.password,
  token: '',
  refercence_cl: '',
  merchant_transaction_id: '',
  id: '',
};

const document = createDocument(demoAccounts);

/** The operations below the base path, by `operationId`. */
const operations = new Map(
  Object.entries(document.paths)
    .filter(([route]) => route.startsWith(`${BASE_PATH}/`))
    .flatMap(([route, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        operation.operationId,
        { ...operation, method: method.toUpperCase(), route: route.slice(BASE_PATH.length) },
      ]),
    ),
);

/** Returns true for the texts and examples of a schema. A property can have the same name, but is an object. */
function isAnnotation(name, member) {
  return (name === 'description' && typeof member === 'string') || (name === 'examples' && Array.isArray(member));
}

/** Returns a copy with every `$ref` replaced by its target, and without annotations. */
function inline(value) {
  if (Array.isArray(value)) return value.map(inline);
  if (typeof value !== 'object' || value === null) return value;
  if (typeof value.$ref === 'string') {
    const names = value.$ref.slice('#/'.length).split('/');
    return inline(names.reduce((parent, name) => parent[name], document));
  }
  const members = Object.entries(value).filter(([name, member]) => !isAnnotation(name, member));
  return Object.fromEntries(members.map(([name, member]) => [name, inline(member)]));
}

/** Returns the tests of a request: its status, and the response that the document describes for this status. */
function testsOf({ operation: id, status, error, test = '' }, operation) {
  const response = inline(operation.responses[status]);
  const { schema, examples } = response?.content['application/json'] ?? {};
  if (schema === undefined) throw new Error(`The document has no ${status} of ${id}.`);
  if (error !== undefined && !(error in examples)) throw new Error(`The document has no ${error} of ${id}.`);
  const headers = Object.keys(response.headers ?? {}).filter((name) => response.headers[name].required);
  return [
    `pm.test('has the status ${status}', () => pm.response.to.have.status(${status}));`,
    ...headers.map((name) => `pm.test('has the header ${name}', () => pm.response.to.have.header('${name}'));`),
    `pm.test('has the body of the API document', () => pm.response.to.have.jsonSchema(${JSON.stringify(schema)}));`,
    ...(error ? [`pm.test('is ${error}', () => pm.expect(pm.response.json().error).to.equal('${error}'));`] : []),
    ...test.split('\n').filter((line) => line !== ''),
  ];
}

function scriptOf(listen, lines) {
  return { listen, script: { type: 'text/javascript', exec: lines } };
}

function itemOf(request) {
  const operation = operations.get(request.operation);
  if (operation === undefined) throw new Error(`The document has no operation ${request.operation}.`);
  const { method, route, summary, description, security } = operation;
  const auth = request.auth ?? (security?.length === 0 ? 'noauth' : undefined);
  const query = request.query?.map((pair) => pair.split('=')).map(([key, value]) => ({ key, value }));
  const search = request.query ? `?${request.query.join('&')}` : '';
  const segments = route.slice(1).replaceAll('{', '{{').replaceAll('}', '}}').split('/');
  return {
    name: request.name ?? summary,
    event: [
      ...(request.prerequest ? [scriptOf('prerequest', [request.prerequest])] : []),
      scriptOf('test', testsOf(request, operation)),
    ],
    request: {
      ...(auth && { auth: { type: auth } }),
      method,
      header: request.body ? [{ key: 'Content-Type', value: 'application/json' }] : [],
      url: {
        raw: `{{baseUrl}}/${segments.join('/')}${search}`,
        host: ['{{baseUrl}}'],
        path: segments,
        ...(query && { query }),
      },
      ...(request.body && { body: { mode: 'raw', raw: JSON.stringify(request.body, null, 2) } }),
      ...(description && { description }),
    },
  };
}

const used = new Set(REQUESTS.map(({ operation }) => operation));
const unused = [...operations.keys()].filter((id) => !used.has(id));
if (unused.length > 0) throw new Error(`No request uses ${unused.join(', ')}.`);

const collection = {
  info: {
    name: document.info.title,
    description: DESCRIPTION,
    schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
  },
  auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
  variable: Object.entries(VARIABLES).map(([key, value]) => ({ key, value, type: 'string' })),
  item: [
    ...REQUESTS.filter(({ error }) => error === undefined).map(itemOf),
    { name: 'Refusals', item: REQUESTS.filter(({ error }) => error !== undefined).map(itemOf) },
  ],
};
const text = await format(JSON.stringify(collection), { ...(await resolveConfig(FILE)), parser: 'json' });

const { check } = parseArgs({ options: { check: { type: 'boolean' } } }).values;
if (!check) writeFileSync(FILE, text);
else if (readFileSync(FILE, 'utf8') !== text) {
  process.stderr.write(
    'docs/postman.json differs from the API document. Run `npm run postman` and commit the result.\n',
  );
  process.exitCode = 1;
}

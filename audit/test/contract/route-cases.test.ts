import { expect } from 'chai';
import type { RequestHandler } from 'express';
import { findRoutes } from '../../src/contract/host-routes.js';
import { createPaths, entryFor } from '../../src/contract/paths.js';
import type { Resource } from '../../src/index.js';
import { accountStore, KOFI } from '../../../test/helpers/accounts.js';
import { FRAMEWORK } from '../../../test/helpers/on-each-express.js';
import { HOST, outcomeOfCase } from '../contract.js';
import { hostWith, pass, PATH, type Routes, servedHostWith, show, testHosts, TRANSACTIONS } from '../hosts.js';

const { auth, express } = FRAMEWORK;
/** Returns routes that answer 200. */
const serving = (...names: readonly string[]): Routes => Object.fromEntries(names.map((name) => [name, () => ({})]));
const unknown = (name: string, cover: string) =>
  `${name} is behind a guard, and nothing tests it. If it takes the id of a row, ${cover}. If no merchant may use it, write ` +
  `refused: { '${name}': 'the reason' }. Otherwise write leaveOut: { '${name}': 'the reason' }.`;
const resource = (path: string, values: string) =>
  unknown(`GET ${path}`, `give its resource: { read: 'GET ${path}', create: async (as) => ({ ${values} }) }`);
const entry = (name: string) =>
  unknown(
    name,
    `write routes: { '${name}': { body: ({ id }) => ({ ... }) } }. If it makes one, let create of a resource send it. If ` +
      'it is a list, give its body without a function',
  );

const refunds: Resource = {
  read: 'GET /v1/refunds/:refund',
  create: async (as) => {
    await as.send('POST /v1/refunds', {});
    return { refund: 7 };
  },
};
const READ = 'GET /v1/shops/:refercence_cl/transactions/:id';
/** A route with the reference of the host in a parameter that is not one of `referenceNames`. */
const WALLET = 'POST /v1/wallets/:walletId/pay';
const fromPath = auth.requireOwnReference({ from: (req) => req.params['walletId'] });

describe('authContract accounts for each route behind a guard', () => {
  const proxy: RequestHandler = (_req, res) => void res.json({});
  const { app } = hostWith();
  const walled: typeof app = (req, res) => app?.(req, res);
  const guard = auth.requireBearer({ userStore: accountStore() });
  const items = '/v1/transactions/:id/items/:item';

  testHosts('each route', {
    'passes where each is the one of the transactions, has their id, is sent by create, is a list, or has an entry': {
      mount: (app) => app.use('/v1', pass),
      serves: serving(
        'GET /v1/transactions',
        'GET /v1/transactions/:transaction/refunds',
        'GET /v1/merchants/:refercence_cl/balance',
        'GET /v1/reports/:month',
        'GET /v1/admin/:id',
        'POST /v1/refunds',
        'POST /v1/refunds/search',
        'GET /v1/refunds/:refund',
        'HEAD /v1/status',
        'OPTIONS /v1/status',
      ),
      leaveOut: { 'GET /v1/reports/:month': 'A report has no rows.' },
      refused: { 'GET /v1/admin/*': 'For operators.' },
      resources: [TRANSACTIONS, refunds],
      routes: { 'POST /v1/refunds/search': { body: ({ id }) => ({ id }) } },
    },
    'passes for a reference in the path that `from` reads, and for one beside the id of a row': {
      serves: { [WALLET]: [fromPath, () => ({})], [READ]: [auth.requireOwnReference(), ({ own }) => show(own)] },
      resources: [{ ...TRANSACTIONS, read: READ }],
      leaveOut: { [`GET ${PATH}`]: 'Another one reads the row.' },
    },
    'is red for the id of a row beside a reference that is checked': {
      serves: {
        'GET /v1/shops/:refercence_cl/orders/:id': [auth.requireOwnReference(), () => ({})],
        'GET /v1/wallets/:walletId/payments/:id': [fromPath, () => ({})],
      },
      says: [
        resource('/v1/shops/:refercence_cl/orders/:id', 'id: ...'),
        resource('/v1/wallets/:walletId/payments/:id', 'walletId: ..., id: ...'),
      ].join('\n'),
    },
    'is red for a parameter that nothing reads, beside a reference that is demanded': {
      serves: { [WALLET]: [auth.requireOwnReference(), () => ({})] },
      says: `${WALLET} is behind a guard, and nothing tests it. …`,
    },
    'is red for another spelling of the reference, which the guard refuses': {
      guard: auth.requireBearer({ userStore: accountStore(), referenceNames: ['merchantId'] }),
      serves: { 'GET /v1/m/:merchant_id': [auth.requireOwnReference(), () => ({})] },
      referenceName: 'merchantId',
      transactions: { body: (merchantId: string | undefined) => ({ merchantId }) },
      resources: [],
      leaveOut: { [`GET ${PATH}`]: 'Another one reads the row.' },
      says: resource('/v1/m/:merchant_id', 'merchant_id: ...'),
    },
    'passes for a host without transactions': { transactions: undefined as never },
    'is red for a route with an id elsewhere, and says the line to write': {
      serves: serving('GET /v1/payments/:id', `GET ${items}`),
      says: [resource('/v1/payments/:id', 'id: ...'), resource(items, 'id: ..., item: ...')].join('\n'),
    },
    'is red for a route with a wildcard or an expression': {
      serves: serving('GET /v1/files/*path'),
      mount: (app) => app.get(/^\/v1\/x(\d+)/, proxy),
      says: [entry('GET /^\\/v1\\/x(\\d+)/'), resource('/v1/files/*path', 'path: ...')].join('\n'),
    },
    'is red for a route with a body and no parameter': {
      serves: serving('POST /v1/lookup', 'ALL /v1/sync'),
      says: [entry('POST /v1/lookup'), entry('ALL /v1/sync')].join('\n'),
    },
    'is red for a host without resources': {
      resources: undefined as never,
      says: `No row of a merchant is tested, because resources is missing. Behind a guard: POST /v1/transactions, GET ${PATH}. Give resources: [{ read: 'GET ${PATH}', create: async (as) => ({ id: ... }) }], or write leaveOut: …`,
    },
    'is red for a function at a path that answers a merchant, and not for one that goes on': {
      mount: (app) => app.use('/v1/legacy', proxy).use('/v1/transactions', pass),
      says: entry('USE /v1/legacy'),
    },
    'is red for a route of a mounted app with its own guard': {
      mount: (app) => app.use('/other', express().use(guard, express().get('/payments/:id', proxy))),
      says: resource('/other/payments/:id', 'id: ...'),
    },
    'passes for a route that lets each request through to another one, as middleware of NestJS does': {
      mount: (app) => app.all('/v1/rates/*path', pass).get('/v1/rates/daily', proxy),
    },
    'passes for a route behind a check of other callers that stands behind the guard': {
      mount: (app) => app.use('/v1/keys', (_req, res) => void res.sendStatus(401)).get('/v1/keys/:id', proxy),
    },
    'is red for the same where the host has an entry': {
      mount: (app) => app.use('/v1/keys', (_req, res) => void res.sendStatus(401)).post('/v1/keys', proxy),
      routes: { 'POST /v1/keys': { headers: { 'X-Api-Key': 'of a partner' } } },
      says: entry('POST /v1/keys'),
    },
    'is red for an app in which no route is found': {
      app: walled,
      says: 'No route behind a guard was found in app, so nothing was tested. …',
    },
  });

  it('says that nobody looked for routes where there is no app', async () => {
    const host = await servedHostWith();
    const outcomeFor = (route: string) => outcomeOfCase('each route', { ...host, routes: { [route]: {} } });
    expect(await outcomeFor('GET /v1/shops/:refercence_cl')).to.equal(
      'left out: Only these routes were tested, because no app was given to look for others: ' +
        'GET /v1/shops/:refercence_cl, GET /v1/transactions/:id.',
    );
    expect(await outcomeFor('GET /v1/payments/:id')).to.equal(resource('/v1/payments/:id', 'id: ...'));
  });
});

describe('authContract asks each refused route as both merchants', () => {
  const FOR_OPERATORS =
    'in place of 401, 403 or 404, although refused names it. Check on the server that the caller is an operator.';

  testHosts('a refused route', {
    'and passes for 401, 403 and 404': {
      serves: { 'GET /v1/admin/:id': () => 403, 'ALL /v1/admin': ({ req }) => (req.method === 'GET' ? 401 : 404) },
      refused: { 'GET /v1/admin/*': 'For operators.', 'ALL /v1/admin': 'For operators.' },
    },
    'and is red for an entry without a route, which would test nothing': {
      refused: { 'GET /v1/admin/*': 'For operators.' },
      says: 'refused has "GET /v1/admin/*", which is not a route of this host.',
    },
    'and asks even a DELETE of an account that the contract uses': {
      serves: { 'DELETE /v1/users/:id': () => 403 },
      resources: [{ ...TRANSACTIONS, create: (as) => Promise.resolve({ id: as.referencl }) }],
      refused: { 'DELETE /v1/users/:id': 'For operators.' },
    },
    'and is red for one that shows a row, which it asks by an id that exists': {
      serves: { 'GET /v1/admin/:id': ({ any }) => any },
      refused: { 'GET /v1/admin/:id': 'For operators.' },
      says: `GET /v1/admin/:id got 200 for merchant ${FOR_OPERATORS}`,
    },
    'and is red for one method of app.all and one merchant, without resources': {
      serves: {
        'ALL /v1/admin': ({ req, me }) => (req.method === 'DELETE' && me === KOFI.marchand.referencl ? 204 : 403),
      },
      resources: undefined as never,
      refused: { 'ALL /v1/admin': 'For operators.' },
      says: `DELETE /v1/admin got 204 for otherMerchant ${FOR_OPERATORS}`,
    },
  });
});

it('takes the entry of the route itself, and then that of the longest path above', () => {
  const entries = { 'GET /v1/*': 1, 'GET /v1/a/*': 2, 'GET /v1/a/b': 3, 'GET /*': 0, 'POST /v1/a/b/*': 4 };
  const found = ['/v1/a/b', '/v1/a/c', '/v1/c', '/x', '/v1/a'].map((path) => entryFor(entries, `GET ${path}`));
  expect(found).to.deep.equal([3, 2, 1, 0, 1]);
  expect(entryFor(entries, 'POST /v1/a/b')).to.equal(undefined);
});

const READS = [
  'GET /v1/payments/:id/refunds/:refund',
  'GET /v1/payments/:id',
  'GET /v1/shops/:refercence_cl/orders/:order',
  'GET /v1/notes',
  'GET /v1/notes/:noteId',
];
const resources = READS.map((read) => ({ read, create: () => Promise.resolve({}) }));

const paths = createPaths(['refercence_cl']);

describe('the resource of a route', () => {
  for (const [route, expected] of [
    ['GET /v1/payments/:payment', READS[1]],
    ['GET /V1/Payments/:id.pdf', READS[1]],
    ['GET /v1/payments/:id{/receipt}', READS[1]],
    ['POST /v1/payments/:id/reminder', READS[1]],
    ['GET /v1/payments/:id/refunds', READS[0]],
    ['GET /v1/payments/:id/refunds/:number(\\d+)/receipt', READS[0]],
    ['GET /v1/payments/:id/items/:item', undefined],
    ['GET /v1/payments', undefined],
    ['GET /v1/payment/:id', undefined],
    ['GET /v1/shops/:refercence_cl/balance', undefined],
    ['GET /v1/shops/:refercence_cl/orders/:id', READS[2]],
    ['PATCH /v1/notes/:id', READS[4]],
  ] as const) {
    it(`is the one whose read has the longest path of it: ${route}`, () => {
      const [found] = findRoutes({ ...HOST, resources, routes: { [route]: {} } }).routes;
      expect(found?.resources.map(({ read }) => read)).to.deep.equal(expected === undefined ? [] : [expected]);
    });
  }
});

it('the parameters of a path have the names that Express gives them', () => {
  expect(paths.parametersIn('/v1/*/files/:id(\\d+)/*rest/*')).to.deep.equal(['0', 'id', 'rest', '1']);
});

it('a path is filled with ids, whatever the form of its parameters', () => {
  for (const path of ['/:id([\\w-]+)', '/:id', '/*', '/*id', '{/:id}', '/:"id"', '/:id?', '/:refercence_cl']) {
    expect(paths.fill(`/v1${path}/receipt`, ['7/8'], '7/8'), path).to.equal('/v1/7%2F8/receipt');
  }
});

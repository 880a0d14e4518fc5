import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { accountStore } from '../../../test/helpers/accounts.js';
import { FRAMEWORK } from '../../../test/helpers/on-each-express.js';
import type { Resource } from '../../src/index.js';
import { type Asked, note, PATH, show, testHosts, TRANSACTIONS } from '../hosts.js';

const { auth, express } = FRAMEWORK;
const ROWS = '5.6 a row of';
const LIST = 'GET /v1/list';
const NOTE = 'POST /v1/note';
const SEARCH = 'POST /v1/search';
const ACCOUNT = 'DELETE /v1/users/:id';
const asked = (route: string, names = 'id') => `${route} of otherMerchant with the ${names} of merchant got 200. …`;

describe('the contract sends the query of an entry', () => {
  const demand = auth.requireOwnReference({ from: (req) => auth.merchantOf(req).referencl });
  /** Refuses each member of a query, as a strict schema does. */
  const serves = {
    [LIST]: [demand, ({ req, mine }: Asked) => (Object.keys(req.query).length > 0 ? 422 : mine)],
  } as const;
  const says = 'GET /v1/list for merchant got 422, so its rows were not seen. …';

  testHosts('5.6 a list', {
    'without a reference beside it': { serves, routes: { 'GET /v1/*': { query: {} } } },
    'without the members that are undefined': { serves, routes: { [LIST]: { query: { month: undefined } } } },
    'and else the own reference where a route demands it': { serves, says },
    'and the own reference where a function above the route demands it': {
      mount: (app) => app.use('/v1/list', auth.requireOwnReference()),
      serves: { [LIST]: ({ mine }) => mine },
    },
  });
});

describe('the contract sends the body of an entry', () => {
  const guard = [
    auth.requireBearer({ userStore: accountStore(), reference: 'unchecked' }),
    express.text({ type: '*/xml' }),
    express.raw({ type: '*/pdf' }),
  ];
  const named = ({ req, all }: Asked) => show(all.find(({ id }) => String(req.body) === `<${id}>`));
  const form = new FormData();
  const shops: Resource = {
    read: 'GET /v1/shops/:id',
    create: () => Promise.resolve({ id: `shop-${randomUUID()}` }),
  };

  testHosts(ROWS, {
    'as text': {
      guard,
      serves: { [NOTE]: named },
      routes: { [NOTE]: { body: ({ id }) => `<${id}>`, headers: { 'Content-Type': 'text/xml' } } },
      says: asked(NOTE),
    },
    'as bytes': {
      guard,
      serves: { [NOTE]: named },
      routes: { [NOTE]: { body: ({ id }) => Buffer.from(`<${id}>`), headers: { 'Content-Type': 'image/pdf' } } },
      says: asked(NOTE),
    },
    'as an array': {
      serves: { [NOTE]: ({ req, all }) => show(all.find(({ id }) => (req.body as { id: unknown }[])[0]?.id === id)) },
      routes: { [NOTE]: { body: ({ id }) => [{ id }] } },
      says: asked(NOTE),
    },
    'and not one that is neither JSON, text nor bytes': {
      serves: { [NOTE]: named },
      routes: { [NOTE]: { body: ({ id }) => (form.set('id', String(id)), form) } },
      says: 'authContract: a body is JSON, a text or a Buffer, and not FormData. Leave the route out with the reason.',
    },
    'with the reference of the owner under another name, where create returns it': {
      serves: {
        [NOTE]: ({ all, body }) =>
          show(all.find(({ id, refercence_cl }) => id === body['id'] && refercence_cl === body['by'])),
      },
      resources: [
        {
          ...TRANSACTIONS,
          create: async (as) => ({ ...(await TRANSACTIONS.create(as)), refercence_cl: as.referencl }),
        },
      ],
      routes: { [NOTE]: { body: ({ id, refercence_cl }) => ({ id, by: refercence_cl }) } },
      says: asked(NOTE, 'id and refercence_cl'),
    },
    'for the rows of which alone the status tells': {
      serves: {
        [NOTE]: ({ body, any }) => (body['id']?.startsWith('shop-') || any ? 204 : (res) => void res.status(404).end()),
      },
      resources: [shops, TRANSACTIONS],
      routes: { [NOTE]: { body: ({ id }) => ({ id }) } },
      says: `${NOTE} of otherMerchant with the id of merchant got 204. …`,
    },
    'for the first rows, where no answer tells, and passes': {
      serves: { 'PUT /v1/note': (asked) => (note(asked, asked.own), 204) },
      resources: [TRANSACTIONS, shops],
      routes: { 'PUT /v1/note': { body: ({ id }) => ({ id, note: randomUUID() }) } },
    },
    'for a batch with the ids of each resource': {
      serves: {
        [NOTE]: ({ all, body }) => all.filter(({ id }) => body['ids']?.includes(String(id))),
      },
      resources: [shops, TRANSACTIONS],
      routes: { [NOTE]: { body: ({ id }) => ({ ids: [id] }) } },
      says: `${NOTE} of otherMerchant with the id of merchant got 200, …`,
    },
  });

  testHosts('5.6 a list', {
    'of a list as text': {
      guard,
      serves: { [SEARCH]: ({ req, all }) => (req.body === '<all>' ? all : 422) },
      routes: { [SEARCH]: { body: '<all>', headers: { 'Content-Type': 'text/xml' } } },
      says: 'POST /v1/search showed otherMerchant the id of a row that merchant had just made. …',
    },
  });
});

describe('the contract sends no DELETE of the account that it uses', () => {
  testHosts(ROWS, {
    'with its id as that of a row': {
      serves: { [ACCOUNT]: () => expect.fail('It was sent.') },
      resources: [
        { ...TRANSACTIONS, read: 'GET /v1/users/:id', create: (as) => Promise.resolve({ id: as.referencl }) },
      ],
      says: `${ACCOUNT} would delete the account of otherMerchant, which the test uses. Let create make another one, or write leaveOut: { '${ACCOUNT}': 'the reason' }.`,
    },
  });

  testHosts('a refused route', {
    'except one that no merchant may use': {
      serves: { [ACCOUNT]: () => 403 },
      refused: { [ACCOUNT]: 'For operators.' },
    },
  });
});

describe('the contract says', () => {
  const DELETE = `DELETE ${PATH}`;
  const failing = 'The route fails for an id that nobody has: answer 404 there too.';

  testHosts(ROWS, {
    'that a route with 403 for each merchant can be a refused one': {
      serves: { [DELETE]: () => 403 },
      says: `DELETE /v1/transactions/… of otherMerchant for its own row got 403, so the test of ${DELETE} proves nothing. If no merchant may use it, write refused: { '${DELETE}': 'the reason' }. Write what the route needs: …`,
    },
    'that a route fails for unknown ids': {
      serves: { [`GET ${PATH}`]: ({ own, foreign }) => (own ? show(own) : foreign ? 404 : 500) },
      says: `GET ${PATH} of otherMerchant with the id of merchant got 404, and 500 with an id that nobody has, which tells that the row exists. ${failing} …`,
    },
    'only the leak of a route that fails for unknown ids': {
      serves: { [`GET ${PATH}`]: ({ any }) => (any ? show(any) : 500) },
      says: `GET ${PATH} of otherMerchant with the id of merchant got 200. Find the row by its id …`,
    },
    'leaks before the tests that prove nothing': {
      serves: { [DELETE]: () => 403, [`GET ${PATH}/receipt`]: ({ any }) => show(any) },
      says: `GET ${PATH}/receipt of otherMerchant with the id of merchant got 200. …\nDELETE /v1/transactions/…`,
    },
  });
});

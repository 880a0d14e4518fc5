import { expect } from 'chai';
import type { RequestHandler, Router } from 'express';
import { accountStore } from '../../../test/helpers/accounts.js';
import { FRAMEWORK } from '../../../test/helpers/on-each-express.js';
import { outcomeOfCase } from '../contract.js';
import { hostWith, type Routes, servedHostWith, testHosts } from '../hosts.js';

const { auth, express } = FRAMEWORK;
const own = auth.requireOwnReference();
const answer: RequestHandler = (_req, res) => void res.json({});
const serving = (...names: readonly string[]): Routes => Object.fromEntries(names.map((name) => [name, () => ({})]));
const guardOf = (options: object) => auth.requireBearer({ userStore: accountStore(), ...options });

describe('the case on routes that a stranger reaches', () => {
  const told = (name: string, how: string) =>
    `${name} ${how}. Mount requireBearer({ userStore }) before it. If callers need no token, write open: { '${name}': 'the reason' }.`;
  const reached = (name: string, by = name) => told(name, `is reached without a token by ${by}`);
  const shop: RequestHandler = (req, res, next) => (req.query['shop'] ? next() : void res.sendStatus(400));
  const fail: RequestHandler = (_req, res, _next) => void res.sendStatus(500);

  testHosts('no route is reached', {
    'passes for a route that open names': {
      mount: (app) => app.get('/healthz', answer),
      open: { 'GET /healthz': 'It tells nothing of a merchant.' },
    },
    'is red for a route, a function at a path and a mounted app beside the guard': {
      mount: (app) => app.get('/healthz', answer).use('/proxy', answer).use('/admin', express().get('/', answer)),
      says: [reached('GET /healthz'), reached('GET /admin'), reached('USE /proxy', 'GET /proxy')].join('\n'),
    },
    'is red for a guard at a path that Express takes with another letter case': {
      guard: (req, res, next) => (req.originalUrl.startsWith('/v1/') ? guardOf({})(req, res, next) : next()),
      mount: (app) => app.get('/v1/rates', answer),
      says: `${reached('GET /v1/rates', 'GET /V1/rates')}…`,
    },
    'is red behind a validator, and for a function that fails': {
      mount: (app) => app.get('/shops', shop, answer).get('/broken', fail, answer),
      says: [
        reached('GET /shops', 'GET /shops, with what shop wants'),
        told('GET /broken', 'got 500 of fail without a token, in place of 401'),
      ].join('\n'),
    },
    'passes for functions at a path that only a merchant reaches': {
      mount: (app) => app.use('/v1/reports', answer).use('/v1/graphql', shop),
    },
    'passes for a check of other callers': {
      mount: (app) => app.use('/keys', (_req, res) => void res.sendStatus(401)).get('/keys/:id', answer),
    },
  });
});

describe('the case on the reference of another merchant, with handlers that do not run', () => {
  const merchants = express.Router({ mergeParams: true }).get('/x/:refercence_cl', own, answer);

  testHosts('5.6 no route behind', {
    'passes for a reference that is demanded, and for one that the guard finds in body and query': {
      serves: { ...serving('POST /v1/notes'), 'GET /v1/m/:refercence_cl/x': [own, () => ({})] },
      mount: (app) => app.use('/v1/n/:refercence_cl', own).get('/v1/n/:refercence_cl/x', answer),
    },
    'is red for one in the path that nothing demands': {
      serves: serving('POST /v1/m/:refercence_cl/x'),
      says: "POST /v1/m/:refercence_cl/x: refercence_cl not demanded. Mount requireOwnReference() on this route, …write app.use('/v1/m/:refercence_cl', requireOwnReference()) before them.",
    },
    'is red for one that a validator hides from strangers': {
      mount: (app) =>
        app.get('/v1/m/:refercence_cl', ({ query }, res, next) => (query['a'] ? next() : res.sendStatus(422)), answer),
      says: 'GET /v1/m/:refercence_cl: refercence_cl not demanded. …',
    },
    'is red for one that is twice in the path': {
      mount: (app) => app.use('/v1/m/:refercence_cl', merchants),
      says: 'GET /v1/m/:refercence_cl/x/:refercence_cl: refercence_cl twice in the path. …',
    },
    'is red for each name of the reference that the guard checks': {
      guard: guardOf({ referenceNames: ['merchant_id', 'store_id'] }),
      serves: { 'GET /v1/m/:merchant_id': [own, () => ({})], ...serving('GET /v1/s/:store_id') },
      referenceName: 'merchant_id',
      says: 'GET /v1/s/:store_id: store_id not demanded. …',
    },
    'is red for a guard that checks nothing': {
      guard: guardOf({ reference: 'unchecked' }),
      serves: { ...serving('POST /v1/notes'), 'POST /v1/paid': [own, () => ({})] },
      says: 'POST /v1/notes: refercence_cl not checked. …GET /v1/transactions/:id: refercence_cl not checked. …',
    },
    'is red for a check of the query alone': {
      guard: [
        guardOf({ reference: 'unchecked' }),
        ({ query }, res, next) => (query['refercence_cl'] ? void res.sendStatus(403) : next()),
      ],
      serves: serving('POST /v1/notes', 'GET /v1/notes'),
      says: 'POST /v1/notes: refercence_cl not checked. Leave reference of the guard at "own". With "unchecked", mount requireOwnReference() on this route, after its parser.',
    },
    'is red for a guard that reports only': {
      guard: guardOf({ reference: 'reported' }),
      says: 'POST /v1/transactions: refercence_cl not checked. …GET /v1/transactions/:id: refercence_cl not checked. …',
    },
    'passes for a route that is left out or refused': {
      serves: serving('GET /v1/m/:refercence_cl/x', 'GET /v1/m/:refercence_cl/y'),
      leaveOut: { 'GET /v1/m/:refercence_cl/x': 'All merchants read it.' },
      refused: { 'GET /v1/m/:refercence_cl/y': 'For operators.' },
    },
  });

  it('asks for each named route by the address of a host', async () => {
    const host = await servedHostWith({ serves: serving('POST /v1/m/:refercence_cl/x') });
    const routes = { 'POST /v1/m/:refercence_cl/x': {} };
    expect(await outcomeOfCase('5.6 no route behind', { ...host, routes })).to.match(
      /^POST \/v1\/m\/OF-ANOTHER-MERCHANT\/x got 200 in place of 403 foreign_reference\. Mount requireOwnReference/,
    );
  });
});

it('a case says that a router hides the paths of mounts', async () => {
  const host = hostWith({ mount: (app) => app.use('/v1/a', express.Router().get('/x', answer)) });
  const { stack } = (host.app as unknown as { readonly router: Router }).router;
  for (const layer of stack) Reflect.deleteProperty(layer, 'rawPath');
  expect(await outcomeOfCase('each route', host)).to.equal(
    'authContract: The package router before 2.3 hides the paths of mounts: npm update router.',
  );
});

import { expect } from 'chai';
import type { RequestHandler } from 'express';
import { accountStore } from '../../../test/helpers/accounts.js';
import { serve } from '../../../test/helpers/http.js';
import { FRAMEWORK } from '../../../test/helpers/on-each-express.js';
import { outcomeOfCase } from '../contract.js';
import { hostWith, type Routes, testHosts } from '../hosts.js';

const { auth, express } = FRAMEWORK;
const userStore = accountStore();
const own = auth.requireOwnReference();
const answer: RequestHandler = (_req, res) => void res.json({});
const serving = (...names: readonly string[]): Routes => Object.fromEntries(names.map((name) => [name, () => ({})]));
const guardOf = (options: object) => auth.requireBearer({ userStore, ...options });

describe('the case on routes that a stranger reaches', () => {
  const told = (name: string, how = 'is reached without a token') =>
    `${name} ${how}. Mount requireBearer({ userStore }) before it. If callers need no token, write open: { '${name}': 'the reason' }.`;
  const shop: RequestHandler = (req, res, next) => (req.query['shop'] ? next() : void res.sendStatus(400));
  const fail: RequestHandler = (_req, res, _next) => void res.sendStatus(500);

  testHosts('no route is reached', {
    'passes for a route that open names': {
      mount: (app) => app.get('/healthz', answer),
      open: { 'GET /healthz': 'It tells nothing of a merchant.' },
    },
    'is red for a route, a function at a path and a mounted app beside the guard': {
      mount: (app) => app.get('/healthz', answer).use('/proxy', answer).use('/admin', express().get('/', answer)),
      says: [told('GET /healthz'), told('GET /admin'), told('USE /proxy')].join('\n'),
    },
    'is red for a guard at a path that Express takes with another letter case': {
      guard: (req, res, next) => (req.originalUrl.startsWith('/v1/') ? guardOf({})(req, res, next) : next()),
      mount: (app) => app.get('/v1/rates', answer),
      serves: {},
      says: told('GET /v1/rates', 'is reached without a token by GET /V1/rates') + '…',
    },
    'is red behind a validator, and for a function that fails': {
      mount: (app) => app.get('/shops', shop, answer).get('/broken', fail, answer),
      says: [
        told('GET /shops', 'is reached without a token, with what shop wants'),
        told('GET /broken', 'got 500 of fail without a token, in place of 401'),
      ].join('\n'),
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
      serves: serving('GET /v1/m/:refercence_cl/x'),
      says: "GET /v1/m/:refercence_cl/x: refercence_cl not demanded. Mount requireOwnReference() on this route, …write app.use('/v1/m/:refercence_cl', requireOwnReference()) before them.",
    },
    'is red for one in the path of a route that acts for it': {
      serves: serving('POST /v1/shops/:refercence_cl/close'),
      says: 'POST /v1/shops/:refercence_cl/close: refercence_cl not demanded. …',
    },
    'is red for one that a validator hides from strangers': {
      mount: (app) =>
        app.get(
          '/v1/m/:refercence_cl',
          (req, res, next) => (req.query['a'] ? next() : void res.sendStatus(422)),
          answer,
        ),
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
    'is red for another spelling': {
      guard: guardOf({ referenceNames: ['merchantId'] }),
      serves: { 'GET /v1/m/:merchant_id': [own, () => ({})] },
      referenceName: 'merchantId',
      says: 'GET /v1/m/:merchant_id: merchant_id is another spelling of merchantId. The guard refuses it with 400, because a part of a request that looks like a name of the reference has to be one. Rename the parameter, or add this spelling to referenceNames.',
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
    const { app, ...host } = hostWith({ serves: serving('POST /v1/m/:refercence_cl/x') });
    const baseUrl = `http://127.0.0.1:${(await serve(app ?? expect.fail())).port}`;
    const routes = { 'POST /v1/m/:refercence_cl/x': {} };
    expect(await outcomeOfCase('5.6 no route behind', { ...host, baseUrl, routes })).to.match(
      /^POST \/v1\/m\/OF-ANOTHER-MERCHANT\/x got 200 in place of 403 foreign_reference\. Mount requireOwnReference/,
    );
  });
});

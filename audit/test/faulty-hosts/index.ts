import { randomUUID } from 'node:crypto';
import express from 'express';
import * as auth from '../../../src/index.js';
import type { HostUnderTest } from '../../src/index.js';
import { accountStore } from '../../../test/helpers/accounts.js';
import { appWith, change, type FaultyHosts, guardOf, hostWith, pass } from './fault.js';
import { setupFaults } from './setup-faults.js';

type Found = NonNullable<Awaited<ReturnType<auth.UserStore['findCredentials']>>>;

/** Makes a host whose store changes what it finds for a login. */
const hostFinding = (apply: (found: Found) => unknown) => () => {
  const store = accountStore();
  const findCredentials: auth.UserStore['findCredentials'] = async (email) => {
    const found = await store.findCredentials(email);
    return found && (apply(found) as Found | null);
  };
  return { app: appWith({ store: { findCredentials, findById: (id) => store.findById(id) } }) };
};

/** Faults of where guard, login and parsers are mounted. */
const mountFaults: FaultyHosts = {
  'the guard on a narrower path': {
    host: hostWith({ guard: express.Router().use('/transactions/secure', guardOf()), demand: [] }),
    fails: ['5.8 a request without', '5.8 a route'],
    says: /Mount requireBearer\({ userStore }\) before this route/,
  },
  'the login mounted after the guard': {
    host: hostWith({ router: guardOf(), guard: auth.createLoginRouter(accountStore()) }),
    fails: ['2.2 a good login'],
    says: /with a good password got 401 missing_token, and no token\. Mount createLoginRouter\(userStore\) there, before the guard/,
  },
  'the login at a path that the test does not know': {
    host: hostWith({ router: express.Router().use('/shop', auth.createLoginRouter(accountStore())), guard: pass }),
    fails: ['2.1 an email', '2.1 a password', '2.2 a good login', '4 the login needs'],
    says: /got 404.* or give loginPath, or give ownLogin for your own route\./,
  },
  'a middleware before the login that checks old tokens': {
    host: hostWith({ before: (req, res, next) => (req.headers.authorization ? void res.sendStatus(401) : next()) }),
    fails: ['4 the login needs'],
    says: /^A good login with an old token in Authorization got 401\. Mount the login before the guard\./,
  },
  'requireOwnReference is not on the route': {
    host: hostWith({ demand: [] }),
    fails: ['5.6 a transaction'],
    says: /in place of 400 missing_reference\. Mount requireOwnReference\(\) on the route/,
  },
  'reference: "reported" is still there': {
    host: hostWith({ guard: guardOf({ reference: 'reported' }) }),
    fails: ['5.6 a reference of', '5.6 each merchant'],
    says: /in place of 403 foreign_reference\. Leave reference at "own"/,
  },
  'names of the reference that the test does not know': {
    host: hostWith({ guard: guardOf({ referenceNames: ['merchant_id'] }) }),
    fails: ['5.6 a reference of'],
    says: /Leave reference at "own", give one of the referenceNames of the guard as referenceName,/,
  },
  'a middleware before the guard that renames the reference': {
    host: hostWith({
      before: [
        express.json(),
        change((req) => {
          const { refercence_cl, ...rest } = (req.body ?? {}) as Record<string, unknown>;
          if (refercence_cl !== undefined) req.body = { ...rest, reference: refercence_cl };
        }),
      ],
    }),
    fails: ['5.7 a token stays', '5.6 a reference that'],
    says: /got 400 missing_reference|in place of 403 foreign_reference/,
  },
  'an app without the guard, by its address': {
    host: hostWith({ guard: pass, demand: [] }),
    fails: ['5.3 a token in', '5.8 a request with another', 'a client that accepts gzip', '5.6 a foreign'],
    says: /in place of (401 missing_token|400, 403 or 415)/,
  },
};

const made = new Set<string>();
const RESOURCES: HostUnderTest['resources'] = [
  {
    read: 'GET /v1/transactions/:id',
    async create(as) {
      await as.send('POST /v1/transactions', { refercence_cl: as.referencl });
      const id = randomUUID();
      made.add(id);
      return { id };
    },
  },
];

const storeFaults: FaultyHosts = {
  'an id that is a number': {
    host: hostFinding((found) => ({ ...found, account: { ...found.account, id: Number(found.account.id) } })),
    fails: ['5.4 a token is a JWT', '4 the login needs no token'],
    says: /got 500 malformed_account/,
  },
  'a handler that finds a row by its id alone': {
    host: () => ({
      app: appWith({
        behind: express.Router().get('/v1/transactions/:id', ({ params }, res) => {
          res.sendStatus(made.has(params.id) ? 200 : 404);
        }),
      }),
      resources: RESOURCES,
    }),
    fails: ['5.6 a row of'],
    says: /^GET \/v1\/transactions\/:id of CNT-1002 with the id of BTQ-1001 got 200\. Find the row by its id and by merchantOf/,
  },
  'a list of all rows': {
    host: () => {
      const rows: object[] = [];
      const behind = express.Router().get('/v1/receipts', (_req, res) => void res.json(rows));
      behind.post('/v1/transactions', (req, _res, next) => {
        rows.push({ refercence_cl: auth.merchantOf(req).referencl });
        next();
      });
      const leaveOut = { 'ALL /v1/transactions': 'These are the transactions.' };
      return { app: appWith({ behind }), leaveOut, resources: RESOURCES };
    },
    fails: ['5.6 a list'],
    says: /^GET \/v1\/receipts showed CNT-1002 the reference of a row that BTQ-1001 had just made\. Select the rows by/,
  },
  'a route that the test does not know': {
    host: () => ({
      app: appWith({ behind: express.Router().get('/v1/payments/:id', (_req, res) => void res.json({})) }),
      leaveOut: { 'ALL /v1/transactions': 'These are the transactions.' },
      resources: RESOURCES,
    }),
    fails: ['each route behind'],
    says: /^GET \/v1\/payments\/:id is behind a guard, and nothing tests it\. .*write refused: { 'GET \/v1\/payments\/:id': /,
  },
  'a route that acts for the reference in its path, whose own it is': {
    host: () => ({
      app: appWith({
        behind: express.Router().post('/v1/wallets/:refercence_cl/close', (_req, res) => void res.json({})),
      }),
    }),
    fails: ['5.6 a reference in'],
    says: /^POST \/v1\/wallets\/CNT-1002\/close got 200 in place of 403 foreign_reference\. Mount requireOwnReference\(\) on the/,
  },
  'a route of the operator that each merchant may use': {
    host: () => ({
      app: appWith({ behind: express.Router().post('/v1/payouts', (_req, res) => void res.json({})) }),
      refused: { 'POST /v1/payouts': 'Only the operator pays out.' },
    }),
    fails: ['a refused route'],
    says: /^POST \/v1\/payouts got 200 for BTQ-1001 in place of 401, 403 or 404, although refused names it\./,
  },
  'a store that does not find disabled accounts': {
    host: hostFinding((found) => (found.account.disabled ? null : found)),
    fails: ['7 a disabled account'],
    says: /Let findCredentials return disabled accounts too/,
  },
};

/** Hosts with one fault each. */
export const FAULTY = Object.entries({ ...mountFaults, ...setupFaults, ...storeFaults }).map(([fault, faulty]) => ({
  ...faulty,
  fault,
}));

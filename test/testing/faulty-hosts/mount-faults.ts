import type { Express, RequestHandler } from 'express';
import express from 'express';
import * as auth from '../../../src/index.js';
import { accountStore } from '../../helpers/accounts.js';
import { appWith, type FaultyHost, hostWith, quiet, takePayment } from './fault.js';

const pass: RequestHandler = (_req, _res, next) => next();
const guardOf = (options?: auth.RequireBearerOptions) =>
  auth.requireBearer({ userStore: accountStore(), ...options }) as unknown as RequestHandler;

/** Makes an app of a login and whatever `mount` mounts. */
function appOf(mount: (app: Express, guard: RequestHandler) => void): () => Express {
  return () => {
    const store = accountStore();
    const app = express();
    app.use('/v1', auth.createLoginRouter(store));
    mount(app, auth.requireBearer({ userStore: store }));
    app.use(auth.authErrorHandler(quiet));
    return app;
  };
}
const contractOn = (mount: Parameters<typeof appOf>[0]) => () => ({ app: appOf(mount)() });

/** Faults of where guard, login and parsers are mounted. */
export const mountFaults: readonly FaultyHost[] = [
  {
    fault: 'the guard on a narrower path',
    host: contractOn((app, guard) => app.use('/v1/transactions/secure', guard).post('/v1/transactions', takePayment)),
    fails: ['5.8 a request without', '5.8 a route'],
    says: /Mount requireBearer\({ userStore }\) before this route/,
  },
  {
    fault: 'the login mounted after the guard',
    host: () => {
      const store = accountStore();
      const app = express().use('/v1', auth.requireBearer({ userStore: store }));
      app.use('/v1', auth.createLoginRouter(store)).post('/v1/transactions', auth.requireOwnReference(), takePayment);
      return { app: app.use(auth.authErrorHandler(quiet)) };
    },
    fails: ['2.2 a good login'],
    says: /with a good password got 401 missing_token\. Mount createLoginRouter\(userStore\) there, before the guard/,
  },
  {
    fault: 'requireOwnReference is not on the route',
    host: hostWith({ demand: [] }),
    fails: ['5.6 a transaction'],
    says: /in place of 400 missing_reference\. Mount requireOwnReference\(\) on the route/,
  },
  {
    fault: 'reference: "reported" is still there',
    host: hostWith({ guard: guardOf({ reference: 'reported' }) }),
    fails: ['5.6 a reference of', '5.6 each merchant'],
    says: /in place of 403 foreign_reference\. Leave reference at "own"/,
  },
  {
    fault: 'a middleware before the guard that renames the reference',
    host: hostWith({
      before: [
        express.json(),
        (req, _res, next) => {
          const body = req.body as { refercence_cl?: unknown; reference?: unknown } | undefined;
          if (body !== undefined) {
            body.reference = body.refercence_cl;
            delete body.refercence_cl;
          }
          next();
        },
      ],
    }),
    fails: ['5.7 a token stays', '5.6 a reference that'],
    says: /got 400 missing_reference|in place of 403 foreign_reference/,
  },
  {
    fault: 'an app without the guard, by its address',
    host: () => ({ app: appWith({ guard: pass, demand: [] }) }),
    fails: ['5.3 a token in', '5.8 a request with another', 'a client that accepts gzip', '5.6 a foreign'],
    says: /in place of (401 missing_token|400, 403 or 415)/,
  },
];

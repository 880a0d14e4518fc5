import type { Express, RequestHandler } from 'express';
import express from 'express';
import * as otherCopy from 'express-merchant-auth';
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
    fault: 'the guard mounted after the routes',
    tool: 'authContract',
    host: contractOn((app, guard) => app.post('/v1/transactions', takePayment).use('/v1', guard)),
    says: /got 201 in place of 401 missing_token\. Mount requireBearer\({ userStore }\) before this route/,
  },
  {
    fault: 'the guard on a sibling router',
    tool: 'auditRoutes',
    app: appOf((app, guard) => {
      const [guarded, open] = [express.Router(), express.Router()];
      guarded.use(guard);
      open.post('/transactions', takePayment);
      app.use('/v1', open, guarded);
    }),
    says: /POST \/v1\/transactions: no guard/,
  },
  {
    fault: 'the guard on a narrower path',
    tool: 'authContract',
    host: contractOn((app, guard) => app.use('/v1/transactions/secure', guard).post('/v1/transactions', takePayment)),
    says: /Mount requireBearer\({ userStore }\) before this route/,
  },
  {
    fault: 'the guard for GET alone',
    tool: 'auditRoutes',
    app: appOf((app, guard) => app.get('/v1/{*rest}', guard).post('/v1/transactions', takePayment)),
    says: /POST \/v1\/transactions: no guard/,
  },
  {
    fault: 'a router that was forgotten',
    tool: 'auditRoutes',
    app: appOf((app, guard) => {
      const refunds = express.Router().post('/', takePayment);
      app.use('/v2/refunds', refunds).use('/v1', guard).post('/v1/transactions', takePayment);
    }),
    says: /POST \/v2\/refunds: no guard\. Mount requireBearer/,
  },
  {
    fault: 'a proxy mounted before the guard',
    tool: 'auditRoutes',
    app: appOf((app, guard) => {
      const proxy: RequestHandler = (_req, res) => void res.end();
      app.use('/v1/legacy', proxy).use('/v1', guard).post('/v1/transactions', takePayment);
    }),
    says: /\/v1\/legacy proxy: cannot be walked.*Mount it after requireBearer/,
  },
  {
    fault: 'a path parameter that no route demands',
    tool: 'auditRoutes',
    app: appOf((app, guard) => app.use('/v1', guard).get('/v1/merchants/:refercence_cl/balance', takePayment)),
    says: /refercence_cl not demanded\. Mount requireOwnReference\(\) on this route/,
  },
  {
    fault: 'the guard of another copy of the package',
    tool: 'auditRoutes',
    app: appOf((app) => {
      const guard = otherCopy.requireBearer({ userStore: accountStore() }) as unknown as RequestHandler;
      app.use('/v1', guard).post('/v1/transactions', takePayment);
    }),
    says: /POST \/v1\/transactions: no guard/,
  },
  {
    fault: 'the login mounted after the guard',
    tool: 'authContract',
    host: () => {
      const store = accountStore();
      const app = express().use('/v1', auth.requireBearer({ userStore: store }));
      app.use('/v1', auth.createLoginRouter(store)).post('/v1/transactions', auth.requireOwnReference(), takePayment);
      return { app: app.use(auth.authErrorHandler(quiet)) };
    },
    says: /with a good password got 401 missing_token\. Mount createLoginRouter\(userStore\) there, before the guard/,
  },
  {
    fault: 'requireOwnReference is not on the route',
    tool: 'authContract',
    host: hostWith({ demand: [] }),
    says: /in place of 400 missing_reference\. Mount requireOwnReference\(\) on the route/,
  },
  {
    fault: 'reference: "reported" is still there',
    tool: 'authContract',
    host: hostWith({ guard: guardOf({ reference: 'reported' }) }),
    says: /in place of 403 foreign_reference\. Leave reference at "own"/,
  },
  {
    fault: 'a parser mounted after the guard, and reference: "unchecked"',
    tool: 'authContract',
    host: hostWith({
      guard: guardOf({ reference: 'unchecked' }),
      behind: [express.json(), express.urlencoded({ extended: true })],
      demand: [],
    }),
    says: /in place of 403 foreign_reference\. Leave reference at "own", mount no parser after the guard/,
  },
  {
    fault: 'a middleware before the guard that renames the reference',
    tool: 'authContract',
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
    says: /got 400 missing_reference|in place of 403 foreign_reference/,
  },
  {
    fault: 'a guard without a store, so that disabled accounts pass for five hours',
    tool: 'auditRoutes',
    app: appOf((app) => {
      const guard = auth.requireBearer() as unknown as RequestHandler;
      app.use('/v1', guard).post('/v1/transactions', auth.requireOwnReference(), takePayment);
    }),
    says: /POST \/v1\/transactions: account not checked\. The guard has no store/,
  },
  {
    fault: 'a guard with reference: "unchecked", and no requireOwnReference on the route',
    tool: 'auditRoutes',
    app: () => appWith({ guard: guardOf({ reference: 'unchecked' }), demand: [] }),
    says: /ALL \/v1\/transactions: refercence_cl not checked\. Mount requireOwnReference\(\) on this route/,
  },
  {
    fault: 'two path parameters with the name refercence_cl, of which Express shows the last',
    tool: 'auditRoutes',
    app: appOf((app, guard) => {
      const balances = express.Router({ mergeParams: true });
      balances.get('/:refercence_cl', auth.requireOwnReference(), takePayment);
      app.use('/v1', guard).use('/v1/:refercence_cl', balances);
    }),
    says: /refercence_cl twice in the path\. .*Leave one in the path/,
  },
  {
    fault: 'the guard called inside a function of the host',
    tool: 'auditRoutes',
    app: appOf((app, guard) => {
      app.use('/v1', (req, res, next) => guard(req, res, next)).post('/v1/transactions', takePayment);
    }),
    says: /POST \/v1\/transactions: no guard\. .*mount \[guard, yours\]/,
  },
  {
    fault: 'express.json({ verify }) after the guard, so that no signature is checked',
    tool: 'auditRoutes',
    app: () => appWith({ behind: [express.json({ verify: () => undefined })] }),
    says: /\/ jsonParser: gets no body\. .*the verify of this parser never runs/,
  },
  {
    fault: 'an OPTIONS handler that answers every path',
    tool: 'auditRoutes',
    app: appOf((app, guard) => {
      app.options('/{*any}', takePayment).use('/v1', guard).post('/v1/transactions', pass, takePayment);
    }),
    says: /OPTIONS \/\{\*any\}: no guard/,
  },
  {
    fault: 'an app without the guard, by its address',
    tool: 'authContract',
    host: () => ({ app: appWith({ guard: pass, demand: [] }) }),
    says: /in place of 401 missing_token/,
  },
];

import { expect } from 'chai';
import type { Express, RequestHandler, Router } from 'express';
import type { RouteAudit } from '../../../src/testing/index.js';
import { accountStore } from '../../helpers/accounts.js';
import type { Framework } from '../../helpers/on-each-express.js';

export const handler: RequestHandler = (_req, res) => void res.json('answered');
export const middleware: RequestHandler = (_req, _res, next) => next();

/** Returns a line for each route: the method, the path, the guard, its account check, its reference. */
export function linesOf({ routes }: RouteAudit): string[] {
  return routes.map(({ method, path, guard, account, reference }) =>
    [method, path, guard, account ? 'account' : 'token', reference].join(' '),
  );
}

/** Returns the functions that the suites of the audit share, for one version of Express. */
export function auditsOf({ express, auth, testing }: Framework) {
  const userStore = accountStore();

  function audit(mount: (app: Express) => void): RouteAudit {
    const app = express();
    mount(app);
    return testing.auditRoutes(app);
  }

  return {
    userStore,
    audit,
    guard: (reference?: 'own' | 'reported' | 'unchecked') =>
      auth.requireBearer({ userStore, ...(reference && { reference }) }),
    own: () => auth.requireOwnReference(),
    expectRoutes: (mount: (app: Express) => void, ...lines: string[]): void => {
      expect(linesOf(audit(mount))).to.deep.equal(lines);
    },
    routerWith: (mount: (router: Router) => void, options?: Parameters<typeof express.Router>[0]): Router => {
      const router = express.Router(options);
      mount(router);
      return router;
    },
  };
}

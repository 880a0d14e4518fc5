import { expect } from 'chai';
import type { Express, RequestHandler } from 'express';
import type { RequireBearerOptions } from 'express-merchant-auth';
import { auditRoutes, type RouteAudit } from '../../src/index.js';
import { accountStore } from '../../../test/helpers/accounts.js';
import type { Framework } from '../../../test/helpers/on-each-express.js';

export const MARK = Symbol.for('express-merchant-auth.mark');

export const handler: RequestHandler = (_req, res) => void res.json('answered');
export const middleware: RequestHandler = (_req, _res, next) => next();

export type Mount = (app: Express) => unknown;

/**
 * Returns a line for each route: the method, the path, the guard, its account check, its reference. The checks of no
 * guard are `open`, and those of `requireBearer({ userStore })` are `guarded`.
 */
export function linesOf({ routes }: RouteAudit): string[] {
  return routes.map(({ method, path, guard, account, reference }) => {
    const checks = [guard, account ? 'account' : 'token', reference].join(' ');
    const short = checks.replace('none token unchecked', 'open').replace('bearer account own', 'guarded');
    return `${method} ${path} ${short}`;
  });
}

/** Returns the functions that the suites of the audit share, for one version of Express. */
export function auditsOf({ express, auth }: Framework) {
  const userStore = accountStore();

  function audit(mount: Mount): RouteAudit {
    const app = express();
    mount(app);
    return auditRoutes(app);
  }

  return {
    userStore,
    audit,
    guard: (reference?: RequireBearerOptions['reference']) =>
      auth.requireBearer({ userStore, ...(reference && { reference }) }),
    own: () => auth.requireOwnReference(),
    expectRoutes: (mount: Mount, ...lines: string[]) => expect(linesOf(audit(mount))).to.deep.equal(lines),
    expectFindings: (mount: Mount, ...findings: string[]) => expect(audit(mount).findings).to.deep.equal(findings),
  };
}

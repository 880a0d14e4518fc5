import { expect } from 'chai';
import { auditRoutes } from 'express-merchant-auth-audit';
import { methodsOf, routeOf } from '../../../example-app/src/operations/route-of.js';
import { serveApp } from '../serve-app.js';

describe('example-app: routeOf', () => {
  for (const [method, url, route] of [
    ['GET', '/v1/transactions/?page=2', 'GET /v1/transactions'],
    ['POST', '/V1/Transactions', 'POST /v1/transactions'],
    ['GET', '/v1/transactions/0000-17', 'GET /v1/transactions/:id'],
    ['GET', '/?path=/v1/transactions', 'GET /'],
    ['GET', '/docs/a-name-of-a-caller', 'GET /docs/:asset'],
    ['GET', '/docs/a/b', 'other'],
    ['POST', '/', 'other'],
    ['GET', '/jwks-json', 'other'],
    ['DELETE', '/v1/transactions', 'other'],
    ['GET', '/v1/transactions/1/2', 'other'],
    ['GET', '/v1/login', 'other'],
    ['GET', '', 'other'],
  ] as const) {
    it(`names ${method} ${url} ${route}`, () => {
      expect(routeOf({ method, url })).to.equal(route);
    });
  }

  it('knows the methods of every path of the app, and names every route but the probes, which are not logged', async () => {
    const { app } = serveApp();
    expect([methodsOf('/v1/transactions'), methodsOf('/v1/transaktions')]).to.deep.equal([['GET', 'POST'], []]);
    for (const { method: asked, path } of (await auditRoutes(app)).routes) {
      const method = asked.replace('ALL', 'POST');
      expect(methodsOf(path), path).to.include(method);
      const route = `${method} ${path.replace(/^\/docs\/.+/, '/docs/:asset')}`;
      expect(routeOf({ method, url: path })).to.equal(/^GET \/(healthz|readyz)$/.test(route) ? 'other' : route);
    }
  });
});

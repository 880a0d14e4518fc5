import { expect } from 'chai';
import { auditRoutes } from 'express-merchant-auth/testing';
import { routeOf } from '../../../example-app/src/operations/route-of.js';
import { serveApp } from '../serve-app.js';

describe('example-app: routeOf', () => {
  for (const [method, url, route] of [
    ['POST', '/v1/login', 'POST /v1/login'],
    ['GET', '/v1/transactions', 'GET /v1/transactions'],
    ['GET', '/v1/transactions/?page=2', 'GET /v1/transactions'],
    ['POST', '/V1/Transactions', 'POST /v1/transactions'],
    ['GET', '/v1/transactions/0000-17', 'GET /v1/transactions/:id'],
    ['GET', '/jwks.json', 'GET /jwks.json'],
    ['GET', '/openapi.json', 'GET /openapi.json'],
    ['GET', '/', 'GET /'],
    ['GET', '/?path=/v1/transactions', 'GET /'],
    ['GET', '/docs', 'GET /docs'],
    ['GET', '/docs/swagger-ui.css', 'GET /docs/:asset'],
    ['GET', '/docs/a-name-of-a-caller', 'GET /docs/:asset'],
    ['GET', '/docs/a/b', 'other'],
    ['POST', '/', 'other'],
    ['GET', '/jwks-json', 'other'],
    ['DELETE', '/v1/transactions', 'other'],
    ['GET', '/v1/transactions/1/2', 'other'],
    ['GET', '/v1/login', 'other'],
    ['GET', '', 'other'],
  ] as const) {
    it(`names ${method} ${url === '' ? 'an empty URL' : url} ${route}`, () => {
      expect(routeOf({ method, url })).to.equal(route);
    });
  }

  it('names every route of the app but the probes, which are not logged', async () => {
    const { app } = await serveApp();
    const unnamed = auditRoutes(app).routes.filter(({ method, path }) => routeOf({ method, url: path }) === 'other');
    expect(unnamed.map(({ path }) => path)).to.deep.equal(['/healthz', '/readyz']);
  });
});

import { expect } from 'chai';
import { routeOf } from '../../../example-app/src/operations/route-of.js';

describe('example-app: routeOf', () => {
  for (const [method, url, route] of [
    ['POST', '/v1/login', 'POST /v1/login'],
    ['GET', '/v1/transactions', 'GET /v1/transactions'],
    ['GET', '/v1/transactions/?page=2', 'GET /v1/transactions'],
    ['POST', '/V1/Transactions', 'POST /v1/transactions'],
    ['GET', '/v1/transactions/0000-17', 'GET /v1/transactions/:id'],
    ['GET', '/jwks.json', 'GET /jwks.json'],
    ['GET', '/jwks-json', 'other'],
    ['DELETE', '/v1/transactions', 'other'],
    ['GET', '/v1/transactions/1/2', 'other'],
    ['GET', '/v1/login', 'other'],
    ['GET', '', 'other'],
    ['GET', '/?path=/v1/transactions', 'other'],
  ] as const) {
    it(`names ${method} ${url === '' ? 'an empty URL' : url} ${route}`, () => {
      expect(routeOf({ method, url })).to.equal(route);
    });
  }
});

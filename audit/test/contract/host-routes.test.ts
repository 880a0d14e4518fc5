import { expect } from 'chai';
import { findRoutes } from '../../src/contract/host-routes.js';
import { createPaths } from '../../src/contract/paths.js';
import { HOST } from '../contract.js';

const READS = [
  'GET /v1/payments/:id/refunds/:refund',
  'GET /v1/payments/:id',
  'GET /v1/shops/:refercence_cl/orders/:order',
];
const resources = READS.map((read) => ({ read, create: () => Promise.resolve({}) }));

const paths = createPaths(['refercence_cl']);

describe('the resource of a route', () => {
  for (const [route, expected] of [
    ['GET /v1/payments/:payment', READS[1]],
    ['GET /V1/Payments/:id.pdf', READS[1]],
    ['GET /v1/payments/:id{/receipt}', READS[1]],
    ['POST /v1/payments/:id/reminder', READS[1]],
    ['GET /v1/payments/:id/refunds', READS[0]],
    ['GET /v1/payments/:id/refunds/:number(\\d+)/receipt', READS[0]],
    ['GET /v1/payments/:id/items/:item', undefined],
    ['GET /v1/payments', undefined],
    ['GET /v1/payment/:id', undefined],
    ['GET /v1/shops/:refercence_cl/balance', undefined],
    ['GET /v1/shops/:refercence_cl/orders/:id', READS[2]],
  ] as const) {
    it(`is the one whose read has the longest path of it: ${route}`, () => {
      const [found] = findRoutes({ ...HOST, resources, routes: { [route]: {} } }).routes;
      expect(found?.resources.map(({ read }) => read)).to.deep.equal(expected === undefined ? [] : [expected]);
    });
  }
});

it('the parameters of a path have the names that Express gives them', () => {
  expect(paths.parametersIn('/v1/*/files/:id(\\d+)/*rest/*')).to.deep.equal(['0', 'id', 'rest', '1']);
});

it('a path is filled with ids, whatever the form of its parameters', () => {
  for (const path of ['/:id([\\w-]+)', '/:id', '/*', '/*id', '{/:id}', '/:"id"', '/:id?', '/:refercence_cl']) {
    expect(paths.fill(`/v1${path}/receipt`, ['7/8'], '7/8'), path).to.equal('/v1/7%2F8/receipt');
  }
});

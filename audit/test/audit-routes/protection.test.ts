import { METHODS } from 'node:http';
import { expect } from 'chai';
import type { Express } from 'express';
import { auditRoutes } from '../../src/index.js';
import { onEveryExpress } from '../../../test/helpers/on-each-express.js';
import { auditsOf, handler, linesOf, middleware } from './audits.js';

onEveryExpress('auditRoutes', (framework) => {
  const { major, express, auth } = framework;
  const { expectFindings, expectRoutes, guard, own } = auditsOf(framework);

  describe('counts a guard', () => {
    it('on the route itself, even in an array and behind a parser', () => {
      expectRoutes((app) => app.get('/x', [express.json(), guard()], handler), 'GET /x guarded');
      expectRoutes(
        (app) => app.route('/x').all(guard()).get(handler).post(own(), handler),
        ...['GET /x guarded', 'POST /x bearer account demanded'],
      );
      expectRoutes((app) => app.route('/x').get(guard(), handler).post(handler), 'GET /x guarded', 'POST /x open');
    });

    it('on a router above, and below a path with parameters', () => {
      const router = express.Router().use('/orders', express.Router().get('/:id', handler));
      expectRoutes((app) => app.use('/:version', guard()).use('/v1', router), 'GET /v1/orders/:id guarded');
      expectRoutes((app) => app.use('/:a/:b', guard(), router), 'GET /:a/:b/orders/:id guarded');
      expectRoutes((app) => app.use('/a/:b', guard()).get('/a/:c/d', handler), 'GET /a/:c/d guarded');
      expectRoutes((app) => app.use('/v1.2/a-b/', guard()).get('/v1.2/a-b', handler), 'GET /v1.2/a-b guarded');
    });

    it('on one of several paths, and shows a router at each of its paths', () => {
      const router = express.Router().get(['/x', '/y'], handler);
      expectRoutes(
        (app) => app.use(['/a', '/b/:id'], guard()).use(['/a', '/b/:id', '/c'], router),
        ...['GET /a/x guarded', 'GET /a/y guarded', 'GET /b/:id/x guarded', 'GET /b/:id/y guarded'],
        ...['GET /c/x open', 'GET /c/y open'],
      );
    });

    it('at a wildcard, for the paths that it matches', () => {
      const [all, below] = major === 4 ? ['*', '/v1/*'] : ['/{*path}', '/v1/{*path}'];
      expectRoutes((app) => app.all(all, guard()).get('/', handler), 'GET / guarded');
      expectRoutes((app) => app.use(all, guard()).get('/x', handler), 'GET /x guarded');
      expectRoutes(
        (app) => app.all(below, guard()).get('/v1', handler).get('/v1/x/y', handler).get(below, handler),
        ...['GET /v1 open', 'GET /v1/x/y guarded', `GET ${below} guarded`],
      );
      expectRoutes(
        (app) => app.all('/*path', guard()).get('/', handler).get('/x', handler).get('/*rest', handler),
        ...(major === 4
          ? ['GET / open', 'GET /x open', 'GET /*rest open']
          : ['GET / open', 'GET /x guarded', 'GET /*rest guarded']),
      );
    });

    it('at a wildcard below a path, but not for a wildcard of a router at that path', () => {
      const [end, below] = major === 4 ? ['*', '/v1/*'] : ['/{*path}', '/v1/{*path}'];
      const open = express.Router().get(end, handler);
      expectRoutes((app) => app.all(below, guard()).use('/v1', open), `GET /v1${end} open`);
      const guarded = express.Router().all(end, guard()).get('/', handler).get(end, handler);
      expectRoutes((app) => app.use('/v1', guarded), 'GET /v1 guarded', `GET /v1${end} guarded`);
    });

    it('for a regular expression only from a path above, or for the same expression', () => {
      const [one, two, three] = [/^\/v1\/x/, /^\/v[12]/, /^\/v3/];
      const router = express.Router().get('/x', handler);
      expectRoutes((app) => app.use('/v1', guard()).get(one, handler), 'GET /^\\/v1\\/x/ open');
      expectRoutes((app) => app.use(guard()).get(one, handler), 'GET /^\\/v1\\/x/ guarded');
      expectRoutes(
        (app) => app.use(two, guard()).use(two, router).use(three, router),
        ...['GET /^\\/v[12]//x guarded', 'GET /^\\/v3//x open'],
      );
    });

    it('at a regular expression that looks like a path for that expression alone', () => {
      for (const path of [/^\/v1\/?(?=\/|$)/, /^\/v1abcdefghijk/i]) {
        expectRoutes((app) => app.use(path, guard()).get('/v1/x', handler), 'GET /v1/x open');
      }
    });

    it('for each method of a route that handles all methods in different ways', () => {
      const methods = METHODS.map((name) => name.toLowerCase() as 'get');
      expectFindings((app) => {
        const route = app.route('/x');
        for (const method of methods) route[method](method === 'get' ? middleware : guard(), handler);
      }, 'GET /x: no guard');
      expectFindings((app) => {
        const route = app.route('/x');
        for (const method of methods) route[method](guard(method === 'get' ? 'unchecked' : 'own'), handler);
      }, 'GET /x: refercence_cl not checked');
      const checked = guard();
      expectFindings((app) => {
        const route = app.route('/x');
        for (const method of methods) route[method](checked, method === 'get' ? express.json() : middleware, handler);
      }, 'GET /x jsonParser: gets no body');
    });

    it('in a mounted app, and passes one from the app above', () => {
      const inner = express().use('/inner', guard()).get('/inner/x', handler).get('/y', handler);
      const routesOf = (app: Express, apps = [inner]) => linesOf(auditRoutes(app, { apps }));
      expect(routesOf(express().use(inner))).to.deep.equal(['GET /inner/x guarded', 'GET /y open']);
      const guarded = ['GET /v1/inner/x guarded', 'GET /v1/y guarded'];
      expect(routesOf(express().use('/v1', guard(), inner))).to.deep.equal(guarded);
      expect(routesOf(express().use(express.Router().use('/v1', guard(), inner)), [])).to.deep.equal(guarded);
      const outer = express().use(['/b', '/c/:id'], inner);
      expect(routesOf(express().use('/a', outer), [inner, outer])).to.deep.equal([
        ...['GET /a/b/inner/x guarded', 'GET /a/b/y open', 'GET /a/c/:id/inner/x guarded', 'GET /a/c/:id/y open'],
      ]);
    });
  });

  describe('shows the checks of', () => {
    it('the account and the reference of the last guard', () => {
      expectRoutes((app) => app.use(guard('reported')).get('/x', handler), 'GET /x bearer account reported');
      expectRoutes((app) => app.use(guard('unchecked')).get('/x', handler), 'GET /x bearer account unchecked');
      expectRoutes((app) => app.use(auth.requireBearer()).get('/x', handler), 'GET /x bearer token own');
      expectRoutes(
        (app) => app.use(guard()).get('/x', auth.requireBearer({ reference: 'unchecked' }), handler),
        'GET /x bearer token unchecked',
      );
    });

    it('requireOwnReference, unless the guard only reports or comes later', () => {
      const [demanded, reported] = ['GET /x bearer account demanded', 'GET /x bearer account reported'];
      expectRoutes((app) => app.use(guard('unchecked'), own()).get('/x', handler), demanded);
      expectRoutes((app) => app.use(guard('reported'), own()).get('/x', handler), reported);
      expectRoutes((app) => app.use(guard(), own(), guard('reported')).get('/x', handler), reported);
      expectRoutes((app) => app.use(own(), guard()).get('/x', handler), 'GET /x guarded');
      expectRoutes((app) => app.get('/x', own(), handler), 'GET /x open');
      expectRoutes((app) => app.use(guard()).get('/x', handler, own()), 'GET /x guarded');
    });
  });
});

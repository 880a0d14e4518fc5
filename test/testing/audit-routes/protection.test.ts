import { METHODS } from 'node:http';
import { expect } from 'chai';
import { onEveryExpress } from '../../helpers/on-each-express.js';
import { auditsOf, handler, middleware } from './audits.js';

onEveryExpress('auditRoutes', (framework) => {
  const { major, express, auth } = framework;
  const { audit, expectRoutes, guard, own, routerWith } = auditsOf(framework);

  describe('counts a guard', () => {
    it('on the route itself, also in an array and behind a parser', () => {
      expectRoutes((app) => app.get('/x', guard(), handler), 'GET /x bearer account own');
      expectRoutes((app) => app.get('/x', [express.json(), guard()], handler), 'GET /x bearer account own');
      expectRoutes(
        (app) => app.route('/x').all(guard()).get(handler).post(own(), handler),
        'GET /x bearer account own',
        'POST /x bearer account demanded',
      );
      expectRoutes(
        (app) => app.route('/x').get(guard(), handler).post(handler),
        'GET /x bearer account own',
        'POST /x none token unchecked',
      );
    });

    it('on a router above, and below a path with parameters', () => {
      const orders = routerWith((router) => router.get('/:id', handler));
      expectRoutes(
        (app) =>
          app.use('/:version', guard()).use(
            '/v1',
            routerWith((router) => router.use('/orders', orders)),
          ),
        'GET /v1/orders/:id bearer account own',
      );
      expectRoutes((app) => app.use('/a/:b', guard()).get('/a/:c/d', handler), 'GET /a/:c/d bearer account own');
      expectRoutes(
        (app) => app.use('/v1.2/a-b/', guard()).get('/v1.2/a-b', handler),
        'GET /v1.2/a-b bearer account own',
      );
    });

    it('on one of several paths, and shows a router at each of its paths', () => {
      const router = routerWith((inner) => inner.get(['/x', '/y'], handler));
      expectRoutes(
        (app) => app.use(['/a', '/b/:id'], guard()).use(['/a', '/b/:id', '/c'], router),
        'GET /a/x bearer account own',
        'GET /a/y bearer account own',
        'GET /b/:id/x bearer account own',
        'GET /b/:id/y bearer account own',
        'GET /c/x none token unchecked',
        'GET /c/y none token unchecked',
      );
    });

    it('at a wildcard, for the paths that it matches', () => {
      const [all, below] = major === 4 ? ['*', '/v1/*'] : ['/{*path}', '/v1/{*path}'];
      expectRoutes((app) => app.all(all, guard()).get('/', handler), 'GET / bearer account own');
      expectRoutes((app) => app.use(all, guard()).get('/x', handler), 'GET /x bearer account own');
      expectRoutes(
        (app) => app.all(below, guard()).get('/v1', handler).get('/v1/x/y', handler).get(below, handler),
        'GET /v1 none token unchecked',
        'GET /v1/x/y bearer account own',
        `GET ${below} bearer account own`,
      );
      if (major === 4) return;
      expectRoutes(
        (app) => app.all('/*path', guard()).get('/', handler).get('/*rest', handler).get('/{*rest}', handler),
        'GET / none token unchecked',
        'GET /*rest bearer account own',
        'GET /{*rest} none token unchecked',
      );
    });

    it('for a regular expression only from a path above, or for the same expression', () => {
      expectRoutes(
        (app) =>
          app
            .use('/v1', guard())
            .get(/^\/v1\/x/, handler)
            .use(guard())
            .get(/^\/v2/, handler),
        'GET /^\\/v1\\/x/ none token unchecked',
        'GET /^\\/v2/ bearer account own',
      );
      const router = routerWith((inner) => inner.get('/x', handler));
      const found = audit((app) =>
        app
          .use(/^\/v[12]/, guard())
          .use(/^\/v[12]/, router)
          .use(/^\/v3/, router),
      );
      expect(found.routes.map(({ guard: kind }) => kind)).to.deep.equal(['bearer', 'none']);
      expect(found.routes[0]?.path).to.equal('/^\\/v[12]//x');
    });

    it('at a regular expression that looks like a path for that expression alone', () => {
      for (const path of [/^\/v1\/?(?=\/|$)/, /^\/v1abcdefghijk/i]) {
        expectRoutes((app) => app.use(path, guard()).get('/v1/x', handler), 'GET /v1/x none token unchecked');
      }
    });

    it('for each method of a route that handles all methods in different ways', () => {
      const found = audit((app) => {
        const route = app.route('/x');
        for (const method of METHODS.map((name) => name.toLowerCase() as 'get')) {
          route[method](method === 'get' ? middleware : guard(), handler);
        }
      });
      expect(found.findings).to.deep.equal(['GET /x: no guard']);
    });

    it('in a mounted app, and passes one from the app above', () => {
      const inner = express().use('/inner', guard()).get('/inner/x', handler).get('/y', handler);
      const expected = (prefix: string, y: string) => [
        `GET ${prefix}/inner/x bearer account own`,
        `GET ${prefix}/y ${y}`,
      ];
      expectRoutes((app) => app.use(inner), ...expected('', 'none token unchecked'));
      expectRoutes((app) => app.use('/v1', inner), ...expected('/v1', 'none token unchecked'));
      expectRoutes((app) => app.use('/v1', guard()).use('/v1', inner), ...expected('/v1', 'bearer account own'));
      expectRoutes((app) => app.use('/a', express().use('/b', inner)), ...expected('/a/b', 'none token unchecked'));
    });
  });

  describe('shows the checks of', () => {
    it('the account and the reference of the last guard', () => {
      for (const reference of ['own', 'reported', 'unchecked'] as const) {
        expectRoutes((app) => app.use(guard(reference)).get('/x', handler), `GET /x bearer account ${reference}`);
      }
      expectRoutes((app) => app.use(auth.requireBearer()).get('/x', handler), 'GET /x bearer token own');
      expectRoutes(
        (app) => app.use(guard()).get('/x', auth.requireBearer({ reference: 'unchecked' }), handler),
        'GET /x bearer token unchecked',
      );
    });

    it('requireOwnReference, unless the guard only reports or comes later', () => {
      expectRoutes((app) => app.use(guard('unchecked'), own()).get('/x', handler), 'GET /x bearer account demanded');
      expectRoutes((app) => app.use(guard('reported'), own()).get('/x', handler), 'GET /x bearer account reported');
      expectRoutes(
        (app) => app.use(guard(), own(), guard('reported')).get('/x', handler),
        'GET /x bearer account reported',
      );
      expectRoutes((app) => app.use(own(), guard()).get('/x', handler), 'GET /x bearer account own');
      expectRoutes((app) => app.get('/x', own(), handler), 'GET /x none token unchecked');
      expectRoutes((app) => app.use(guard()).get('/x', handler, own()), 'GET /x bearer account own');
    });
  });
});

import { METHODS } from 'node:http';
import { expect } from 'chai';
import type { Express, RequestHandler, Router } from 'express';
import * as otherCopy from '../../src/index.js';
import type { RouteAudit } from '../../src/testing/index.js';
import { accountStore } from '../helpers/accounts.js';
import { type Framework, onEveryExpress } from '../helpers/on-each-express.js';
import { expectTypeError } from '../helpers/thrown.js';

const handler: RequestHandler = (_req, res) => void res.json('answered');
const middleware: RequestHandler = (_req, _res, next) => next();
/** A proxy, for the audit: a function that may answer. */
const proxy: RequestHandler = (_req, res) => void res.json('proxied');

/** A line for each route: the method, the path, the guard, its account check, its reference. */
function linesOf({ routes }: RouteAudit): string[] {
  return routes.map(({ method, path, guard, account, reference }) =>
    [method, path, guard, account ? 'account' : 'token', reference].join(' '),
  );
}

onEveryExpress('auditRoutes', (framework: Framework) => {
  const { major, express, auth, testing } = framework;
  const userStore = accountStore();
  const guard = (reference?: 'own' | 'reported' | 'unchecked') =>
    auth.requireBearer({ userStore, ...(reference && { reference }) });
  const own = () => auth.requireOwnReference();

  function audit(mount: (app: Express) => void): RouteAudit {
    const app = express();
    mount(app);
    return testing.auditRoutes(app);
  }

  function expectRoutes(mount: (app: Express) => void, ...lines: string[]): void {
    expect(linesOf(audit(mount))).to.deep.equal(lines);
  }

  function routerWith(mount: (router: Router) => void, options?: Parameters<typeof express.Router>[0]): Router {
    const router = express.Router(options);
    mount(router);
    return router;
  }

  describe('finds nothing on', () => {
    it("README's shortest host", () => {
      const found = audit((app) => {
        app.use('/v1', auth.createLoginRouter(userStore));
        app.use('/v1', guard());
        app.post('/v1/transactions', own(), handler);
        app.use(auth.authErrorHandler());
      });
      expect(found.routes).to.deep.equal([
        { method: 'POST', path: '/v1/login', guard: 'login', account: true, reference: 'unchecked' },
        { method: 'POST', path: '/v1/transactions', guard: 'bearer', account: true, reference: 'demanded' },
      ]);
      expect([found.blind, found.findings]).to.deep.equal([[], []]);
    });

    it("README's host with sibling routers, one guard in each", () => {
      const found = audit((app) => {
        app.use('/auth', auth.createLoginRouter(userStore));
        const payments = routerWith((router) => {
          router.use(guard());
          router.post('/', own(), handler);
          router.get('/merchants/:refercence_cl/balance', own(), handler);
        });
        app.use('/payments', payments);
      });
      expect(linesOf(found)).to.deep.equal([
        'POST /auth/login login account unchecked',
        'POST /payments bearer account demanded',
        'GET /payments/merchants/:refercence_cl/balance bearer account demanded',
      ]);
      expect(found.findings).to.deep.equal([]);
    });

    it('an ordinary app, with parsers, static files, a 404 handler and error handlers', () => {
      const found = audit((app) => {
        app.set('trust proxy', 1);
        app.use(express.json(), express.urlencoded({ extended: false }), express.static(__dirname), middleware);
        app.param('id', (_req, _res, next) => next());
        app.use('/v1', auth.createLoginRouter(userStore), guard(), express.text());
        app.get('/v1/orders/:id', handler);
        app.use((_req, res) => void res.status(404).json('none'));
        app.use('/v1', (_error: unknown, _req: unknown, res: { end(): void }, _next: unknown) => res.end());
        app.use(auth.authErrorHandler());
      });
      expect(linesOf(found)).to.deep.equal([
        'POST /v1/login login account unchecked',
        'GET /v1/orders/:id bearer account own',
      ]);
      expect(found.findings).to.deep.equal([]);
      expect(String(found)).to.contain(
        '\nTaken for middleware, because it has no path: jsonParser, urlencodedParser, serveStatic, middleware, <anonymous>.',
      );
    });
  });

  describe('shows a route without a guard when', () => {
    it('nothing guards it', () => {
      const found = audit((app) => app.get('/healthz', handler).use(guard()).get('/orders', handler));
      expect(linesOf(found)).to.deep.equal(['GET /healthz none token unchecked', 'GET /orders bearer account own']);
      expect(found.findings).to.deep.equal(['GET /healthz: no guard']);
      expect(String(found)).to.contain('GET /healthz: no guard. Mount requireBearer({ userStore }) before it,');
    });

    it('the guard is on a sibling router, also on one at the same path', () => {
      expectRoutes(
        (app) => {
          app.use(
            '/v1',
            routerWith((router) => router.use(guard()).get('/orders', handler)),
          );
          app.use(
            '/v1',
            routerWith((router) => router.get('/refunds', handler)),
          );
        },
        'GET /v1/orders bearer account own',
        'GET /v1/refunds none token unchecked',
      );
    });

    it('the guard is mounted after it', () => {
      expectRoutes((app) => app.get('/v1/orders', handler).use('/v1', guard()), 'GET /v1/orders none token unchecked');
      expectRoutes((app) => app.get('/orders', handler, guard()), 'GET /orders none token unchecked');
      const late = routerWith((router) => router.get('/orders', handler).use(guard()));
      expectRoutes((app) => app.use('/v1', late), 'GET /v1/orders none token unchecked');
    });

    it('the guard is below a narrower, another or a misspelled path', () => {
      for (const path of ['/v1/orders', '/v1/refunds/:id', '/v2', '/v', '/v1/:id/x', ['/v2', '/v3'], '/v1s']) {
        expectRoutes(
          (app) => app.use(path, guard()).get('/v1/refunds', handler),
          'GET /v1/refunds none token unchecked',
        );
      }
      expectRoutes((app) => app.use('v1', guard()).get('/v1/x', handler), 'GET /v1/x none token unchecked');
    });

    it('the guard is for another method, or for an exact path above', () => {
      expectRoutes(
        (app) => app.get('/orders', guard()).get('/orders', handler).post('/orders', handler).all('/orders', handler),
        'GET /orders bearer account own',
        'POST /orders none token unchecked',
        'ALL /orders none token unchecked',
      );
      expectRoutes((app) => app.all('/v1', guard()).get('/v1/x', handler), 'GET /v1/x none token unchecked');
    });

    it('the guard is a wrapped one, or one of another package', () => {
      const inner = guard();
      const wrapped: RequestHandler = (req, res, next) => inner(req, res, next);
      expectRoutes((app) => app.use(wrapped).get('/x', handler), 'GET /x none token unchecked');
      expectRoutes((app) => app.use(inner.bind(null)).get('/x', handler), 'GET /x none token unchecked');
    });

    it('a function before the guard of another route can leave that route', () => {
      expectRoutes(
        (app) => app.all('/x', middleware, guard()).get('/x', handler),
        'ALL /x none token unchecked',
        'GET /x none token unchecked',
      );
    });

    it('the app is case-sensitive and the router of the route is not', () => {
      const mount = (options: { caseSensitive: boolean }) => (app: Express) => {
        app.enable('case sensitive routing').use('/v1/pay', guard());
        app.use(
          '/v1',
          routerWith((router) => router.get('/pay/list', handler), options),
        );
      };
      expectRoutes(mount({ caseSensitive: false }), 'GET /v1/pay/list none token unchecked');
      expectRoutes(mount({ caseSensitive: true }), 'GET /v1/pay/list bearer account own');
    });

    it('the app has strict routing and the router of the route has not', () => {
      const mount = (options: { strict: boolean }) => (app: Express) => {
        app.enable('strict routing').all('/v1/pay', guard());
        app.use(
          '/v1',
          routerWith((router) => router.get('/pay', handler), options),
        );
      };
      expectRoutes(mount({ strict: false }), 'GET /v1/pay none token unchecked');
      expectRoutes(mount({ strict: true }), 'GET /v1/pay bearer account own');
      expectRoutes(
        (app) => app.enable('strict routing').all('/v1/pay', guard()).get('/v1/pay/', handler),
        'GET /v1/pay/ none token unchecked',
      );
      expectRoutes(
        (app) => app.enable('strict routing').use('/v1/', guard()).get('/v1/pay', handler),
        'GET /v1/pay bearer account own',
      );
    });

    it('the optional end of its path is not covered', () => {
      const [optional, shown] = major === 4 ? ['/v1/:id?', '/v1/:id?'] : ['/v1{/:id}', '/v1{/:id}'];
      expectRoutes((app) => app.use('/v1/:id', guard()).get(optional, handler), `GET ${shown} none token unchecked`);
      expectRoutes((app) => app.use('/v1', guard()).get(optional, handler), `GET ${shown} bearer account own`);
      expectRoutes(
        (app) =>
          app.use('/v1/:id', guard()).use(
            optional,
            routerWith((router) => router.get('/x', handler)),
          ),
        `GET ${shown}/x none token unchecked`,
      );
    });
  });

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

  it('runs nothing of a mounted app', async () => {
    const ran: string[] = [];
    const inner = express();
    inner.use((_req, _res, next) => {
      ran.push('middleware');
      next();
    });
    inner.get('/', () => void ran.push('route'));
    inner.use((_error: unknown, _req: unknown, _res: unknown, next: () => void) => {
      ran.push('error handler');
      next();
    });
    const app = express().use('/v1', inner);
    const fn = { handle: () => ran.push('function') };
    app.use(function mount(req, res, next) {
      // prettier-ignore
      (fn.handle as (...parameters: unknown[]) => void)(req, res, next); // fn.handle(req, res, function
    });
    expect(linesOf(testing.auditRoutes(app))).to.deep.equal(['GET /v1 none token unchecked']);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(ran).to.deep.equal([]);
  });

  describe('shows the check of', () => {
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

  describe('names a route whose parameter refercence_cl', () => {
    const path = '/merchants/:refercence_cl/balance';
    const finding = `GET ${path}: refercence_cl not demanded`;
    const findings = (mount: (app: Express) => void) => audit(mount).findings;

    it('no check sees', () => {
      expect(findings((app) => app.use(guard()).get(path, handler))).to.deep.equal([finding]);
      expect(findings((app) => app.use(guard(), own()).get(path, handler))).to.deep.equal([finding]);
      const inner = routerWith((router) => router.use(own()).get('/balance', handler));
      expect(findings((app) => app.use(guard()).use('/merchants/:refercence_cl', inner))).to.deep.equal([finding]);
    });

    it('a check only reports, or does not look at', () => {
      expect(findings((app) => app.get(path, guard('reported'), own(), handler))).to.deep.equal([finding]);
      expect(findings((app) => app.get(path, guard('unchecked'), handler))).to.deep.equal([finding]);
    });

    it('and not one that a check sees', () => {
      const merged = routerWith((router) => router.use(own()).get('/balance', handler), { mergeParams: true });
      const plain = routerWith((router) => router.get('/balance', handler));
      for (const mount of [
        (app: Express) => app.use(guard()).get(path, own(), handler),
        (app: Express) => app.get(path, guard(), handler),
        (app: Express) => app.get(path, guard('unchecked'), own(), handler),
        (app: Express) => app.use('/merchants/:refercence_cl', guard(), plain),
        (app: Express) => app.use(guard()).use('/merchants/:refercence_cl', merged),
      ]) {
        expect(findings(mount)).to.deep.equal([]);
      }
    });

    it('and has no guard only as a route without a guard', () => {
      expect(findings((app) => app.get(path, handler))).to.deep.equal([`GET ${path}: no guard`]);
    });

    it('has another form', () => {
      const paths =
        major === 4
          ? ['/:refercence_cl?', '/:refercence_cl(\\d+)', '/x-:refercence_cl']
          : ['/{:refercence_cl}', '/*refercence_cl', '/x-:refercence_cl', '/:"refercence_cl"'];
      for (const other of paths) {
        expect(
          findings((app) => app.use(guard()).get(other, handler)),
          other,
        ).to.have.length(1);
        const inner = routerWith((router) => router.get('/x', handler));
        expect(
          findings((app) => app.use(guard()).use(other, inner)),
          other,
        ).to.have.length(1);
      }
      expect(findings((app) => app.use(guard()).get('/:refercence_cls', handler))).to.deep.equal([]);
    });
  });

  describe('is blind for', () => {
    it('a function at a path, and says what to do', () => {
      const found = audit((app) => app.use('/legacy', proxy).use(guard()).get('/x', handler));
      expect(found.blind).to.deep.equal([
        {
          path: '/legacy',
          handler: 'proxy',
          isBehindGuard: false,
          reason: 'A function that is mounted at a path can answer requests, as a proxy does.',
          fix: 'Mount it after requireBearer. If it needs no guard, expect this finding in the test.',
        },
      ]);
      expect(found.findings).to.deep.equal(['/legacy proxy: cannot be walked']);
      expect(linesOf(found)).to.deep.equal(['GET /x bearer account own']);
    });

    it('a function at a path behind a guard, without a finding', () => {
      const found = audit((app) => app.use('/v1', guard()).use('/v1/legacy', proxy).get('/v1/x', handler));
      expect(found.blind.map(({ path, isBehindGuard }) => [path, isBehindGuard])).to.deep.equal([['/v1/legacy', true]]);
      expect(found.findings).to.deep.equal([]);
      const exact = audit((app) => app.all('/legacy', guard()).use('/legacy', proxy).get('/x', guard(), handler));
      expect(exact.findings).to.deep.equal(['/legacy proxy: cannot be walked']);
    });

    it('a function that is alone in a router', () => {
      const found = audit((app) => {
        app.use(
          '/legacy',
          routerWith((router) => router.use(proxy)),
        );
        app.use(guard()).get('/x', handler);
      });
      expect(found.findings).to.deep.equal(['/legacy proxy: cannot be walked']);
    });

    it('an app of another framework, also without a path', () => {
      const connect = Object.assign((_req: unknown, _res: unknown, next: () => void) => next(), {
        handle: () => undefined,
        route: '/',
        stack: [{ route: '/x', handle: handler }],
      });
      const found = audit((app) => app.use(connect).use(guard()).get('/x', handler).use('/y', connect));
      expect(found.blind.map(({ path, isBehindGuard }) => [path, isBehindGuard])).to.deep.equal([
        ['/', false],
        ['/y', true],
      ]);
      expect(found.findings).to.deep.equal(['/ <anonymous>: cannot be walked']);
      expect(String(found)).to.contain('This is an app of another framework, so its routes are unknown.');
    });

    it('the handlers of another copy of the package', () => {
      const { createLoginRouter, requireBearer, requireOwnReference } = otherCopy;
      const found = audit((app) => {
        app.use('/v1', createLoginRouter(userStore));
        app.use(requireBearer({ userStore })).get('/v1/x', requireOwnReference(), handler);
      });
      expect(found.findings).to.deep.equal([
        '/v1/login answerLogin: cannot be walked',
        'ALL /v1/login: no guard',
        '/ bearerGuard: cannot be walked',
        '/v1/x ownReferenceGuard: cannot be walked',
        'GET /v1/x: no guard',
      ]);
      expect(String(found)).to.contain('This looks like a handler of another copy of express-merchant-auth');
    });

    it('an app without a route', () => {
      for (const found of [audit(() => undefined), audit((app) => app.use(guard()))]) {
        expect(found.findings).to.deep.equal(['the app: no route']);
        expect(String(found)).to.contain('the app: no route. Give the app after its routes are mounted.');
      }
    });

    if (major === 5) {
      it('all that is mounted at a path by router before 2.3', () => {
        const inner = routerWith((router) => router.get('/x', handler));
        const app = express();
        app.use(guard()).use('/v1', guard(), proxy, inner).use(inner).get('/y', handler);
        for (const layer of app.router.stack) Reflect.deleteProperty(layer, 'rawPath');
        for (const layer of inner.stack) Reflect.deleteProperty(layer, 'rawPath');
        const found = testing.auditRoutes(app);
        expect(linesOf(found)).to.deep.equal(['GET /x bearer account own', 'GET /y bearer account own']);
        expect(found.blind.map(({ path, handler: name }) => [path, name])).to.deep.equal([
          [null, 'bearerGuard'],
          [null, 'proxy'],
          [null, 'router'],
        ]);
        expect(found.findings).to.deep.equal([
          '(unknown path) bearerGuard: cannot be walked',
          '(unknown path) router: cannot be walked',
        ]);
        expect(String(found)).to.contain('Update it: npm update router.');
      });

      it('a guard whose path is unknown, so it counts for no route', () => {
        const app = express();
        app.use('/v1', guard()).get('/v1/x', handler);
        for (const layer of app.router.stack) Reflect.deleteProperty(layer, 'rawPath');
        expect(testing.auditRoutes(app).findings).to.deep.equal([
          '(unknown path) bearerGuard: cannot be walked',
          'GET /v1/x: no guard',
        ]);
      });
    }
  });

  it('prints a table', () => {
    const found = audit((app) => {
      app.use('/v1', auth.createLoginRouter(userStore), guard());
      app.post('/v1/orders', own(), handler);
    });
    const table = [
      'METHOD  PATH        GUARD   ACCOUNT  REFERENCE',
      'POST    /v1/login   login   yes      unchecked',
      'POST    /v1/orders  bearer  yes      demanded',
    ].join('\n');
    expect(String(found)).to.equal(table);
  });

  it('refuses a value that is not an Express app', () => {
    for (const value of [undefined, null, {}, handler, '/v1', { stack: [] }]) {
      expectTypeError(
        () => testing.auditRoutes(value as Express),
        'auditRoutes: give the Express app, as express() returned it.',
      );
    }
  });
});

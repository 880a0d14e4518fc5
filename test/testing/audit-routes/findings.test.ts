import { expect } from 'chai';
import type { Express, RequestHandler } from 'express';
import { onEveryExpress } from '../../helpers/on-each-express.js';
import { auditsOf, handler, linesOf, middleware } from './audits.js';

onEveryExpress('auditRoutes', (framework) => {
  const { major, auth } = framework;
  const { audit, expectRoutes, guard, own, routerWith } = auditsOf(framework);
  const findings = (mount: (app: Express) => void) => audit(mount).findings;

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

  describe('names a route whose parameter refercence_cl', () => {
    const path = '/merchants/:refercence_cl/balance';
    const finding = `GET ${path}: refercence_cl not demanded`;

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

    it('a guard at a parameter with another name covers', () => {
      expect(findings((app) => app.use('/merchants/:id', guard()).get(path, handler))).to.deep.equal([finding]);
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

    it('is twice in the path, because Express shows a handler only the last one', () => {
      const twice = ['GET /:refercence_cl/:refercence_cl: refercence_cl twice in the path'];
      const inner = (mergeParams: boolean) =>
        routerWith((router) => router.get('/:refercence_cl', own(), handler), { mergeParams });
      for (const mergeParams of [false, true]) {
        const router = inner(mergeParams);
        expect(findings((app) => app.use(guard()).use('/:refercence_cl', router))).to.deep.equal(twice);
        expect(findings((app) => app.use('/:refercence_cl', guard(), router))).to.deep.equal([]);
      }
      const found = audit((app) => app.use(guard()).get('/:refercence_cl/:refercence_cl', own(), handler));
      expect(found.findings).to.deep.equal(twice);
      expect(String(found)).to.contain('Express shows a handler only the last of them. Leave one in the path,');
    });
  });

  describe('names a route whose guard', () => {
    it('does not read the account, unless a later guard does', () => {
      const found = audit((app) => app.use(auth.requireBearer()).get('/x', handler).get('/y', guard(), handler));
      expect(found.findings).to.deep.equal(['GET /x: account not checked']);
      expect(String(found)).to.contain('a disabled account passes for up to five hours. Give the guard your store');
    });

    it('does not look at references, unless requireOwnReference does', () => {
      const found = audit((app) => app.use(guard('unchecked')).post('/x', handler).post('/y', own(), handler));
      expect(found.findings).to.deep.equal(['POST /x: refercence_cl not checked']);
      expect(String(found)).to.contain('Mount requireOwnReference() on this route, after its parser');
    });

    it('is called inside a function of the host, and says how to mount it', () => {
      const inner = guard();
      const wrapped: RequestHandler = (req, res, next) => inner(req, res, next);
      const found = audit((app) => app.use(wrapped).get('/x', handler));
      expect(found.findings).to.deep.equal(['GET /x: no guard']);
      expect(String(found)).to.contain('is called inside your own function does not count, so mount [guard, yours]');
      expect(findings((app) => app.use([inner, middleware]).get('/x', handler))).to.deep.equal([]);
    });
  });
});

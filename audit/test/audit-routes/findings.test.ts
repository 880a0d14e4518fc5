import { expect } from 'chai';
import type { RequestHandler, RequestParamHandler } from 'express';
import { onEveryExpress } from '../../../test/helpers/on-each-express.js';
import { auditsOf, handler, MARK, middleware, type Mount } from './audits.js';

onEveryExpress('auditRoutes', (framework) => {
  const { major, auth, express } = framework;
  const { audit, expectFindings, expectRoutes, guard, own } = auditsOf(framework);
  const { Router } = express;
  /** The guard of a path that a router continues, where `/v1//pay` reaches the router and not the guard. */
  const unlessSlashes = major === 4 ? 'open' : 'guarded';

  describe('shows a route without a guard when', () => {
    it('the guard is on a sibling router, even on one at the same path', () => {
      const siblings = [Router().use(guard()).get('/orders', handler), Router().get('/', handler)];
      expectRoutes((app) => app.use('/v1', siblings), 'GET /v1/orders guarded', 'GET /v1 open');
    });

    it('the guard is mounted after it', () => {
      expectRoutes((app) => app.get('/v1/orders', handler).use('/v1', guard()), 'GET /v1/orders open');
      expectRoutes((app) => app.get('/orders', handler, guard(), auth.authErrorHandler()), 'GET /orders open');
    });

    it('the guard is below a narrower, another or a misspelled path', () => {
      for (const path of ['/v1/orders', '/v1/refunds/:id', '/v2', '/v', '/v1/:id/x', ['/v2', '/v3'], '/v1s', 'v1']) {
        expectRoutes((app) => app.use(path, guard()).get('/v1/refunds', handler), 'GET /v1/refunds open');
      }
    });

    it('the guard is for another method, or for an exact path above', () => {
      expectRoutes(
        (app) => app.get('/orders', guard()).get('/orders', handler).post('/orders', handler).all('/orders', handler),
        ...['GET /orders guarded', 'POST /orders open', 'ALL /orders open'],
      );
      expectRoutes((app) => app.all('/v1', guard()).get('/v1/x', handler), 'GET /v1/x open');
    });

    it('the guard is a bound one, or behind a function that can leave its route', () => {
      expectRoutes((app) => app.use(guard().bind(null)).get('/x', handler), 'GET /x open');
      expectRoutes((app) => app.all('/x', middleware, guard()).get('/x', handler), 'ALL /x open', 'GET /x open');
    });

    it('the app is case-sensitive and the router of the route is not', () => {
      const mount = (options: { caseSensitive: boolean }): Mount => {
        const router = Router(options).get('/pay/list', handler);
        return (app) => app.enable('case sensitive routing').use('/v1/pay', guard()).use('/v1', router);
      };
      expectRoutes(mount({ caseSensitive: false }), 'GET /v1/pay/list open');
      expectRoutes(mount({ caseSensitive: true }), `GET /v1/pay/list ${unlessSlashes}`);
    });

    it('the app has strict routing and the router of the route has not', () => {
      const strictly = (mount: Mount, line: string) => expectRoutes((app) => mount(app.enable('strict routing')), line);
      const mount = (options: { strict: boolean }): Mount => {
        const router = Router(options).get('/pay', handler);
        return (app) => app.all('/v1/pay', guard()).use('/v1', router);
      };
      strictly(mount({ strict: false }), 'GET /v1/pay open');
      strictly(mount({ strict: true }), `GET /v1/pay ${unlessSlashes}`);
      strictly((app) => app.all('/v1/pay', guard()).get('/v1/pay/', handler), 'GET /v1/pay/ open');
      strictly((app) => app.use('/v1/', guard()).get('/v1/pay', handler), 'GET /v1/pay guarded');
      strictly((app) => app.all(major === 4 ? '*' : '/{*all}', guard()).get('/', handler), 'GET / guarded');
      const root = Router({ strict: true }).get('/', handler);
      strictly((app) => app.all('/v1/pay', guard()).use('/v1/pay', root), 'GET /v1/pay open');
    });

    it('the optional end of its path is not covered', () => {
      const path = major === 4 ? '/v1/:id?' : '/v1{/:id}';
      const router = Router().get('/x', handler);
      expectRoutes((app) => app.use('/v1/:id', guard()).get(path, handler), `GET ${path} open`);
      expectRoutes((app) => app.use('/v1', guard()).get(path, handler), `GET ${path} guarded`);
      expectRoutes((app) => app.use('/v1/:id', guard()).use(path, router), `GET ${path}/x ${unlessSlashes}`);
    });
  });

  describe('names a route whose parameter refercence_cl', () => {
    const at = '/merchants/:refercence_cl';
    const path = `${at}/balance`;
    const finding = `GET ${path}: refercence_cl not demanded`;
    const routerOf = (options: { mergeParams?: boolean } = {}) => Router(options).use(own()).get('/balance', handler);

    it('no check sees', () => {
      expectFindings((app) => app.use(guard()).get(path, handler), finding);
      expectFindings((app) => app.use(guard(), own()).get(path, handler), finding);
      expectFindings((app) => app.use(guard()).use(at, routerOf()), finding);
      const advice = "write app.use('/merchants/:refercence_cl', requireOwnReference()) before them.";
      expect(String(audit((app) => app.use(guard()).get(path, handler)))).to.contain(advice);
    });

    it('no check sees, where the guard has names of the host', () => {
      const named = (inner: RequestHandler) => {
        const mark = Reflect.get(inner, MARK) as object;
        return Object.assign(inner, { [MARK]: { ...mark, referenceNames: ['merchantId', 'wallet_id'] } });
      };
      const guards = () => named(guard() as RequestHandler);
      expectFindings(
        (app) => app.use(guards()).get('/wallets/:wallet_id', handler).get('/merchants/:merchantId', own(), handler),
        'GET /wallets/:wallet_id: wallet_id not demanded',
      );
      expectFindings(
        (app) => app.use(guards()).get('/wallets/:walletId', handler).get('/merchants/:refercence_cl', handler),
        'GET /wallets/:walletId: walletId is another spelling of wallet_id',
      );
    });

    it('is checked after the handler, as any check of its route can be', () => {
      const late = 'requireOwnReference after the handler';
      expectFindings((app) => app.use(guard()).get(path, handler, own()), `GET ${path}: ${late}`, finding);
      expectFindings((app) => app.use(guard()).post('/pay', handler, own()), `POST /pay: ${late}`);
      expectFindings((app) => app.use(guard()).post('/pay', middleware, own(), handler));
    });

    it('a check only reports, does not look at, or has under another name', () => {
      expectFindings((app) => app.use('/merchants/:id', guard()).get(path, handler), finding);
      expectFindings((app) => app.get(path, guard('reported'), own(), handler), finding);
      expectFindings((app) => app.get(path, guard('unchecked'), handler), finding);
    });

    it('and not one that a check sees', () => {
      const plain = Router().get('/balance', handler);
      expectFindings((app) => app.use(guard()).use(at, own()).get(path, handler));
      expectFindings((app) => app.get(path, guard(), handler));
      expectFindings((app) => app.get(path, guard('unchecked'), own(), handler));
      expectFindings((app) => app.use(at, guard(), plain));
      expectFindings((app) => app.use(guard()).use(at, routerOf({ mergeParams: true })));
    });

    it('a check sees with another value, because the segment has more in it', () => {
      for (const mixed of ['/:kind-:refercence_cl', '/:refercence_cl.json']) {
        expectFindings(
          (app) => app.use(guard()).use('/:refercence_cl', own()).get(mixed, handler),
          `GET ${mixed}: refercence_cl not demanded`,
        );
        expectFindings((app) => app.use(guard()).get(mixed, own(), handler));
      }
    });

    it('has another form', () => {
      const paths =
        major === 4
          ? ['/:refercence_cl?', '/:refercence_cl(\\d+)', '/x-:refercence_cl']
          : ['/{:refercence_cl}', '/*refercence_cl', '/x-:refercence_cl', '/:"refercence_cl"'];
      for (const other of paths) {
        const found = audit((app) => app.use(guard()).get(other, handler).use(other, Router().get('/x', handler)));
        expect(found.findings, other).to.have.length(2);
      }
      expectFindings((app) => app.use(guard()).get('/:refercence_cls', handler));
    });

    it('is twice in the path, because Express shows a handler only the last one', () => {
      const twice = 'GET /:refercence_cl/:refercence_cl: refercence_cl twice in the path';
      for (const mergeParams of [false, true]) {
        const router = Router({ mergeParams }).get('/:refercence_cl', own(), handler);
        expectFindings((app) => app.use(guard()).use('/:refercence_cl', router), twice);
        expectFindings((app) => app.use('/:refercence_cl', guard(), router));
      }
      const found = audit((app) => app.use(guard()).get('/:refercence_cl/:refercence_cl', own(), handler));
      expect(found.findings).to.deep.equal([twice]);
      expect(String(found)).to.contain('Express shows a handler only the last of them. Leave one in the path,');
    });
  });

  describe('names a route with a parameter whose guard comes after', () => {
    const finding = (name: string) => `GET /x/:id: ${name} before the guard`;

    it('a callback of router.param, which Express calls first', () => {
      const load: RequestParamHandler = (_req, _res, next) => next();
      const late = finding("param('id')");
      expectFindings((app) => app.param('id', load).get('/x/:id', guard(), handler), late);
      expectFindings((app) => app.param('id', load).use('/x/:id', guard()).get('/x/:id', handler), late);
      const router = Router().get('/', guard(), handler);
      expectFindings((app) => app.param('id', load).use('/x/:id', router), late);
      expectFindings((app) => app.use(guard()).param('id', load).get('/x/:id', handler));
      const below = Router({ mergeParams: true }).param('id', load).get('/', guard(), handler);
      expectFindings((app) => app.use('/x/:id', below));
      expectFindings((app) => app.param('other', load).get('/x/:id', guard(), handler));
    });

    it('a function of the host on the route, unless it is a parser', () => {
      const found = audit((app) => app.get('/x/:id', middleware, guard(), handler));
      expect(found.findings).to.deep.equal([finding('middleware')]);
      expect(String(found)).to.contain('401 and 404 can tell strangers which ids exist. Mount the guard before it:');
      expectFindings((app) => app.get('/x/:id', express.json(), guard(), middleware, handler));
      expectFindings((app) => app.get('/x', middleware, guard(), handler));
      expectFindings((app) => app.use(guard()).get('/x/:id', middleware, own(), handler));
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
      expect(String(found)).to.contain(
        'GET /x: no guard. If this is your login, or needs no token, expect this finding in the test. Otherwise mount ' +
          'requireBearer({ userStore }) before it, at its path or above. A guard that is called inside your own function does ' +
          'not count, so mount [guard, yours]. In Express 4, /v1//pay passes a guard at /v1/pay and reaches',
      );
    });
  });
});

import { expect } from 'chai';
import { onEveryExpress } from '../../helpers/on-each-express.js';
import { auditsOf, handler, linesOf, middleware } from './audits.js';

onEveryExpress('auditRoutes', (framework) => {
  const { express, auth } = framework;
  const { audit, guard, own, routerWith, userStore } = auditsOf(framework);

  describe('finds nothing on', () => {
    it('the shortest host of README.md', () => {
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

    it('a host with sibling routers, one guard in each', () => {
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
        app.use('/v1', auth.createLoginRouter(userStore), guard(), middleware);
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
});

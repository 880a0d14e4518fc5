import { expect } from 'chai';
import type { Express, RequestHandler } from 'express';
import { auditRoutes } from '../../src/index.js';
import { onEveryExpress } from '../../../test/helpers/on-each-express.js';
import { auditsOf, handler, linesOf, middleware } from './audits.js';
import { copying, hiding, routerOfApp, type Wrap, wrapEach } from './wrappers.js';

onEveryExpress('auditRoutes of an app whose handlers a package wraps', (framework) => {
  const { major, auth, express } = framework;
  const { guard, userStore } = auditsOf(framework);

  function appThatWraps(wrap: Wrap): Express {
    const app = express();
    wrapEach(routerOfApp(app), wrap);
    return app;
  }
  const routerThatWraps = (wrap: Wrap) => wrapEach(express.Router(), wrap);
  const auditOf = (app: Express) => {
    const found = auditRoutes(app);
    return [linesOf(found), found.findings, String(found)] as const;
  };

  it('counts a wrapper with the name and the properties of a guard, and says so', () => {
    const inner = routerThatWraps(copying).use(routerThatWraps(copying).get('/y', handler));
    const app = appThatWraps(copying).use('/v1', auth.createLoginRouter(userStore), guard()).get('/v1/x', handler);
    const [lines, findings, text] = auditOf(app.use(inner).use('/v1', inner));
    expect(lines).to.deep.equal([
      ...['POST /v1/login login account unchecked', 'GET /v1/x guarded', 'GET /y open', 'GET /v1/y guarded'],
    ]);
    expect(findings).to.deep.equal(['GET /y: no guard']);
    expect(text).to.contain(
      '\nA package wraps each handler, so the name and a copied property had to show: requireBearerMiddleware.',
    );
  });

  it('counts no function of the host with a copy of the properties, in a wrapper or without', () => {
    for (const app of [appThatWraps(copying), express()]) {
      const maybe = Object.assign(middleware.bind(null), guard());
      expect(auditOf(app.use(maybe).get('/x', handler))[1]).to.deep.equal(['GET /x: no guard']);
    }
    const named = Object.assign(middleware.bind(null), guard());
    Object.defineProperty(named, 'name', { value: 'requireBearerMiddleware' });
    expect(auditOf(express().use(named).get('/x', handler))[1]).to.deep.equal([
      '/ requireBearerMiddleware: cannot be walked',
      'GET /x: no guard',
    ]);
  });

  it('cannot walk a wrapper that has nothing of the handler, even without a path, and names the handler', () => {
    const inner = express.Router().get('/y', handler);
    const app = appThatWraps(hiding).use(guard()).use(inner).get('/x', handler);
    const [, findings, text] = auditOf(app);
    expect(findings).to.deep.equal([
      '/ requireBearerMiddleware: cannot be walked',
      '/ router: cannot be walked',
      'GET /x: no guard',
    ]);
    expect(text).to.contain('A package has wrapped this function and keeps nothing of it, so it can be a router.');
  });

  it('cannot walk a wrapped app whose routes come later in Express 4, because the wrapper has no router', () => {
    const late = express();
    const app = express().use(routerThatWraps(copying).use(late)).get('/x', guard(), handler);
    late.get('/y', handler);
    expect(auditOf(app)[1]).to.deep.equal([major === 4 ? '/ app: cannot be walked' : 'GET /y: no guard']);
  });

  it('cannot walk what express-async-handler wraps', () => {
    const wrap = (inner: RequestHandler) => Object.defineProperty(hiding(inner), 'name', { value: 'asyncUtilWrap' });
    const app = express().use(wrap(express.Router().get('/y', handler)));
    expect(auditOf(app.use(guard()).get('/x', wrap(handler)))[1]).to.deep.equal(['/ asyncUtilWrap: cannot be walked']);
  });

  it('takes no router as empty that cannot be probed', () => {
    const router = Object.assign(express.Router(), {
      use() {
        throw new TypeError('no');
      },
    });
    router.stack.push(...express.Router().use(middleware).get('/y', guard(), handler).stack);
    expect(auditOf(express().use(router).get('/x', guard(), handler))[1]).to.deep.equal([
      '/ middleware: cannot be walked',
    ]);
  });
});

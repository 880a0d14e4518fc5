import { expect } from 'chai';
import type { RequestHandler } from 'express';
import { auditRoutes } from '../../src/index.js';
import { onEveryExpress } from '../../../test/helpers/on-each-express.js';
import { expectTypeError } from '../../../test/helpers/thrown.js';
import { auditsOf, handler, linesOf, MARK, type Mount } from './audits.js';

/** A proxy, for the audit: a function that may answer. */
const proxy: RequestHandler = (_req, res) => void res.json('proxied');

onEveryExpress('auditRoutes', (framework) => {
  const { major, express } = framework;
  const { audit, expectFindings, guard, userStore } = auditsOf(framework);

  describe('reports a blind spot for', () => {
    it('a function at a path, and says what to do', () => {
      const found = audit((app) => app.use('/legacy', proxy).use(guard()).get('/x', handler));
      expect(found.blind).to.deep.equal([
        {
          path: '/legacy',
          handler: 'proxy',
          isBehindGuard: false,
          reason: 'A function that is mounted at a path can answer requests, as a proxy does.',
          fix:
            'Mount it after requireBearer, or a body parser before it without a path. If it needs no guard, expect this ' +
            'finding in the test.',
        },
      ]);
      expect(found.findings).to.deep.equal(['/legacy proxy: cannot be walked']);
      expect(linesOf(found)).to.deep.equal(['GET /x guarded']);
    });

    it('a function at a path behind a guard, without a finding', () => {
      const found = audit((app) => app.use('/v1', guard()).use('/v1/legacy', proxy).get('/v1/x', handler));
      expect(found.blind.map(({ path, isBehindGuard }) => [path, isBehindGuard])).to.deep.equal([['/v1/legacy', true]]);
      expect(found.findings).to.deep.equal([]);
      expectFindings(
        (app) => app.all('/legacy', guard()).use('/legacy', proxy).get('/x', guard(), handler),
        '/legacy proxy: cannot be walked',
      );
    });

    for (const [what, mounted, name] of [
      ['is the only one in a router', express.Router().use(proxy), 'proxy'],
      [
        'has a router as a property',
        Object.assign(proxy.bind(null), { router: express.Router().get('/y', guard(), handler) }),
        'bound proxy',
      ],
      [
        'has the name of one that Express 4 mounts itself',
        express.Router().use(Object.defineProperty(proxy.bind(null), 'name', { value: 'query' })),
        'query',
      ],
    ] as const) {
      it(`a function that ${what}`, () => {
        expectFindings(
          (app) => app.use('/legacy', mounted).get('/x', guard(), handler),
          `/legacy ${name}: cannot be walked`,
        );
      });
    }

    it('a sub-app that is not named, even beside one that is', () => {
      const [named, unnamed] = [express().get('/a', guard(), handler), express().get('/b', handler)];
      const app = express().use('/v1', named).use('/v1', unnamed);
      expect(auditRoutes(app, { apps: [named] }).findings).to.deep.equal([
        ...['the app: no route', '/v1 mounted_app: cannot be walked', '/v1 mounted_app: cannot be walked'],
      ]);
      expect(auditRoutes(app, { apps: [named, unnamed] }).findings).to.include('GET /v1/b: no guard');
      const elsewhere = express().use('/v1', express().get('/c', handler));
      expect(auditRoutes(elsewhere, { apps: [named] }).findings).to.include('/v1 mounted_app: cannot be walked');
      expectTypeError(
        () => auditRoutes(app, { app: named } as object),
        'auditRoutes: unknown option "app". Known options: apps.',
      );
    });

    it('an app of another framework, even without a path', () => {
      const connect = Object.assign((_req: unknown, _res: unknown, next: () => void) => next(), {
        handle: () => undefined,
        route: '/',
        stack: [{ route: '/x', handle: handler }],
      });
      const found = audit((app) => app.use(connect).use(guard()).get('/x', handler).use('/y', connect));
      expect(found.findings).to.deep.equal(['/ <anonymous>: cannot be walked']);
      expect(String(found)).to.contain('This is an app of another framework, so its routes are unknown.');
    });

    it('a handler with a mark of a version that it does not know, even behind a guard', () => {
      const later = [guard(), guard(), framework.auth.requireOwnReference()].map((inner, index) => {
        const mark = { ...(Reflect.get(inner, MARK) as object), ...(index === 0 ? { version: 2 } : { kind: 'other' }) };
        return Object.assign(inner, { [MARK]: mark });
      }) as unknown as [RequestHandler, RequestHandler, RequestHandler];
      const found = audit((app) => app.use(guard(), later[0]).get('/x', later[1], later[2], handler));
      expect(found.findings).to.deep.equal([
        '/ requireBearerMiddleware: cannot be walked',
        '/x requireBearerMiddleware: cannot be walked',
        '/x requireOwnReferenceMiddleware: cannot be walked',
      ]);
      expect(String(found)).to.contain('is of a version of express-merchant-auth that this package does not know');
      expectFindings(
        (app) => app.use(later[0]).get('/x', handler),
        '/ requireBearerMiddleware: cannot be walked',
        'GET /x: no guard',
      );
    });

    it('an app without a route, or with the login alone', () => {
      const login = framework.auth.createLoginRouter(userStore);
      for (const [mount, text] of [
        [() => undefined, 'the app: no route'],
        [(app) => app.use(guard()), 'the app: no route'],
        [(app) => app.use('/v1', login, guard()), 'the app: no route except the login'],
      ] satisfies [Mount, string][]) {
        const found = audit(mount);
        expect(found.findings).to.deep.equal([text]);
        expect(String(found)).to.contain(
          `\n${text}. Give the app after its routes are mounted. NestJS mounts them in await app.init().`,
        );
      }
    });

    if (major === 5) {
      it('everything that router before 2.3 mounts at a path, and counts a guard there for no route', () => {
        const inner = express.Router().get('/x', handler);
        const app = express().use('/v1', guard()).get('/v1/x', handler);
        app.use(guard()).use('/v1', proxy, inner).use(inner);
        for (const layer of [...app.router.stack, ...inner.stack]) Reflect.deleteProperty(layer, 'rawPath');
        const found = auditRoutes(app);
        expect(linesOf(found)).to.deep.equal(['GET /v1/x open', 'GET /x guarded']);
        expect(found.blind.map(({ path, handler: name }) => [path, name])).to.deep.equal([
          [null, 'requireBearerMiddleware'],
          [null, 'proxy'],
          [null, 'router'],
        ]);
        expect(found.findings).to.deep.equal([
          '(unknown path) requireBearerMiddleware: cannot be walked',
          'GET /v1/x: no guard',
          '(unknown path) router: cannot be walked',
        ]);
        expect(String(found)).to.contain('Update it: npm update router.');
      });
    }
  });
});

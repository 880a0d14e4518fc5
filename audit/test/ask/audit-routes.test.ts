import { expect } from 'chai';
import type { Express, RequestHandler, RequestParamHandler } from 'express';
import { auditRoutes, type AuditRoutesOptions, type RouteAudit } from '../../src/index.js';
import { accountStore } from '../../../test/helpers/accounts.js';
import { onEveryExpress } from '../../../test/helpers/on-each-express.js';
import { rejectionOf } from '../../../test/helpers/thrown.js';
import { settle } from '../../../test/helpers/until.js';
import { hiding, routerOfApp, wrapEach } from './wrappers.js';

onEveryExpress('auditRoutes', ({ express, auth }) => {
  const userStore = accountStore();
  const guard = () => auth.requireBearer({ userStore }) as RequestHandler;
  const own = () => auth.requireOwnReference() as RequestHandler;
  const handler: RequestHandler = (_req, res) => void res.json('answered');

  async function audit(mount: (app: Express) => unknown, options?: AuditRoutesOptions): Promise<RouteAudit> {
    const app = express();
    mount(app);
    return auditRoutes(app.use(auth.authErrorHandler() as unknown as RequestHandler), options);
  }

  it('finds nothing on the shortest host of README.md, and prints its table', async () => {
    const found = await audit((app) => {
      app.use('/v1', auth.createLoginRouter(userStore), guard());
      app.post('/v1/transactions', own(), handler);
    });
    expect(found.routes.at(-1)).to.deep.equal({
      method: 'POST',
      path: '/v1/transactions',
      verdict: 'refused',
      status: 401,
      by: 'requireBearerMiddleware',
      request: 'POST /v1/transactions',
      account: true,
      reference: 'own',
    });
    expect(found.findings).to.deep.equal([]);
    const table = [
      'METHOD  PATH              VERDICT  STATUS  BY                       ACCOUNT  REFERENCE',
      'ALL     /v1/login         open',
      'POST    /v1/transactions  refused  401     requireBearerMiddleware  yes      own',
    ];
    expect(String(found)).to.equal(table.join('\n'));
  });

  it('lists each finding with a fix, the worst first', async () => {
    const lookUp: RequestHandler = (req, res, next) =>
      req.get('authorization') ? next() : res.status(404).json('none');
    const load: RequestParamHandler = (_req, _res, next) => next();
    const found = await audit((app) => {
      app.get('/late', auth.requireBearer() as RequestHandler, handler, own());
      app.get('/early/:id', lookUp, guard(), handler);
      app.use('/loaded', express.Router().param('id', load).get('/:id', guard(), handler));
      app.get('/:any', handler).get('/hidden', handler);
      app.get('/away/x', (_req, res, _next) => void res.status(500).end(), handler);
      app.get('/moved/x', (_req, res, _next) => res.redirect('/setup'), handler);
      app.post('/checked/x', lookUp, handler);
      app.use('/proxy/x', handler);
      const forget: RequestHandler = (_req, res, next) => {
        res.sendStatus(401);
        next();
      };
      app.delete('/forgotten/x', forget, handler);
      app.post('/written/x', handler);
      app.get('/half/x', guard(), handler).put('/half/x', handler);
      app
        .use((req, res, next) => (req.path === '/shape/x' ? guard()(req, res, next) : next()))
        .get('/shape/x', handler);
    });
    expect(found.findings).to.deep.equal([
      'GET /shape/x: refused, but open as GET /SHAPE/x',
      'DELETE /forgotten/x: open, although forget answered 401',
      'PUT /half/x: open, but refused for GET',
      'POST /written/x: open',
      'GET /:any: open',
      'USE /proxy/x: open',
      'POST /checked/x: open with the input that lookUp wants',
      'GET /away/x: unclear, 500 from <anonymous>',
      'GET /moved/x: unclear, 302 from <anonymous>',
      'GET /hidden: reached by no request',
      'GET /early/:id: lookUp before the guard',
      "GET /loaded/:id: param('id') before the guard",
      'GET /late: account not checked',
      'GET /late: requireOwnReference after the handler',
    ]);
    expect(String(found).split('\n').at(-1)).to.equal(
      'GET /late: requireOwnReference after the handler. A check after the handler checks nothing. Mount ' +
        'requireOwnReference() before it.',
    );
  });

  it('finds an app without a route, or with the login alone', async () => {
    const none = ['the app: no route'];
    expect((await audit(() => undefined)).findings).to.deep.equal(none);
    expect((await audit((app) => app.use(guard()))).findings).to.deep.equal(none);
    const wrapped = await audit((app) => {
      const hide =
        (_inner: RequestHandler): RequestHandler =>
        (req, res, next) =>
          _inner(req, res, next);
      wrapEach(routerOfApp(app), hide).valueOf();
      app.use(Object.defineProperty(hiding(express.Router().get('/x', handler)), 'name', { value: 'asyncUtilWrap' }));
    });
    expect(wrapped.findings).to.deep.equal(['GET /x: open']);
    const login = await audit((app) => {
      app.use('/v1', auth.createLoginRouter(userStore), guard()).post('/v1/pay', auth.requireOwnReference());
    });
    expect(login.findings).to.deep.equal(['the app: no route except the login']);
    expect(String(login)).to.contain('NestJS mounts them in await app.init().');
  });

  it('runs handlers where it is told to, and sends headers', async () => {
    let ran: string[] = [];
    const mount = (app: Express) => {
      const refuse: RequestHandler = (req, res) => {
        ran.push(req.method);
        res.status(req.get('x-key') === 'k' ? 200 : 401).end();
      };
      app.get('/x', refuse).post('/x', refuse);
    };
    for (const [options, methods, findings] of [
      [{}, [], ['POST /x: open', 'GET /x: open']],
      [{ runs: 'get' }, ['GET'], ['POST /x: open, but refused for GET']],
      [{ runs: 'all' }, ['GET', 'POST'], []],
      [{ runs: 'all', headers: { 'X-Key': 'k' } }, ['GET', 'POST'], ['POST /x: open', 'GET /x: open']],
    ] as const) {
      ran = [];
      expect((await audit(mount, options)).findings).to.deep.equal(findings);
      expect(ran).to.deep.equal(methods);
    }
  });

  it('takes the redirect of a handler for a refusal only if it leads to a login', async () => {
    const mount = (app: Express) => {
      for (const to of ['/404', '/login', '/users/sign-in?next=x'])
        app.get(`/to${to.length}`, (_req, res) => res.redirect(to));
    };
    expect((await audit(mount, { runs: 'get' })).findings).to.deep.equal(['GET /to4: open']);
  });

  it('puts everything back, so that calls at the same time and later calls find the app as it was', async () => {
    const shared = express
      .Router()
      .param('id', (_req, _res, next) => next())
      .get('/:id', guard(), handler);
    const apps = [express().use('/a', shared).get('/x', handler), express().use('/b', shared)];
    const handles = () => JSON.stringify(apps.map((app) => functionsIn(routerOfApp(app))));
    const ids = new Map<unknown, number>();
    function functionsIn(router: object): unknown[] {
      const { stack = [], params = {} } = router as { stack?: object[]; params?: object };
      const idOf = (fn: unknown) => ids.get(fn) ?? ids.set(fn, ids.size).size;
      return [
        Object.values(params).flat().map(idOf),
        stack.flatMap((layer) => {
          const { handle, route } = layer as { handle: object; route?: object };
          return [idOf(handle), ...functionsIn(route ?? handle)];
        }),
      ];
    }
    // As express-async-errors does.
    const layer = (routerOfApp(apps[1] as Express) as { stack: { handle: RequestHandler }[] }).stack.at(-1) as object;
    let kept: unknown = Reflect.get(layer, 'handle');
    const wrapped = { get: () => kept, set: (fn: RequestHandler) => void (kept = hiding(fn)) };
    Object.defineProperty(layer, 'handle', { ...wrapped, configurable: true, enumerable: true });
    handles();
    const before = handles();
    const [one, two, three] = await Promise.all([...apps, ...apps].map((app) => auditRoutes(app)));
    expect(handles()).to.equal(before);
    expect([one?.findings, two?.findings]).to.deep.equal([
      ['GET /x: open', "GET /a/:id: param('id') before the guard"],
      ["GET /b/:id: param('id') before the guard"],
    ]);
    expect(three).to.deep.include({ routes: one?.routes, findings: one?.findings });
    const broken = rejectionOf(auditRoutes(apps[0] as Express, { headers: { 'bad name': '' } }));
    expect(await broken).to.be.instanceOf(TypeError);
    expect(handles()).to.equal(before);
  });

  it('lets no slow function reach a handler after the audit', async () => {
    const waiting: (() => void)[] = [];
    let ran = 0;
    const late = express.Router().get('/', () => void (ran += 1));
    const found = await audit(
      (app) =>
        app
          .use('/late', (req, res, next) => void waiting.push(() => late(req, res, next)))
          .use((_req, _res, next) => void waiting.push(next))
          .get('/x', () => void (ran += 1)),
      { timeoutMs: 50 },
    );
    expect(found.findings).to.deep.equal([
      'GET /x: unclear, no answer from <anonymous>',
      'USE /late: unclear, no answer from <anonymous>',
    ]);
    for (const next of waiting) next();
    await settle();
    expect([waiting.length, ran]).to.deep.equal([3, 0]);
  });

  it('refuses a value that is not an Express app, and bad options', async () => {
    const message = async (app: never, options?: object) => {
      const error = await rejectionOf(auditRoutes(app, options));
      expect(error).to.be.instanceOf(TypeError);
      return (error as TypeError).message;
    };
    for (const value of [undefined, null, {}, handler, '/v1', { stack: [] }, express.Router()])
      expect(await message(value as never)).to.equal('auditRoutes: give the Express app, as express() returned it.');
    for (const [options, text] of [
      [{ apps: [] }, 'auditRoutes: unknown option "apps". Known options: headers, runs, timeoutMs.'],
      [{ runs: 'post' }, "auditRoutes: runs is 'none', 'get' or 'all'."],
      [{ timeoutMs: 0 }, 'auditRoutes: timeoutMs is a positive number of milliseconds.'],
    ] as const)
      expect(await message(express() as never, options)).to.equal(text);
  });
});

import compression from 'compression';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import type { ErrorRequestHandler, Express, Handler, Request, RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import helmet from 'helmet';
import { askRoutes } from '../../src/ask/ask-routes.js';
import type { App } from '../../src/ask/routes.js';
import { settle } from '../../../test/helpers/until.js';
import { onEveryExpress } from '../../../test/helpers/on-each-express.js';
import { hiding } from './wrappers.js';

type Mount = (app: Express) => unknown;
type Given = RequestHandler | RequestHandler[] | string | RegExp | (string | RegExp)[];

onEveryExpress('askRoutes', ({ major, express }) => {
  const ran: string[] = [];
  const h: RequestHandler = (req, res) => {
    ran.push(req.url);
    res.send('answered');
  };
  const mounting =
    (method: 'use' | 'get' | 'post' | 'all', ...end: Given[]) =>
    (...given: Given[]): Mount =>
    (app) =>
      Reflect.apply(app[method], app, [...given, ...end]) as unknown;
  const [use, all, get, post] = [mounting('use'), mounting('all'), mounting('get', h), mounting('post', h)];
  /** Calls back for a parameter. */
  const param =
    (name: string, call: RequestHandler): Mount =>
    (app) =>
      app.param(name, (req, res, next) => void call(req, res, next));
  function router(...mounts: readonly Mount[]) {
    const made = express.Router({ mergeParams: true });
    for (const mount of mounts) mount(made as Express);
    return made;
  }
  const pass: RequestHandler = (_req, _res, next) => next();
  const has = (req: Request) => req.get('authorization') !== undefined;
  const guardIf =
    (isGuarded: (req: Request) => boolean): RequestHandler =>
    (req, res, next) =>
      has(req) || !isGuarded(req) ? next() : void res.status(401).end();
  const guard = guardIf(() => true);
  const failing =
    (status: number, message: string, more: object = {}): RequestHandler =>
    (req, _res, next) =>
      has(req) ? next() : next(Object.assign(new Error(message), { status, ...more }));
  const saying =
    (status: number, text = ''): RequestHandler =>
    (req, res, next) =>
      has(req) ? next() : void res.status(status).send(text);
  const leading =
    (to: string): RequestHandler =>
    (_req, res, _next) =>
      res.redirect(to);
  /** Passes each request that has this, and refuses all others. */
  const demanding =
    (isRight: (req: Request) => boolean): RequestHandler =>
    (req, res, next) =>
      isRight(req) ? next() : res.sendStatus(403);
  const skipping =
    (to: 'route' | 'router'): RequestHandler =>
    (req, _res, next) =>
      has(req) ? next() : next(to);
  /** Wraps a function as express-async-handler does, whose wrapper has no parameters. */
  const wrapAsync =
    (inner: Handler): Handler =>
    (...parameters) =>
      Promise.resolve(inner(...parameters)).catch(parameters[2]) as never;
  const quiet: ErrorRequestHandler = (error: { status?: number }, _req, res, _next) =>
    void res.status(error.status ?? 500).end();
  /** Answers, and goes on without a return. */
  const forgetting =
    (error?: Error): RequestHandler =>
    (_req, res, next) => {
      res.status(401).send('no');
      next(error);
    };
  const later =
    (inner: RequestHandler): RequestHandler =>
    async (req, res, next) => {
      await wait(5);
      void inner(req, res, next);
    };
  /** Answers, and goes on after a query. */
  const forgettingLater: RequestHandler = (req, res, next) => {
    res.status(401).send('no');
    return later(pass)(req, res, next);
  };
  const wild = (path: string) => path + (major === 4 ? '*' : '{*all}');
  const inBody = '{"error":"token required"}';
  const paths = (names: string) => names.split('').map((name) => `/${name}`);

  const table: Record<string, readonly [lines: string, ...Mount[]]> = {
    'a router in a function, also in a second one, beside a route': [
      'GET /x open, GET /api/rows/:id open, POST /api/y refused',
      get('/x'),
      use('/api', hiding(router(use('/rows', hiding(router(get('/:id')))), post('/y', guard)))),
    ],
    'a router that a function makes for each request': [
      'GET /x open, GET /api/y unreached',
      get('/x'),
      use('/api', (req, res, next) => router(get('/y'), use(h))(req, res, next)),
    ],
    'a router as the handler of a route': [
      'GET /x refused, GET /api/y open, GET /z refused, POST /z open',
      (app) => app.get(['/w', '/x'], router(get('/x', guard))),
      use(
        '/api',
        router((app) => app.all('/y', router(get('/y')))),
      ),
      (app) =>
        app
          .route('/z')
          .get(router(get('/z', guard)))
          .post(h),
    ],
    'a router as the guard of a route': [
      'GET /x refused, GET /y refused pass wrapped, GET /api/z refused, GET /open open',
      (app) => {
        const guards = router(use(pass, guard));
        app.get('/x', guards, h).get('/y', pass, hiding(guards), h);
        app.use(
          '/api',
          router((inner) => inner.get('/z', guards, h)),
        );
      },
      (app) => app.get('/open', router(use(pass)), h),
    ],
    'app.route().all': [
      'ALL /m refused, GET /m refused, POST /m refused',
      (app) => app.route('/m').all(guard).get(h).post(h),
    ],
    'a guard beside a router': [
      major === 4 ? 'GET /v1/pay open GET /v1//pay' : 'GET /v1/pay refused',
      ...[use('/v1/pay', guard), use('/v1', router(get('/pay')))],
    ],
    'an error with a status': ['GET /x refused', use(failing(401, 'no')), get('/x')],
    'a wrapped handler': [
      'GET /x refused, GET /y open',
      (app) => app.get('/x', wrapAsync(guard), wrapAsync(h)).get('/y', wrapAsync(h)),
    ],
    'a 404 that asks for a login': ['GET /x refused', use(saying(404, 'Please log in')), get('/x')],
    'a 400 that misses a token': ['GET /x refused', use(saying(400, inBody)), get('/x')],
    'an answer of 200 that says no': [
      'GET /a refused, GET /b refused, GET /c open, GET /d open, GET /e unclear, GET /f refused, USE /e open',
      get('/a', saying(200, '{"success":false,"message":"Not authorized, login again"}')),
      get('/b', saying(200, '{ "status": "fail", "message": "No token" }')),
      get('/c', saying(200, '{"success":true,"menu":["Log in"]}')),
      get('/d', saying(200, '<a href="/login">Log in</a> {"success":false}')),
      ...[use('/e', saying(200, '{"ok":false,"stock":0}')), get('/e')],
      ...[use('/f', saying(200, '{"error":"Please log in"}')), get('/f')],
    ],
    'a 400 about a token in the body': [
      'POST /reset openWithInput validate answers, POST /x refused validate answers',
      (app) => {
        let count = 0;
        const validate: RequestHandler = (_req, res, _next) =>
          void res.status(400).json({ at: (count += 1), id: `5f0c${count}a7b`, text: '"token" is required' });
        app.post('/reset', validate, h).post('/x', validate, guard, h);
      },
    ],
    'a 400 that changes with the token': [
      'GET /a refused, GET /b refused, GET /c refused, GET /d refused',
      use('/a', (req, res, _next) => void res.status(has(req) ? 422 : 400).send({ token: 'invalid' })),
      use('/b', (req, res, _next) => void res.status(400).send(req.get('cookie') ? 'invalid jwt' : 'no jwt')),
      use('/c', (req, res, next) => (req.get('x-api-key') ? next() : res.status(404).send('API key not found'))),
      use('/d', saying(400, 'invalid token'), (_req, res, _next) => void res.status(400).send('invalid token')),
      get(paths('abcd')),
    ],
    'an authorization and an authentication of a card': [
      "POST /a openWithInput <anonymous> answers, POST /b openWithInput <anonymous> answers, GET /c/:id openWithInput param('id') answers, GET /x refused, GET /y refused, GET /z refused",
      post('/a', (_req, res, _next) => void res.status(422).send('{"error":"authorizationId is required"}')),
      post('/b', (_req, res, _next) => void res.status(400).send('threeDSAuthenticationId is required')),
      param('id', (_req, res, _next) => void res.status(404).send('Authorization not found')),
      ...[get('/c/:id'), use('/x', saying(400, 'No authorization')), use('/y', saying(400, 'Invalid credentials'))],
      use('/z', (_req, res, _next) => void res.status(400).send('Authentication required')),
      get(['/x', '/y', '/z']),
    ],
    'https only': [
      'GET /x open, GET /y refused',
      use((req, res, next) => (req.secure ? next() : res.redirect(301, `https://${req.get('host')}${req.url}`))),
      ...[get('/x'), get('/y', guard)],
    ],
    'a redirect to a place for strangers': [
      [1, 8, 13, 12, 28, 8].map((length) => `GET /x${length} refused`).join(', '),
      ...['/', '/?from=x', '/user/sign_in', '/session/new', 'https://auth.example.com/x/y', '/welcome'].map((to) =>
        get(`/x${to.length}`, leading(to)),
      ),
    ],
    'a redirect of all to the first account': [
      'GET /x unclear, GET /y refused, GET /z unclear, GET /authors unclear',
      use(leading('/create-admin?to=/login')),
      ...[get('/x'), get('/y', guard), get('/z', saying(200, 'for all')), get('/authors', leading('/authors/1'))],
    ],
    'a token against forged requests': [
      'POST /x open, POST /y refused',
      use(failing(403, 'invalid csrf token', { code: 'EBADCSRFTOKEN' })),
      ...[post('/x'), post('/y', guard)],
    ],
    'helmet, compression and a limiter': [
      'GET /x open, GET /y refused',
      use(helmet(), compression(), rateLimit({ limit: 1, validate: false })),
      ...[get('/x'), get('/y', guard)],
    ],
    "next('route')": ['GET /x refused <anonymous>, GET /x refused', get('/x', skipping('route')), get('/x', guard)],
    "next('router')": ['GET /a/x unreached', use('/a', router(use(skipping('router')), get('/x'))), use(guard)],
    'a wide guard': [
      'GET /a/x refused, GET /a/y/z refused, GET /b open',
      ...[all(wild('/a/'), pass, guard), get('/a/x'), use('/a/y', router(get('/z'))), get('/b')],
    ],
    'regular expressions': [
      String.raw`GET /^\/a\/(\d+)$/ refused, GET /\/b\/[a-z]+\/(?:edit|view)$/ open, GET /^\/files\/(.*)/ open`,
      use(/^\/a/, guard),
      ...[get(/^\/a\/(\d+)$/), get(/\/b\/[a-z]+\/(?:edit|view)$/), get(/^\/files\/(.*)/)],
    ],
    'lists of paths': [
      ['a/x refused', 'a/y refused', 'b/:id/x refused', 'b/:id/y refused', 'c/x open', 'c/y open']
        .map((line) => `GET /${line}`)
        .join(', '),
      ...[use(['/a', '/b/:id'], guard), use(['/a', '/b/:id', '/c'], router(get(paths('xy'))))],
    ],
    'parameters of routers above': [
      'GET /:tenant/users/:id/x refused, GET /:tenant/users/:id/y open',
      use('/:tenant', router(use('/users/:id', router(param('id', pass), get('/x', guard), get('/y'))))),
    ],
    'a param callback that is the guard': [
      'GET /x/:id refused, GET /y open',
      ...[param('id', guard), get('/x/:id'), get('/y')],
    ],
    'a lookup in a param callback': [
      "GET /x/:id openWithInput param('id') answers, GET /y/:id refused param('id') answers",
      ...[param('id', (_req, res, _next) => void res.status(404).end()), get('/x/:id'), get('/y/:id', guard)],
    ],
    'a guard in a router at two places': [
      'GET /a/x refused, GET /b/x refused',
      (app) => {
        const shared = router(use(guard), get('/x'));
        app.use('/a', shared).use('/b', shared);
      },
    ],
    'a guard that ends the connection': [
      'GET /a refused, GET /b refused, GET /c refused, GET /d refused',
      use((req, res, _next) => {
        res.status(401).end();
        setImmediate(() => req.socket.destroy());
      }),
      ...paths('abcd').map((path) => get(path)),
    ],
    'functions at a path': [
      'GET /v/x openWithInput <anonymous> answers, USE /b open, USE /d openWithInput, USE /e open, USE /f open GET /F',
      use(guardIf(({ path }) => path === '/f')),
      ...[
        use('/a', guard, pass),
        use('/b', saying(200, 'a page')),
        use('/c', pass),
        use('/d', saying(400, 'no query')),
      ],
      use('/e', (req, res, next) => (req.method === 'POST' ? res.send('') : next())),
      ...[use('/f', saying(200, 'a page')), use('/v', saying(400, 'no input')), get('/v/x')],
    ],
    'a refusal without a return': [
      'GET /a open, GET /b open, GET /c refused',
      use('/a', (req, res, next) => void Promise.resolve().then(() => forgetting()(req, res, next))),
      use('/b', forgetting(new Error('no'))),
      (app) => app.use('/b', ((_error, _req, _res, next) => next()) as ErrorRequestHandler),
      ...[get(paths('ab')), get('/c', forgetting(), guard)],
    ],
    'an async refusal without a return': [
      'GET /a open, GET /b/x open, GET /c refused, GET /d refused',
      ...[get('/a', forgettingLater), use('/b', forgettingLater, later(pass), router(get('/x')))],
      get('/c', later(guard)),
      get('/d', forgettingLater, (req, res, next) => (res.headersSent ? undefined : guard(req, res, next))),
    ],
    'a function that calls one of two routers': [
      'GET /api/y open, GET /api/x refused, POST /api/y open',
      (app) => {
        const [one, two] = [router(get('/x', guard)), router(get('/y'))];
        app.use('/api', (req, res, next) => (req.path === '/y' ? two(req, res, next) : one(req, res, next)));
      },
      post('/api/y'),
    ],
    'a guard except for files': [
      'GET /a/x open GET /a/x?x.css, GET /b/:id open GET /b/00000000-0000-4000-8000-000000000000.css',
      use(
        '/a',
        guardIf(({ url }) => !url.endsWith('.css')),
      ),
      ...[
        use(
          '/b',
          guardIf(({ path }) => !path.endsWith('.css')),
        ),
        get(['/a/x', '/b/:id']),
      ],
    ],
    'values of an expression': [
      String.raw`GET /^\/a\/(b|c)$/ open, GET /^\/id\/([\da-f]{24})$/ open, GET /^\/year\/(\d{4})$/ open`,
      use('/a/b', guard),
      ...[get(/^\/a\/(b|c)$/), get(/^\/id\/([\da-f]{24})$/), get(/^\/year\/(\d{4})$/)],
    ],
    'functions that expect a browser, or the own machine': [
      'GET /a open, GET /b open, POST /c open, GET /d refused',
      get(
        '/a',
        demanding((req) => req.get('user-agent') !== undefined),
      ),
      get(
        '/b',
        demanding((req) => req.get('x-forwarded-proto') === 'https'),
      ),
      post('/c', (req, res, _next) => res.redirect(req.get('referer') ?? '/')),
      get(
        '/d',
        demanding((req) => req.ip === '127.0.0.1'),
      ),
    ],
    'refusals of every caller': [
      'GET /0 open, GET /1 open, GET /2 open, GET /3 open, GET /x refused, GET /y refused',
      ...['Invalid CSRF token', 'Too many requests', 'HTTPS required', 'Bad origin'].map((text, at) =>
        get(`/${at}`, saying(403, text)),
      ),
      get('/x', saying(401, '{"type":"https://example.com/401"}')),
      get('/y', saying(403, 'Unauthorized origin')),
    ],
    'words that look like those of a login': [
      'GET /a openWithInput <anonymous> answers, GET /b openWithInput <anonymous> answers, GET /c refused',
      ...[get('/a', saying(404, 'Blog introuvable')), get('/b', saying(400, '{"path":"login"}'))],
      get('/c', saying(404, '"Sign in"')),
    ],
    'a route that passes a request on to the next': [
      'GET /x open, GET /x refused',
      (app) => app.get('/x', (req, res, next) => (req.query['q'] ? res.send('') : next())),
      get('/x', guard),
    ],
    'a page for all paths at the end': [
      `GET /x unreached, GET ${wild(major === 4 ? '' : '/')} open`,
      get('/x', (_req, _res, next) => next('route')),
      (app) => app.get(wild(major === 4 ? '' : '/'), hiding(h)),
    ],
    'a handler before a 405': [
      'GET /x open, ALL /x open',
      (app) =>
        app
          .route('/x')
          .get(hiding(h))
          .all(demanding(() => false)),
    ],
    'functions of the host that have the names of functions of Express': [
      'GET /x refused',
      ...['router', 'app', 'mounted_app'].map((value) => {
        const check: RequestHandler = (req, _res, next) => (req.url.startsWith('/') ? next() : next('route'));
        return use(Object.defineProperty(check, 'name', { value }));
      }),
      get('/x', guard),
    ],
    'a guard that lets HEAD pass': [
      'GET /x open HEAD /x, POST /y refused',
      ...[use(guardIf(({ method }) => method !== 'HEAD')), get('/x'), post('/y')],
    ],
    'functions that never answer': [
      'GET /a/x unclear, GET /b/x unclear, GET /c open, USE /a unclear, USE /b unclear',
      ...[use('/a', () => undefined), use('/b', (req) => req.socket.destroy()), get(['/a/x', '/b/x', '/c'])],
    ],
    'a strict inner app with other letters': [
      `GET /a/x open GET ${major === 4 ? '/a//x' : '/a/X'}`,
      (app) => app.enable('case sensitive routing').use('/a/x', guard).use('/a', express().get('/x', h)),
    ],
    'methods, optional parameters and letters': [
      `GET ${major === 4 ? '/x/:id?' : '/x{/:id}'} open, ALL /y refused`,
      ...[get(major === 4 ? '/x/:id?' : '/x{/:id}'), all('/y', guard, h)],
      (app) => app.head('/z', h).options('/z', h),
    ],
    'an answer of the first function of a route': [
      'GET /x open',
      get('/x', (_req, res, _next) => void res.send('public'), guard),
    ],
    'a handler with a guard after it': ['GET /x open', get('/x', h, guard)],
    'handlers in nested lists': [
      'GET /x refused pass, GET /y open',
      ...[get('/x', [pass, [guard]] as RequestHandler[]), get('/y', [[pass]] as unknown as RequestHandler[])],
    ],
  };
  if (major === 4)
    table['characters of an expression in a path'] = [
      'GET /ab?cd open, GET /ef+g refused, GET /:lang(en|fr)/x open, GET /h(ij)?k refused',
      ...[get('/ab?cd'), get('/ef+g', guard), get('/:lang(en|fr)/x'), get('/h(ij)?k', guard)],
    ];

  async function linesOf(mounts: readonly Mount[], timeoutMs = 2_000): Promise<string[]> {
    const app = express();
    for (const mount of mounts) mount(app);
    const { routes } = await askRoutes(app.use(quiet) as Express & App, { timeoutMs });
    return routes.map(({ method, path, verdict, isShape, request, early }) =>
      [method, path, verdict, ...(isShape ? [request] : []), ...early].join(' '),
    );
  }

  for (const [title, [lines, ...mounts]] of Object.entries(table)) {
    it(`judges ${title}`, async () => {
      expect((await linesOf(mounts, title.includes('never answer') ? 100 : 2_000)).join(', ')).to.equal(lines);
      expect(ran.splice(0)).to.deep.equal([]);
    });
  }

  it('notes the status of a handler that ran, and takes its word about an input for none about the caller', async () => {
    const app = express().get('/x', saying(302)).get('/auth', pass);
    app.post('/reset', (_req, res, _next) => void res.status(400).send('"token" is required'));
    const { routes } = await askRoutes(app as Express & App, { runs: 'all' });
    expect(routes.map(({ verdict, ranTo }) => `${verdict} ${ranTo}`)).to.deep.equal([
      'open 302',
      'open 404',
      'open 400',
    ]);
  });

  it('asks 24 requests at a time, and lists the routes in the order of the app', async () => {
    let held: (() => void)[] | undefined = [];
    let most = 0;
    const hold: RequestHandler = (_req, res, _next) => {
      const refuse = () => void res.sendStatus(401);
      if (held) most = held.push(refuse);
      else refuse();
      if (held?.length === 24)
        void settle().then(() => {
          for (const one of held ?? []) one();
          held = undefined;
        });
    };
    const numbers = [...Array(50).keys()];
    const lines = await linesOf(numbers.map((at) => get(`/x${at}`, at % 10 === 0 ? pass : hold)));
    expect(lines).to.deep.equal(numbers.map((at) => `GET /x${at} ${at % 10 === 0 ? 'open' : 'refused'}`));
    expect(most).to.equal(24);
  });
});

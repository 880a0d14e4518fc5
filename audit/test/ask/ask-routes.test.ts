import compression from 'compression';
import { expect } from 'chai';
import type { ErrorRequestHandler, Express, Handler, RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import helmet from 'helmet';
import { askRoutes } from '../../src/ask/ask-routes.js';
import type { App } from '../../src/ask/routes.js';
import { settle } from '../../../test/helpers/until.js';
import { onEveryExpress } from '../../../test/helpers/on-each-express.js';

type Mount = (app: Express) => unknown;

onEveryExpress('askRoutes', ({ major, express }) => {
  const { Router } = express;
  const ran: string[] = [];
  const h: RequestHandler = (req, res) => {
    ran.push(req.url);
    res.send('answered');
  };
  const pass: RequestHandler = (_req, _res, next) => next();
  const has: (req: Parameters<RequestHandler>[0]) => boolean = (req) => req.get('authorization') !== undefined;
  const guard: RequestHandler = (req, res, next) => (has(req) ? next() : void res.status(401).end());
  const failing =
    (status: number, message: string, more: object = {}): RequestHandler =>
    (req, _res, next) =>
      has(req) ? next() : next(Object.assign(new Error(message), { status, ...more }));
  const saying =
    (status: number, text: string): RequestHandler =>
    (req, res, next) =>
      has(req) ? next() : void res.status(status).send(text);
  /** Wraps a function as express-async-handler does, whose wrapper has no parameters. */
  const wrapAsync =
    (inner: Handler): Handler =>
    (...parameters) =>
      Promise.resolve(inner(...parameters)).catch(parameters[2]) as never;
  const quiet: ErrorRequestHandler = (error: { status?: number }, _req, res, _next) =>
    void res.status(error.status ?? 500).end();

  const table: Record<string, readonly [Mount, ...string[]]> = {
    'a guard above': [(app) => app.use(guard).get('/x', h), 'GET /x refused'],
    'a guard after': [(app) => app.get('/x', h).use(guard), 'GET /x open'],
    'a guard on one route': [(app) => app.get('/x', guard, h).post('/x', h), ...['GET /x refused', 'POST /x open']],
    'a router in a function, also in a second one, beside a route': [
      (app) => {
        const inner = Router().get('/:id', h);
        const outer = Router()
          .use('/rows', (req, res, next) => inner(req, res, next))
          .post('/y', guard, h);
        app.get('/x', h).use('/api', (req, res, next) => outer(req, res, next));
      },
      ...['GET /x open', 'GET /api/rows/:id open', 'POST /api/y refused'],
    ],
    'a router that a function makes for each request': [
      (app) => app.get('/x', h).use('/api', (req, res, next) => Router().get('/y', h).use(h)(req, res, next)),
      ...['GET /x open', 'GET /api/y unreached'],
    ],
    'a guard in an async function': [
      (app) =>
        app
          .use(async (req, res, next) => {
            await Promise.resolve();
            guard(req, res, next);
          })
          .get('/x', h),
      'GET /x refused',
    ],
    'a guard except below a prefix': [
      (app) =>
        app
          .use((req, res, next) => (req.path.startsWith('/public') ? next() : guard(req, res, next)))
          .get('/public/a', h)
          .get('/b', h),
      ...['GET /public/a open', 'GET /b refused'],
    ],
    'app.route().all': [
      (app) => app.route('/m').all(guard).get(h).post(h),
      'ALL /m refused',
      'GET /m refused',
      'POST /m refused',
    ],
    'a guard of one letter case': [
      (app) =>
        app.use((req, res, next) => (req.path.startsWith('/v1') ? guard(req, res, next) : next())).get('/v1/x', h),
      'GET /v1/x open GET /V1/x',
    ],
    'a guard beside a router': [
      (app) => app.use('/v1/pay', guard).use('/v1', Router().get('/pay', h)),
      major === 4 ? 'GET /v1/pay open GET /v1//pay' : 'GET /v1/pay refused',
    ],
    'a sub-app in a router in a sub-app': [
      (app) => app.use('/s', express().use('/r', Router().use('/q', express().get('/x', h)))),
      'GET /s/r/q/x open',
    ],
    'a validator, and no guard': [
      (app) => app.post('/x', saying(400, ''), h),
      'POST /x openWithInput <anonymous> answers',
    ],
    'a function that fails': [(app) => app.use(saying(500, '')).get('/x', h), 'GET /x unclear'],
    'a route that another one hides': [(app) => app.get('/:any', h).get('/x', h), 'GET /:any open', 'GET /x unreached'],
    'an error with a status': [(app) => app.use(failing(401, 'no')).get('/x', h), 'GET /x refused'],
    'a wrapped handler': [
      (app) => app.get('/x', wrapAsync(guard), wrapAsync(h)).get('/y', wrapAsync(h)),
      'GET /x refused',
      'GET /y open',
    ],
    'a 404 that asks for a login': [(app) => app.use(saying(404, 'Please log in')).get('/x', h), 'GET /x refused'],
    'a 400 that misses a token': [
      (app) => app.use(saying(400, '{"error":"token required"}')).get('/x', h),
      'GET /x refused',
    ],
    'a 400 about a token in the body': [
      (app) => {
        let count = 0;
        const validate: RequestHandler = (_req, res, _next) =>
          void res.status(400).json({ at: (count += 1), id: `5f0c${count}a7b`, text: '"token" is required' });
        app.post('/reset', validate, h).post('/x', validate, guard, h);
      },
      'POST /reset openWithInput validate answers',
      'POST /x refused validate answers',
    ],
    'a 400 that changes with the token': [
      (app) =>
        app
          .use('/a', (req, res, _next) => void res.status(has(req) ? 422 : 400).send({ token: 'invalid' }))
          .use('/b', (req, res, _next) => void res.status(400).send(req.get('cookie') ? 'invalid jwt' : 'no jwt'))
          .use('/c', (req, res, next) => (req.get('x-api-key') ? next() : res.status(404).send('API key not found')))
          .use('/d', saying(400, 'invalid token'), (_req, res, _next) => void res.status(400).send('invalid token'))
          .get(['/a', '/b', '/c', '/d'], h),
      ...['GET /a refused', 'GET /b refused', 'GET /c refused', 'GET /d refused'],
    ],
    'a 400 of a validator on the router': [
      (app) => app.use('/a', Router().use(saying(400, 'amount is missing')).get('/x', h)),
      'GET /a/x openWithInput <anonymous> answers',
    ],
    'https only': [
      (app) =>
        app
          .use((req, res, next) => (req.secure ? next() : res.redirect(301, `https://${req.get('host')}${req.url}`)))
          .get('/x', h)
          .get('/y', guard, h),
      'GET /x open',
      'GET /y refused',
    ],
    'a redirect to a place for strangers': [
      (app) => {
        for (const to of ['/', '/?from=x', '/user/sign_in', '/session/new', 'https://auth.example.com/x/y', '/welcome'])
          app.get(`/x${to.length}`, (_req, res, _next) => res.redirect(to), h);
      },
      ...[1, 8, 13, 12, 28, 8].map((length) => `GET /x${length} refused`),
    ],
    'a redirect of all to the first account': [
      (app) =>
        app
          .use((_req, res, _next) => res.redirect('/create-admin?to=/login'))
          .get('/x', h)
          .get('/y', guard, h)
          .get('/z', saying(200, 'for all'), h)
          .get('/authors', (_req, res, _next) => res.redirect('/authors/1'), h),
      'GET /x unclear',
      'GET /y refused',
      'GET /z unclear',
      'GET /authors unclear',
    ],
    'a token against forged requests': [
      (app) =>
        app
          .use(failing(403, 'invalid csrf token', { code: 'EBADCSRFTOKEN' }))
          .post('/x', h)
          .post('/y', guard, h),
      'POST /x open',
      'POST /y refused',
    ],
    'helmet, compression and a limiter': [
      (app) =>
        app
          .use(helmet(), compression(), rateLimit({ limit: 1, validate: false }))
          .get('/x', h)
          .get('/y', guard, h),
      'GET /x open',
      'GET /y refused',
    ],
    "next('route')": [
      (app) => app.get('/x', (req, _res, next) => next(has(req) ? undefined : 'route'), h).get('/x', guard, h),
      'GET /x refused <anonymous>',
      'GET /x refused',
    ],
    "next('router')": [
      (app) =>
        app
          .use(
            '/a',
            Router()
              .use((req, _res, next) => next(has(req) ? undefined : 'router'))
              .get('/x', h),
          )
          .use(guard),
      'GET /a/x unreached',
    ],
    'a wide guard': [
      (app) =>
        app
          .all(major === 4 ? '/a/*' : '/a/{*all}', pass, guard)
          .get('/a/x', h)
          .use('/a/y', Router().get('/z', h))
          .get('/b', h),
      'GET /a/x refused',
      'GET /a/y/z refused',
      'GET /b open',
    ],
    'regular expressions': [
      (app) =>
        app
          .use(/^\/a/, guard)
          .get(/^\/a\/(\d+)$/, h)
          .get(/\/b\/[a-z]+\/(?:edit|view)$/, h)
          .get(/^\/files\/(.*)/, h),
      String.raw`GET /^\/a\/(\d+)$/ refused`,
      String.raw`GET /\/b\/[a-z]+\/(?:edit|view)$/ open`,
      String.raw`GET /^\/files\/(.*)/ open`,
    ],
    'lists of paths': [
      (app) => app.use(['/a', '/b/:id'], guard).use(['/a', '/b/:id', '/c'], Router().get(['/x', '/y'], h)),
      ...['a', 'b/:id'].flatMap((at) => [`GET /${at}/x refused`, `GET /${at}/y refused`]),
      'GET /c/x open',
      'GET /c/y open',
    ],
    'parameters of routers above': [
      (app) =>
        app.use(
          '/:tenant',
          Router({ mergeParams: true }).use(
            '/users/:id',
            Router({ mergeParams: true })
              .param('id', (_req, _res, next) => next())
              .get('/x', guard, h)
              .get('/y', h),
          ),
        ),
      'GET /:tenant/users/:id/x refused',
      'GET /:tenant/users/:id/y open',
    ],
    'a param callback that is the guard': [
      (app) =>
        app
          .param('id', (req, res, next) => guard(req, res, next))
          .get('/x/:id', h)
          .get('/y', h),
      'GET /x/:id refused',
      'GET /y open',
    ],
    'a lookup in a param callback': [
      (app) =>
        app
          .param('id', (_req, res, _next) => void res.status(404).end())
          .get('/x/:id', h)
          .get('/y/:id', guard, h),
      "GET /x/:id openWithInput param('id') answers",
      "GET /y/:id refused param('id') answers",
    ],
    'a guard in a router at two places': [
      (app) => {
        const shared = Router().use(guard).get('/x', h);
        app.use('/a', shared).use('/b', shared);
      },
      'GET /a/x refused',
      'GET /b/x refused',
    ],
    'a guard that ends the connection': [
      (app) => {
        app.use((req, res, _next) => {
          res.status(401).end();
          setImmediate(() => req.socket.destroy());
        });
        for (const path of ['/a', '/b', '/c', '/d']) app.get(path, h);
      },
      ...['GET /a refused', 'GET /b refused', 'GET /c refused', 'GET /d refused'],
    ],
    'functions at a path': [
      (app) =>
        app
          .use((req, res, next) => (req.path === '/f' ? guard(req, res, next) : next()))
          .use('/a', guard, pass)
          .use('/b', saying(200, 'a page'))
          .use('/c', pass)
          .use('/d', saying(400, 'no query'))
          .use('/e', (req, res, next) => (req.method === 'POST' ? res.send('') : next()))
          .use('/f', saying(200, 'a page'))
          .use('/v', saying(400, 'no input'))
          .get('/v/x', h),
      'GET /v/x openWithInput <anonymous> answers',
      'USE /b open',
      'USE /d openWithInput',
      'USE /e open',
      'USE /f open GET /F',
    ],
    'a refusal without a return': [
      (app) => {
        const forget: RequestHandler = (_req, res, next) => {
          res.status(401).send('no');
          next();
        };
        const failToo: RequestHandler = (_req, res, next) => {
          res.status(401).send('no');
          next(new Error('no'));
        };
        const recover: ErrorRequestHandler = (_error, _req, _res, next) => next();
        app
          .use('/a', async (req, res, next) => {
            await Promise.resolve();
            forget(req, res, next);
          })
          .use('/b', failToo, recover)
          .get(['/a', '/b'], h)
          .get('/c', forget, guard, h);
      },
      ...['GET /a open', 'GET /b open', 'GET /c refused'],
    ],
    'a function that calls one of two routers': [
      (app) => {
        const [one, two] = [Router().get('/x', guard, h), Router().get('/y', h)];
        app
          .use('/api', (req, res, next) => (req.path === '/y' ? two(req, res, next) : one(req, res, next)))
          .post('/api/y', h);
      },
      ...['GET /api/y open', 'GET /api/x refused', 'POST /api/y open'],
    ],
    'a guard except for files': [
      (app) =>
        app
          .use('/a', (req, res, next) => (req.url.endsWith('.css') ? next() : guard(req, res, next)))
          .use('/b', (req, res, next) => (req.path.endsWith('.css') ? next() : guard(req, res, next)))
          .get(['/a/x', '/b/:id'], h),
      ...['GET /a/x open GET /a/x?x.css', 'GET /b/:id open GET /b/00000000-0000-4000-8000-000000000000.css'],
    ],
    'values of an expression': [
      (app) =>
        app
          .use('/a/b', guard)
          .get(/^\/a\/(b|c)$/, h)
          .get(/^\/id\/([\da-f]{24})$/, h)
          .get(/^\/year\/(\d{4})$/, h),
      String.raw`GET /^\/a\/(b|c)$/ open`,
      String.raw`GET /^\/id\/([\da-f]{24})$/ open`,
      String.raw`GET /^\/year\/(\d{4})$/ open`,
    ],
    'functions that expect a browser, or the own machine': [
      (app) =>
        app
          .get('/a', (req, res, next) => (req.get('user-agent') ? next() : res.sendStatus(403)), h)
          .get('/b', (req, res, next) => (req.get('x-forwarded-proto') === 'https' ? next() : res.sendStatus(403)), h)
          .post('/c', (req, res, _next) => res.redirect(req.get('referer') ?? '/'), h)
          .get('/d', (req, res, next) => (req.ip === '127.0.0.1' ? next() : res.sendStatus(403)), h),
      ...['GET /a open', 'GET /b open', 'POST /c open', 'GET /d refused'],
    ],
    'refusals of every caller': [
      (app) => {
        for (const [at, text] of ['Invalid CSRF token', 'Too many requests', 'HTTPS required', 'Bad origin'].entries())
          app.get(`/${at}`, saying(403, text), h);
        app.get('/x', saying(401, '{"type":"https://example.com/401"}'), h);
        app.get('/y', saying(403, 'Unauthorized origin'), h);
      },
      ...['GET /0 open', 'GET /1 open', 'GET /2 open', 'GET /3 open', 'GET /x refused', 'GET /y refused'],
    ],
    'words that look like those of a login': [
      (app) =>
        app
          .get('/a', saying(404, 'Blog introuvable'), h)
          .get('/b', saying(400, '{"path":"login"}'), h)
          .get('/c', saying(404, '"Sign in"'), h),
      'GET /a openWithInput <anonymous> answers',
      'GET /b openWithInput <anonymous> answers',
      'GET /c refused',
    ],
    'a route that passes a request on to the next': [
      (app) => app.get('/x', (req, res, next) => (req.query['q'] ? res.send('') : next())).get('/x', guard, h),
      ...['GET /x open', 'GET /x refused'],
    ],
    'a page for all paths at the end': [
      (app) =>
        app
          .get('/x', (_req, _res, next) => next('route'), h)
          .get(major === 4 ? '*' : '/{*all}', (req, res, next) => h(req, res, next)),
      ...['GET /x unreached', `GET ${major === 4 ? '*' : '/{*all}'} open`],
    ],
    'a handler before a 405': [
      (app) =>
        app
          .route('/x')
          .get((req, res, next) => h(req, res, next))
          .all((_req, res) => void res.sendStatus(405)),
      ...['GET /x open', 'ALL /x open'],
    ],
    'functions of the host that have the names of functions of Express': [
      (app) => {
        for (const value of ['router', 'app', 'mounted_app']) {
          const check: RequestHandler = (req, _res, next) => (req.url.startsWith('/') ? next() : next('route'));
          app.use(Object.defineProperty(check, 'name', { value }));
        }
        app.get('/x', guard, h);
      },
      'GET /x refused',
    ],
    'a guard that lets HEAD pass': [
      (app) =>
        app
          .use((req, res, next) => (req.method === 'HEAD' ? next() : guard(req, res, next)))
          .get('/x', h)
          .post('/y', h),
      ...['GET /x open HEAD /x', 'POST /y refused'],
    ],
    'functions that never answer': [
      (app) =>
        app
          .use('/a', () => undefined)
          .use('/b', (req) => req.socket.destroy())
          .get(['/a/x', '/b/x', '/c'], h),
      ...['GET /a/x unclear', 'GET /b/x unclear', 'GET /c open', 'USE /a unclear', 'USE /b unclear'],
    ],
    'a strict inner app with other letters': [
      (app) => app.enable('case sensitive routing').use('/a/x', guard).use('/a', express().get('/x', h)),
      `GET /a/x open GET ${major === 4 ? '/a//x' : '/a/X'}`,
    ],
    'methods, optional parameters and letters': [
      (app) =>
        app
          .get(major === 4 ? '/x/:id?' : '/x{/:id}', h)
          .all('/y', guard, h)
          .head('/z', h)
          .options('/z', h),
      `GET ${major === 4 ? '/x/:id?' : '/x{/:id}'} open`,
      'ALL /y refused',
    ],
    'an answer of the first function of a route': [
      (app) => app.get('/x', (_req, res, _next) => void res.send('public'), guard, h),
      'GET /x open',
    ],
    'a handler with a guard after it': [(app) => app.get('/x', h, guard, h), 'GET /x open'],
    'handlers in nested lists': [
      (app) =>
        app.get('/x', [pass, [guard]] as RequestHandler[], h).get('/y', [[pass]] as unknown as RequestHandler[], h),
      'GET /x refused pass',
      'GET /y open',
    ],
  };
  if (major === 4)
    table['characters of an expression in a path'] = [
      (app) => app.get('/ab?cd', h).get('/ef+g', guard, h).get('/:lang(en|fr)/x', h).get('/h(ij)?k', guard, h),
      'GET /ab?cd open',
      'GET /ef+g refused',
      'GET /:lang(en|fr)/x open',
      'GET /h(ij)?k refused',
    ];

  async function linesOf(mount: Mount, timeoutMs = 2_000): Promise<string[]> {
    const app = express();
    mount(app);
    app.use(quiet);
    const { routes } = await askRoutes(app as Express & App, { timeoutMs });
    return routes.map(({ method, path, verdict, isShape, request, early }) =>
      [method, path, verdict, ...(isShape ? [request] : []), ...early].join(' '),
    );
  }

  for (const [title, [mount, ...lines]] of Object.entries(table)) {
    it(`judges ${title}`, async () => {
      expect(await linesOf(mount, title.includes('never answer') ? 500 : 2_000)).to.deep.equal(lines);
      expect(ran.splice(0)).to.deep.equal([]);
    });
  }

  it('notes the status of a handler that ran, and takes its word about an input for none about the caller', async () => {
    const app = express()
      .post('/reset', (_req, res, _next) => void res.status(400).send('"token" is required'))
      .get('/x', (_req, res, _next) => void res.status(302).send(''))
      .get('/auth', (_req, _res, next) => next());
    const { routes } = await askRoutes(app as Express & App, { runs: 'all' });
    expect(routes.map(({ verdict, ranTo }) => [verdict, ranTo])).to.deep.equal([
      ['open', 400],
      ['open', 302],
      ['open', 404],
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
    const paths = Array.from({ length: 50 }, (_, at) => `/x${at}`);
    const lines = await linesOf(
      (app) => paths.map((path) => app.get(path, path.endsWith('0') ? pass : hold, h)),
      2_000,
    );
    expect(lines).to.deep.equal(paths.map((path) => `GET ${path} ${path.endsWith('0') ? 'open' : 'refused'}`));
    expect(most).to.equal(24);
  });
});

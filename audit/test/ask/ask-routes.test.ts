import { expect } from 'chai';
import type { Express, RequestHandler, Router } from 'express';
import { askRoutes } from '../../src/ask/ask-routes.js';
import { isApp } from '../../src/ask/routes.js';
import { accountStore } from '../../../test/helpers/accounts.js';
import { settle } from '../../../test/helpers/until.js';
import { onEveryExpress } from '../../../test/helpers/on-each-express.js';

type Mount = (app: Express) => unknown;

onEveryExpress('askRoutes', ({ major, express, auth }) => {
  const userStore = accountStore();
  let handled = 0;
  const h: RequestHandler = (_req, res) => {
    handled += 1;
    res.json({});
  };
  const pass: RequestHandler = (_req, _res, next) => next();
  const guard = () => auth.requireBearer({ userStore }) as RequestHandler;
  const answer =
    (status: number, text = ''): RequestHandler =>
    (_req, res, _next) =>
      void res.status(status).send(text);
  const router = (): Router => express.Router();
  const token: RequestHandler = (req, res, next) => (req.get('authorization') ? next() : void res.status(401).end());

  async function linesOf(mount: Mount): Promise<string[]> {
    const app = express();
    mount(app);
    app.use(auth.authErrorHandler());
    const { routes } = isApp(app) ? await askRoutes(app, { timeoutMs: 300 }) : expect.fail();
    return routes.map(({ method, path, verdict, isShape, request, early }) =>
      [method, path, verdict, ...(isShape ? [request] : []), ...early].join(' '),
    );
  }

  const table: Record<string, readonly [Mount, ...string[]]> = {
    'no guard': [(app) => app.get('/x', h), 'GET /x open'],
    'a guard above': [(app) => app.use(guard()).get('/x', h), 'GET /x refused'],
    'a guard after': [(app) => app.get('/x', h).use(guard()), 'GET /x open'],
    'a guard of somebody else, on one route': [
      (app) => app.get('/x', token, h).post('/x', h),
      ...['GET /x refused', 'POST /x open'],
    ],
    'a guard in an async function': [
      (app) =>
        app
          .use(async (req, res, next) => {
            await Promise.resolve();
            guard()(req, res, next);
          })
          .get('/x', h),
      'GET /x refused',
    ],
    'a guard except below a prefix': [
      (app) =>
        app
          .use((req, res, next) => (req.path.startsWith('/public') ? next() : guard()(req, res, next)))
          .get('/public/a', h)
          .get('/b', h),
      ...['GET /public/a open', 'GET /b refused'],
    ],
    'app.route().all': [
      (app) => app.route('/m').all(guard()).get(h).post(h),
      'ALL /m refused',
      'GET /m refused',
      'POST /m refused',
    ],
    'a function before the guard': [(app) => app.get('/x/:id', pass, guard(), h), 'GET /x/:id refused pass'],
    'guarded and open routers': [
      (app) => app.use('/v1', guard(), router().get('/x', h)).use('/v2', router().get('/x', h)),
      ...['GET /v1/x refused', 'GET /v2/x open'],
    ],
    'a guard of one letter case': [
      (app) =>
        app.use((req, res, next) => (req.path.startsWith('/v1') ? guard()(req, res, next) : next())).get('/v1/x', h),
      'GET /v1/x open GET /V1/x',
    ],
    'a guard beside a router': [
      (app) => app.use('/v1/pay', guard()).use('/v1', router().get('/pay', h)),
      major === 4 ? 'GET /v1/pay open GET /v1//pay' : 'GET /v1/pay refused',
    ],
    'sub-apps': [
      (app) => app.use('/s', express().use(guard()).get('/x', h)).use('/t', express().get('/x', h)),
      ...['GET /s/x refused', 'GET /t/x open'],
    ],
    'a sub-app in a router in a sub-app': [
      (app) => app.use('/s', express().use('/r', router().use('/q', express().get('/x', h)))),
      'GET /s/r/q/x open',
    ],
    'app.all': [(app) => app.all('/x', h).all('/y', guard(), h), 'ALL /x open', 'ALL /y refused'],
    'several paths': [
      (app) => app.use(['/a', '/b'], guard()).get(['/a', '/c'], h),
      ...['GET /a refused', 'GET /c open'],
    ],
    'a router at several paths': [
      (app) => app.use('/a', guard()).use(['/a', '/b/:id'], router().get('/x', h)),
      ...['GET /a/x refused', 'GET /b/:id/x open'],
    ],
    'a redirect to a login': [(app) => app.use((_req, res) => res.redirect('/login')).get('/x', h), 'GET /x refused'],
    'a validator before the guard': [
      (app) => app.post('/x', answer(400), guard(), h),
      'POST /x refused <anonymous> answers',
    ],
    'a validator, and no guard': [(app) => app.post('/x', answer(400), h), 'POST /x openWithInput <anonymous> answers'],
    'a function that fails': [(app) => app.use(answer(500)).get('/x', h), 'GET /x unclear'],
    'a route that another one hides': [(app) => app.get('/:any', h).get('/x', h), 'GET /:any open', 'GET /x unreached'],
    'a function at a path that answers': [(app) => app.use('/docs', answer(200)), 'USE /docs open'],
  };
  for (const [title, [mount, ...lines]] of Object.entries(table)) {
    it(`judges ${title}`, async () => {
      expect(await linesOf(mount)).to.deep.equal(lines);
    });
  }

  it('notes the status of a handler that ran, and takes its word about an input for none about the caller', async () => {
    const app = express().post('/reset', answer(400, '"token" is required')).get('/x', answer(302));
    const { routes } = isApp(app) ? await askRoutes(app, { runs: 'all' }) : expect.fail();
    expect(routes.map(({ verdict, ranTo }) => [verdict, ranTo])).to.deep.equal([
      ['open', 400],
      ['open', 302],
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
    const lines = await linesOf((app) => paths.map((path) => app.get(path, path.endsWith('0') ? pass : hold, h)));
    expect(lines).to.deep.equal(paths.map((path) => `GET ${path} ${path.endsWith('0') ? 'open' : 'refused'}`));
    expect(most).to.equal(24);
  });

  it('ran no handler', () => expect(handled).to.equal(0));
});

import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import type { Express, RequestHandler } from 'express';
import fc from 'fast-check';
import { askRoutes } from '../src/ask/ask-routes.js';
import type { App } from '../src/ask/routes.js';
import { accountStore } from '../../test/helpers/accounts.js';
import { MISSING_TOKEN } from '../../test/helpers/answers.js';
import { serve } from '../../test/helpers/http.js';
import { onEachExpress } from '../../test/helpers/on-each-express.js';
import { createSender, PROPERTY_TIMEOUT_MS, tryOut } from '../../test/helpers/trials.js';
import { copying, hiding, routerOfApp, wrapEach } from './audit-routes/wrappers.js';

const flag = fc.boolean();
const PATHS = fc.constantFrom('/a', '/A', '/:a', '/b-:a', '/a/:b');

/** Changes the path to a route into the path of a guard, which a request can evade in some of these ways. */
const VARIANTS = {
  same: (path: string) => path,
  upperCase: (path: string) => path.toUpperCase(),
  withSlash: (path: string) => `${path}/`,
  wider: (path: string) => path.replace(/^\/[^/{]+/, '/:x'),
  required: (path: string) => path.replace(/\{([^*}]*)\}|\?/g, '$1'),
  longer: (path: string) => `${path}/x`,
};

/** Generates an app: routers and apps in each other, a route in the last of them, and a guard in one of them. */
function appsOf(mounts: readonly string[], methods: readonly ('use' | 'all')[]) {
  const mount = fc.oneof(fc.constant(''), PATHS, fc.constantFrom(...mounts));
  const options = { caseSensitive: flag, strict: flag, mergeParams: flag };
  const level = fc.record({ path: mount, isApp: flag, isNamed: flag, ...options });
  return fc.record({
    levels: fc.array(level, { minLength: 2, maxLength: 3 }),
    route: fc.record({ path: mount, method: fc.constantFrom('get' as const, 'all' as const) }),
    guard: fc.record({
      level: fc.constantFrom(0, 0, 1, 2),
      length: fc.integer({ min: 1, max: 3 }),
      variant: fc.constantFrom(...Object.values(VARIANTS)),
      method: fc.constantFrom(...methods),
      isLate: fc.constantFrom(false, false, false, true),
    }),
    wrapping: fc.constantFrom(undefined, undefined, copying, hiding),
  });
}
type Generated = ReturnType<typeof appsOf> extends fc.Arbitrary<infer Value> ? Value : never;

onEachExpress('auditRoutes, compared with requests without a token', (framework) => {
  const { major, express, auth } = framework;
  const userStore = accountStore();
  /** Builds an app. The first level is the app itself. */
  function build({ levels, route, guard, wrapping }: Generated, isGuarded = true): Express[] {
    const routers = levels.map(({ isApp, caseSensitive, strict, mergeParams }, at) => {
      const isRouter = at > 0 && !isApp;
      const router = isRouter ? express.Router({ caseSensitive, strict, mergeParams }) : express();
      if (!isRouter) (router as Express).set('case sensitive routing', caseSensitive).set('strict routing', strict);
      if (wrapping) wrapEach(isRouter ? router : routerOfApp(router as Express), wrapping);
      return router;
    }) as Express[];
    const paths = [...levels.slice(1).map(({ path }) => path), `${route.path}/end`];
    for (const [at, router] of routers.entries()) {
      const guarded = paths.slice(at, at + guard.length).join('');
      const mountGuard = () =>
        isGuarded && at === guard.level % routers.length &&
        router[guard.method](guard.variant(guarded) || '/', auth.requireBearer({ userStore }) as RequestHandler);
      const inner = routers[at + 1];
      if (!guard.isLate) mountGuard();
      if (inner) router.use(paths[at] || '/', inner);
      else router[route.method](paths[at] ?? '/', (_req, res) => void res.end('reached'));
      if (guard.isLate) mountGuard();
    }
    return routers.filter((_, at) => at === 0 || (levels[at]?.isApp && levels[at].isNamed));
  }

  /** Returns paths that a route at this path answers. */
  const examplesOf = (path: string) => {
    const filled = path.replace(/\{\*w\}|\*w?/g, 'w').replace(/\{?(\/?):\w+(?:\([^)]*\))?\??\}?/g, '$1v');
    const short = path.replace(/\/\*|\*|\/\{\*w\}|\/:\w+\?|\{\/:\w+\}/g, '').replace(/:\w+/g, 'a');
    const doubled = [...filled.matchAll(/\b\//g)].map(
      ({ index }) => `${filled.slice(0, index)}/${filled.slice(index)}`,
    );
    const lower = filled.toLowerCase();
    const required = path.replace(/\/:\w+\?|\{\/:\w+\}/g, '').replace(/\{\*w\}|\*w?/g, 'w').replace(/:\w+(?:\([^)]*\))?/g, 'v');
    const texts = [required, filled, lower, filled.toUpperCase(), `${filled}/`, short].map((text) => text.replace(/\/+/g, '/'));
    const upper = [...doubled, ...[...filled.matchAll(/\b\//g)].flatMap(({ index }) => [...filled.slice(index + 1).matchAll(/\/|$/g)].map(({ index: end }) => filled.slice(0, index) + filled.slice(index, index + 1 + end).toUpperCase() + filled.slice(index + 1 + end)))];
    return [...texts, ...doubled, ...upper, ...doubled.map((one) => one.toLowerCase())];
  };

  it('names each route that a request can reach', async () => {
    const problems: string[] = [];
    let current: Express = express();
    const { port } = await serve((req: IncomingMessage, res: ServerResponse) => void current(req, res));
    const send = createSender(port);
    const mounts = major === 4 ? ['*', '/a/*', '/*w', '/:a?', '/:a(\\w)'] : ['/{*w}', '/a/{*w}', '/a/*w', '{/:a}'];
    await tryOut(
      appsOf(mounts, ['use', 'use', 'all']),
      ['200', `401 ${MISSING_TOKEN}`],
      async (generated) => {
        const { levels, route } = generated;
        const [app = express()] = build(generated);
        current = app;
        const { routes } = await askRoutes(app as unknown as App, { timeoutMs: 500 });
        const path = `${levels
          .slice(1)
          .map((level) => level.path)
          .join('')}${route.path}/end`;
        const isTold = routes.length === 0 || routes.some(({ verdict }) => verdict !== 'refused');
        const statuses = new Map<number, string>();
        for (const example of examplesOf(path)) statuses.set((await send({ method: 'GET', path: example, headers: [] })).status, example);
        const said = routes.map((one) => `${one.method} ${one.path} ${one.verdict} ${one.request}`).join('; ');
        const isOpen = statuses.has(200);
        if (isOpen && !isTold) problems.push(`MISSED ${statuses.get(200)} ${path}: ${said} ${JSON.stringify(generated, (_, v) => typeof v === 'function' ? String(v).slice(0,60) : v)}`);
        const isReal = async ({ verdict, request }: (typeof routes)[number]) => {
          const [method = '', path = ''] = request.split(' ');
          return verdict === 'open' && (await send({ method, path, headers: [] })).status === 200;
        };
        const reals = await Promise.all(routes.map(isReal));
        for (const [at, one] of routes.entries()) if (one.verdict === 'open' && !reals[at]) problems.push(`FALSE OPEN ${path}: ${said} ${JSON.stringify(generated, (_, v) => typeof v === 'function' ? String(v).slice(0,60) : v)}`);
        current = build(generated, false)[0] as Express;
        let canReach = false;
        for (const example of examplesOf(path)) canReach ||= (await send({ method: 'GET', path: example, headers: [] })).status === 200;
        if (!isOpen && isTold && canReach && !reals.includes(true)) problems.push(`FALSE ${path}: ${said} ${JSON.stringify(generated, (_, v) => typeof v === 'function' ? String(v).slice(0,60) : v)}`);
        return isOpen ? '200' : `401 ${MISSING_TOKEN}`;
      },
      major,
    );
    console.log(problems.length, problems.slice(0, 12).join('\n'));
  }).timeout(PROPERTY_TIMEOUT_MS);
});

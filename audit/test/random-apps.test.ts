import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import type { Express, RequestHandler } from 'express';
import fc from 'fast-check';
import { askRoutes } from '../src/ask/ask-routes.js';
import type { App } from '../src/ask/routes.js';
import { accountStore } from '../../test/helpers/accounts.js';
import { onEachExpress } from '../../test/helpers/on-each-express.js';
import { PROPERTY_TIMEOUT_MS, REQUESTS, SEED } from '../../test/helpers/trials.js';
import { copying, hiding, routerOfApp, wrapEach } from './ask/wrappers.js';

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
  const level = fc.record({ path: mount, isApp: flag, ...options });
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

onEachExpress('askRoutes, compared with requests without a token', (framework) => {
  const { major, express, auth } = framework;
  const userStore = accountStore();
  /** Builds an app. The first level is the app itself. */
  function build({ levels, route, guard, wrapping }: Generated, isGuarded = true): Express {
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
        isGuarded &&
        at === guard.level % routers.length &&
        router[guard.method](guard.variant(guarded) || '/', auth.requireBearer({ userStore }) as RequestHandler);
      const inner = routers[at + 1];
      if (!guard.isLate) mountGuard();
      if (inner) router.use(paths[at] || '/', inner);
      else router[route.method](paths[at] ?? '/', (_req, res) => void res.end('reached'));
      if (guard.isLate) mountGuard();
    }
    return routers[0] ?? expect.fail();
  }

  /** Returns paths that a route at this path answers, and some that only a part of the app takes for the same. */
  const examplesOf = (path: string) => {
    const wild = path.replace(/\{\*w\}|\*w?/g, 'w');
    const filled = wild.replace(/\{?(\/?):\w+(?:\([^)]*\))?\??\}?/g, '$1v');
    const required = wild.replace(/\/:\w+\?|\{\/:\w+\}/g, '').replace(/:\w+(?:\([^)]*\))?/g, 'v');
    const short = path.replace(/\/\*|\*|\/\{\*w\}|\/:\w+\?|\{\/:\w+\}/g, '').replace(/:\w+/g, 'a');
    const slashes = [...filled.matchAll(/\b\/|$/g)].map(({ index }) => index);
    const parts = slashes.flatMap((end) => [0, ...slashes].map((start) => [start, end] as const));
    const changed = parts.flatMap(([start, end]) => [
      filled.slice(0, start) + filled.slice(start, end).toUpperCase() + filled.slice(Math.max(start, end)),
      filled.slice(0, start) + filled.slice(start, end).toLowerCase() + filled.slice(Math.max(start, end)),
    ]);
    const doubled = slashes.map((index) => `${filled.slice(0, index)}/${filled.slice(index)}`);
    const texts = [filled, required, short, ...changed].map((text) => text.replace(/\/+/g, '/'));
    return [...new Set([...texts, ...doubled, ...doubled.map((text) => text.toLowerCase())])];
  };

  it('names each app whose handler a request reaches, and no other', async () => {
    const mounts = major === 4 ? ['*', '/a/*', '/*w', '/:a?', '/:a(\\w)'] : ['/{*w}', '/a/{*w}', '/a/*w', '{/:a}'];
    /** Asks without a connection, which would take longer than the rest of a trial. */
    const reaches = (app: Express, path: string, method = 'GET') =>
      new Promise<boolean>((resolve) => {
        const req = Object.assign(new IncomingMessage(new Socket().destroy()), { method, url: path });
        const res = new ServerResponse(req);
        res.end = () => (resolve(res.statusCode === 200), res);
        app(req, res);
      });
    const find = async (app: Express, paths: readonly string[]) => {
      for (const path of paths) if (await reaches(app, path)) return path;
      return undefined;
    };

    const met = new Set<boolean>();
    const property = fc.asyncProperty(appsOf(mounts, ['use', 'use', 'all']), async (generated) => {
      const app = build(generated);
      const inner = generated.levels.slice(1).map(({ path }) => path);
      const examples = examplesOf(`${inner.join('')}${generated.route.path}/end`);
      const { routes } = await askRoutes(app as Express & App);
      const named = routes.filter(({ verdict }) => verdict !== 'refused');
      for (const { request } of named.filter(({ verdict }) => verdict === 'open')) {
        const [method, path = ''] = request.split(' ');
        expect(await reaches(app, path, method), `${request} is open`).to.equal(true);
      }
      const open = await find(app, examples);
      if (open !== undefined) expect(named, open).not.to.deep.equal([]);
      // A route that nothing reaches even without the guard is named, too.
      else if (named.length > 0 && !named.some(({ verdict }) => verdict === 'open'))
        expect(await find(build(generated, false), examples), 'reached without the guard').to.equal(undefined);
      met.add(open !== undefined);
    });
    await fc.assert(property, { seed: SEED + major, numRuns: REQUESTS / 2 });
    expect(met).to.have.property('size', 2);
  }).timeout(PROPERTY_TIMEOUT_MS);
});

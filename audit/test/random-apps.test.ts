import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import type { Express, IRouter, RequestHandler } from 'express';
import fc from 'fast-check';
import { auditRoutes } from '../src/index.js';
import { accountStore } from '../../test/helpers/accounts.js';
import { serve } from '../../test/helpers/http.js';
import { onEachExpress } from '../../test/helpers/on-each-express.js';
import { createSender, PROPERTY_TIMEOUT_MS, tryOut } from '../../test/helpers/trials.js';
import { copying, hiding, routerOfApp, wrapEach } from './audit-routes/wrappers.js';

/** A part of an app, at a path. An empty path stands for none. */
type Part =
  | { readonly kind: 'guard'; readonly path: string }
  | { readonly kind: 'middleware'; readonly path: string }
  | { readonly kind: 'param'; readonly path: string }
  | {
      readonly kind: 'route';
      readonly path: string;
      readonly method: 'get' | 'post' | 'all';
      readonly before: Before[];
    }
  | { readonly kind: 'router' | 'app'; readonly path: string; readonly parts: readonly Part[]; readonly is: Options };
type Before = 'guard' | 'middleware';

interface Options {
  readonly caseSensitive: boolean;
  readonly strict: boolean;
  readonly mergeParams: boolean;
  /** For an app: the test names it in `apps`. */
  readonly isNamed: boolean;
}

/** A route of a generated app: its last segment, which no other route has, and a path that can reach it. */
interface Built {
  readonly end: string;
  readonly method: string;
  readonly path: string;
  readonly isHidden: boolean;
}

const PREFIXES = ['', '/a', '/:a', '/b-:a', '/a/:b'];

/** Generates the parts of an app. `more` has the paths of one version of Express. */
function partsOf(more: readonly string[]): fc.Arbitrary<readonly Part[]> {
  const mounts = ['', '', '', ...PREFIXES, '/A', '/a/', '/r0', '/r1', '/:a/r1', '/a/r2', '/a/:b/r3', ...more];
  const path = fc.constantFrom(...mounts);
  const flag = fc.boolean();
  return fc.letrec<{ parts: readonly Part[]; part: Part; leaf: Part }>((tie) => ({
    leaf: fc.oneof(
      { arbitrary: fc.record({ kind: fc.constant('guard' as const), path }), weight: 2 },
      fc.constantFrom<Part>({ kind: 'middleware', path: '' }, { kind: 'param', path: 'a' }),
      fc.record({
        kind: fc.constant('route' as const),
        path: fc.constantFrom(...PREFIXES),
        method: fc.constantFrom('get' as const, 'post' as const, 'all' as const),
        before: fc.array(fc.constantFrom<Before>('guard', 'middleware'), { maxLength: 2 }),
      }),
    ),
    part: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('leaf'),
      fc.record({
        kind: fc.constantFrom('router' as const, 'app' as const),
        path,
        parts: tie('parts'),
        is: fc.record({ caseSensitive: flag, strict: flag, mergeParams: flag, isNamed: flag }),
      }),
    ),
    parts: fc.array(tie('part'), { minLength: 1, maxLength: 4 }),
  })).parts;
}

onEachExpress('auditRoutes, compared with requests without a token', (framework) => {
  const { major, express, auth } = framework;
  const userStore = accountStore();
  let ran = 0;
  const middleware: RequestHandler = (_req, _res, next) => {
    ran += 1;
    next();
  };

  function build(parts: readonly Part[], wrap: (router: object) => unknown) {
    const built: Built[] = [];
    const apps: Express[] = [];
    const guard = () => auth.requireBearer({ userStore }) as RequestHandler;
    const fill = (router: IRouter, above: string, content: readonly Part[], isHidden: boolean) => {
      for (const part of content) {
        const at = part.path || '/';
        if (part.kind === 'guard') router.use(at, guard());
        else if (part.kind === 'middleware') router.use(middleware);
        else if (part.kind === 'param') router.param('a', (_req, _res, next) => next());
        else if (part.kind === 'route') {
          const end = `/r${built.length}`;
          const before = part.before.map((name) => (name === 'guard' ? guard() : middleware));
          router[part.method](part.path + end, ...before, (_req, res) => void res.end(end));
          built.push({ end, method: part.method === 'post' ? 'POST' : 'GET', path: above + part.path + end, isHidden });
        } else {
          const { caseSensitive, strict, isNamed } = part.is;
          const inner = part.kind === 'app' ? express() : express.Router(part.is);
          if (part.kind === 'app') {
            (inner as Express).set('case sensitive routing', caseSensitive).set('strict routing', strict);
            if (isNamed) apps.push(inner as Express);
          }
          wrap(part.kind === 'app' ? routerOfApp(inner as Express) : inner);
          router.use(at, inner as RequestHandler);
          // An app that is not named, or that shares its path with another one, is a function that cannot be walked.
          fill(inner, above + part.path.replace(/\/$/, ''), part.parts, isHidden || part.kind === 'app');
        }
      }
    };
    const app = express();
    wrap(routerOfApp(app));
    fill(app, '', parts, false);
    return { app, apps, built };
  }

  /** Returns paths that a route at this path answers. */
  const examplesOf = (path: string) => {
    const filled = path.replace(/\{\*w\}|\*/g, 'w').replace(/\{?(\/?):\w+\??\}?/g, '$1v');
    const short = path.replace(/\/\*|\*|\/\{\*w\}|\/:\w+\?|\{\/:\w+\}/g, '').replace(/:\w+/g, 'a');
    const doubled = [...filled.matchAll(/\b\//g)].map(
      ({ index }) => `${filled.slice(0, index)}/${filled.slice(index)}`,
    );
    const texts = [filled, filled.toUpperCase(), `${filled}/`, short].map((text) => text.replace(/\/+/g, '/'));
    return [...texts, ...doubled];
  };

  it('names each route that a request can reach', async () => {
    let current: Express = express();
    const { port } = await serve((req: IncomingMessage, res: ServerResponse) => void current(req, res));
    const send = createSender(port);
    const more = major === 4 ? ['*', '/a/*', '/*w', '/:a?', '/:a(\\w)'] : ['/{*w}', '/a/{*w}', '/a/*w', '{/:a}'];
    const wrapping = fc.constantFrom('same' as const, 'same' as const, 'copying' as const, 'hiding' as const);
    const wrappers = {
      same: () => undefined,
      copying: (router: object) => wrapEach(router, copying),
      hiding: (router: object) => wrapEach(router, hiding),
    };
    await tryOut(
      fc.record({ parts: partsOf(more), wrapping }),
      ['200', '401 missing_token'],
      async ({ parts, wrapping: name }) => {
        const { app, apps, built } = build(parts, wrappers[name]);
        current = app;
        const { findings } = auditRoutes(app, { apps });
        let isOpen = false;
        for (const { method, path } of built) {
          for (const example of examplesOf(path)) {
            const { text, status } = await send({ method, path: example, headers: [] });
            const open = status === 200 ? built.find(({ end }) => end === text) : undefined;
            if (!open) continue;
            isOpen = true;
            const isNamed = findings.some((line) => line.endsWith(`${open.end}: no guard`));
            const isHidden = open.isHidden || name === 'hiding';
            const isTold = isHidden && findings.some((line) => line.endsWith(': cannot be walked'));
            expect(isNamed || isTold, `${method} ${example} reached ${open.end}: ${findings.join('; ')}`).to.equal(
              true,
            );
          }
        }
        return isOpen ? '200' : '401 missing_token';
      },
      major,
    );
    expect(ran).to.be.above(0);
  }).timeout(PROPERTY_TIMEOUT_MS);
});

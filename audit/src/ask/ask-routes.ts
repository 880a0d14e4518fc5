import type { IncomingMessage } from 'node:http';
import type { App, Handle, Route } from './express-types.js';
import { isLimiter, listenIn } from './listen-in.js';
import { serve } from './loopback.js';
import { pathsFor, shapesOf, type ValueOf } from './requests.js';
import { type Found, handlersOf, methodsOf, routerOf, walk } from './routes.js';
import type { Asked, Trail } from './trail.js';
import { isBesideThePoint, isOk, isRefusal, judge, type Outcome, type Verdict } from './verdict.js';

export interface AskOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** The handlers that run after all, if nothing refused, to see if they refuse. Default: `none` */
  readonly runs?: 'none' | 'get' | 'all';
  readonly timeoutMs?: number;
  readonly parameter?: ValueOf;
  readonly bodyOf?: () => string;
  /** A query with its question mark. */
  readonly query?: string;
  /** The routes that a framework (NestJS) made, whose guards come in their handler. */
  readonly gated?: ReadonlySet<Route>;
  /** Gets a function, which the gate of the framework calls. It returns true for a request of the audit, which then ends. */
  readonly onGate?: (reachedIn: (req: IncomingMessage) => boolean) => void;
  readonly onRoute?: (done: number, of: number) => void;
}

export interface AskedRoute {
  readonly method: string;
  readonly path: string;
  readonly verdict: Verdict;
  /** The status of the answer, and 0 without one. */
  readonly status: number;
  /** The name of the function that answered, and '' if none did. */
  readonly by: string;
  /** The request that decided, for example `GET /V1/x`. */
  readonly request: string;
  /** Refused, but open in another shape of the path. */
  readonly isShape: boolean;
  /** The functions that run before the guard. */
  readonly early: readonly string[];
  readonly handler?: Handle | undefined;
  readonly refuser?: Handle | undefined;
  /** The status of the handler, where it ran. */
  readonly ranTo?: number | undefined;
  readonly route: Route | undefined;
}

const METHODS_OF_ALL = ['get', 'post', 'put', 'patch', 'delete'];
const UNASKED = new Set<string | undefined>(['options', 'head', 'connect']);
/** The most functions that are left out of one request. */
const MOST_LEFT_OUT = 5;

/** Asks each route of an app as a caller without a token. No handler of a route runs, only the functions before it. */
export async function askRoutes(
  app: App,
  options: AskOptions = {},
): Promise<{ routes: readonly AskedRoute[]; asked: number }> {
  const { headers = {}, runs = 'none', timeoutMs = 2_000, parameter, bodyOf = () => '{}', query = '' } = options;
  const { gated = new Set(), onGate, onRoute } = options;
  const router = routerOf(app);
  const root: Found = { layer: { handle: app, name: '' }, path: '', inner: router };
  const found = [root, ...walk(router)];
  const trails = new WeakMap<IncomingMessage, Trail>();
  const limiters = new Set<Handle>();
  const guards = new Set<Route>();
  const loopback = await serve(app, trails, { headers, timeoutMs });

  /** Asks until something refuses the caller or the handler is reached. What answers for another reason is left out. */
  async function ask(method: string, path: string, aim: Route | undefined, order: number, runsHandler = false) {
    const leftOut = new Map<Handle, 'input' | 'other'>([...limiters].map((fn) => [fn, 'other']));
    const asked: Asked = { method, path: path + query, aim, leftOut, runsHandler };
    const body = /^(?:post|put|patch)$/.test(method) ? bodyOf() : undefined;
    for (;;) {
      const answer = await loopback.ask(asked, body);
      const isAnswerer = (one: (typeof answer.ran)[number]) => !one.passed && !isLimiter(one) && !leftOut.has(one.fn);
      const by = answer.reached ? undefined : answer.ran.find(isAnswerer);
      const isOwn = by && by.order <= order && !by.isThrough && (!by.route || by.route === aim);
      if (!isOwn || !isBesideThePoint(answer) || leftOut.size - limiters.size >= MOST_LEFT_OUT) {
        const inputs = answer.ran.filter(({ fn }) => leftOut.get(fn) === 'input');
        return { ...answer, path, by, inputs } satisfies Outcome;
      }
      leftOut.set(by.fn, answer.status === 429 || answer.location !== undefined ? 'other' : 'input');
      if (answer.status === 429) limiters.add(by.fn);
    }
  }

  async function askMethod(
    method: string | undefined,
    { path, order }: { path: Found['path']; order: number },
    route: Route,
  ) {
    const named = methodsOf(route);
    const methods = method ? [method] : METHODS_OF_ALL.filter((one) => !named.includes(one));
    const outcomes: Outcome[] = [];
    for (const one of methods) {
      for (const url of pathsFor(path, parameter)) {
        const outcome = await ask(one, url, route, order);
        outcomes.push(outcome);
        if (outcome.reached === route && outcome.inputs.length === 0) break;
      }
    }
    for (const outcome of outcomes)
      for (const { isThrough, passed, route: through } of outcome.ran)
        if (isThrough && through && (passed || isRefusal(outcome))) guards.add(through);
    const plain = judge(outcomes, route, order);
    if (plain.verdict !== 'refused' && plain.verdict !== 'unreached') return { ...plain, isShape: false };
    const isAnswered = (one: Outcome) => plain.verdict === 'unreached' || isRefusal(one);
    const bases = new Map(
      outcomes
        .filter(isAnswered)
        .map((one) => [/\(/.test(String(path)) ? one.path : one.path.split('/').length, one.path]),
    );
    const shaped: Outcome[] = [];
    for (const one of methods)
      for (const base of bases.values())
        for (const url of shapesOf(base)) shaped.push(await ask(one, url, route, order));
    const worse = judge(shaped, route, order);
    const isShape = plain.verdict === 'refused' && worse.verdict === 'open';
    return { ...(isShape || plain.verdict === 'unreached' ? worse : plain), isShape };
  }

  async function askRoute(route: Route, path: Found['path'], order: number): Promise<AskedRoute[]> {
    const rows: AskedRoute[] = [];
    for (const method of methodsOf(route).filter((one) => !UNASKED.has(one))) {
      const { verdict, outcome, by, isShape, early } = await askMethod(method, { path, order }, route);
      const row = { method: method?.toUpperCase() ?? 'ALL', path: String(path), verdict, isShape, early, route };
      const isRun = runs === 'all' || (runs === 'get' && outcome?.method === 'get');
      const real =
        verdict === 'open' && outcome && isRun && !gated.has(route)
          ? await ask(outcome.method, outcome.path, route, order, true)
          : undefined;
      const handler = handlersOf(route).findLast((one) => !one.method || !method || one.method === method);
      rows.push({
        ...row,
        ...(real && isRefusal(real) && { verdict: 'refused' as const }),
        status: (real && isRefusal(real) ? real : outcome)?.status ?? 0,
        by: real && isRefusal(real) ? 'its handler' : (by?.name ?? ''),
        request: outcome ? `${outcome.method.toUpperCase()} ${outcome.path}` : '',
        handler: handler && handlers.get(handler),
        refuser: by?.fn,
        ranTo: real?.status,
      });
    }
    return rows;
  }

  /** A function that is mounted at a path, for example a proxy or GraphQL, can answer as a route does. */
  async function askMounted({ layer, path, inner }: Found, order: number): Promise<AskedRoute[]> {
    if (inner || path === '/' || path === '') return [];
    const [url] = pathsFor(path);
    if (url === undefined) return [];
    const outcome = await ask('get', url, undefined, order);
    const { by, status } = outcome;
    if (by?.layer !== layer || isRefusal(outcome)) return [];
    const verdict = isOk(outcome) ? 'open' : 'unclear';
    const row = { method: 'USE', path: String(path), verdict, status, by: by.name, request: `GET ${url}` } as const;
    return [{ ...row, isShape: false, early: [], handler: by.fn, refuser: by.fn, route: undefined }];
  }

  const handlers = new Map(
    found.flatMap(({ layer: { route } }) => (route?.stack ?? []).map((one) => [one, one.handle])),
  );
  const putBack = listenIn(found, { trailOf: (req) => trails.get(req), gated });
  onGate?.((req) => {
    const trail = trails.get(req);
    if (!trail) return false;
    trail.reached = trail.ran.findLast(({ route }) => route)?.route;
    trail.end(299);
    return true;
  });
  try {
    const rows: AskedRoute[] = [];
    for (const [order, { layer, path }] of found.entries()) {
      if (layer.route) rows.push(...(await askRoute(layer.route, path, order)));
      onRoute?.(order + 1, found.length);
    }
    for (const [order, one] of found.entries()) if (!one.layer.route) rows.push(...(await askMounted(one, order)));
    return { routes: rows.filter(({ route }) => !route || !guards.has(route)), asked: loopback.asked() };
  } finally {
    putBack();
    loopback.close();
  }
}

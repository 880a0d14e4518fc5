import type { IncomingMessage } from 'node:http';
import { createAsk } from './ask.js';
import { askMounted } from './ask-mounted.js';
import type { App, Layer, Route, Router } from './express-types.js';
import { judgeRoute } from './judge-route.js';
import { leaveOutUnknown, listenIn } from './listen-in.js';
import { type Requests, serve } from './loopback.js';
import type { ValueOf } from './requests.js';
import { type Called, endsInRouter, type Found, methodsOf, routerOf, walk } from './routes.js';
import { type AskedRoute, rowOf } from './row.js';
import { isRefusalOfHandler } from './verdict.js';

export type { AskedRoute } from './row.js';

export interface AskOptions extends Requests {
  readonly runs?: 'none' | 'get' | 'all';
  readonly parameter?: ValueOf;
  /** Routes of NestJS: their guards come in their handler. */
  readonly gated?: ReadonlySet<Route>;
  /** Gets a function for the framework's gate. It ends a request of the audit, and returns true for it. */
  readonly onGate?: (reachedIn: (req: IncomingMessage) => boolean) => void;
  readonly onRoute?: (done: number, of: number) => void;
}

const UNASKED = new Set<string | undefined>(['options', 'head', 'connect']);
/** Of one function of the host. */
const MOST_ROUTERS = 8;
let lastAsking: Promise<unknown> = Promise.resolve();

/**
 * Asks each route without a token. No handler runs, only the functions before it. Calls wait for each other: apps can
 * share routers.
 */
export function askRoutes(app: App, options: AskOptions = {}): Promise<{ routes: AskedRoute[]; asked: number }> {
  const asking = lastAsking.then(() => askAgain(app, options, new Map()));
  lastAsking = asking.catch(() => undefined);
  return asking;
}

/** Asks until no function of the host calls an unknown router. */
async function askAgain(
  app: App,
  options: AskOptions,
  known: Map<Layer, readonly Router[]>,
  left = MOST_ROUTERS,
): ReturnType<typeof askApp> {
  const calls = new Map<Layer, Set<Router>>();
  const answers = await askApp(app, options, known, calls);
  let isNew = false;
  for (const [layer, now] of calls) {
    const before = known.get(layer) ?? [];
    // A function that makes a router for each request calls none of them again.
    const isMaking = before.length > 0 && !before.some((one) => now.has(one));
    const routers = isMaking ? before.slice(0, 1) : [...new Set([...before, ...now])].slice(0, MOST_ROUTERS);
    isNew ||= routers.length !== before.length;
    known.set(layer, routers);
  }
  return isNew && left > 0 ? askAgain(app, options, known, left - 1) : answers;
}

async function askApp(
  app: App,
  options: AskOptions,
  called: Called,
  calls: Map<Layer, Set<Router>>,
): Promise<{ routes: AskedRoute[]; asked: number }> {
  const { runs = 'none', parameter, gated = new Set(), onGate, onRoute } = options;
  const router = routerOf(app);
  // The app's router can have callbacks of `param` too.
  const found: readonly Found[] = [
    { layer: { handle: app, name: '' }, path: '', template: '', inner: router ? [router] : [] },
    ...walk(router, called),
  ];
  const guards = new Set<Route>();
  const changes: (() => void)[] = [];
  const loopback = await serve(app, options);
  const ask = createAsk(loopback.ask);

  /** Returns functions that run the handlers where `runs` wants that. */
  async function askRoute(route: Route, { path, template }: Found, order: number) {
    const target = { template, route, order };
    const methods = methodsOf(route).filter((one) => !UNASKED.has(one) && !endsInRouter(route, one));
    const judged = await Promise.all(
      methods.map((method) => judgeRoute(route, target, method, { ask, parameter, guards })),
    );
    return judged.map((one, at) => async (): Promise<AskedRoute> => {
      const row = rowOf({ method: methods[at] ?? 'all', path, route }, one);
      const { trail, verdict } = one;
      const isRun = runs === 'all' || (runs === 'get' && trail?.method === 'get');
      const isAnswered = trail?.reached && trail.by;
      if (!isRun || !trail || verdict !== 'open' || isAnswered || gated.has(route)) return row;
      const real = await ask(trail.method, trail.path, target, true);
      if (isRefusalOfHandler(real)) return { ...row, verdict: 'refused', status: real.status, by: 'its handler' };
      return { ...row, ranTo: real.status };
    });
  }

  try {
    leaveOutUnknown(found, loopback.trailOf, changes, calls);
    listenIn(found, called, loopback.trailOf, gated, changes);
    onGate?.((req) => {
      const trail = loopback.trailOf(req);
      if (trail) trail.reached = trail.ran.findLast(({ route }) => route)?.route;
      trail?.end(200);
      return trail !== undefined;
    });
    // Functions at the root can call routers that no route leads to.
    await ask('get', '/', { template: '', route: undefined, order: 0 });
    let done = 0;
    const asking = found.map(async (one, order) => {
      const rows = one.layer.route ? await askRoute(one.layer.route, one, order) : [];
      onRoute?.((done += 1), found.length);
      return rows;
    });
    const routes: AskedRoute[] = [];
    for (const finish of (await Promise.all(asking)).flat()) routes.push(await finish());
    const mounted = (await Promise.all(found.map((one, order) => askMounted(one, order, found, ask)))).flat();
    const own = routes.filter(({ route }) => !route || !guards.has(route));
    return { routes: [...own, ...mounted], asked: loopback.asked() };
  } finally {
    for (const undo of changes.reverse()) undo();
    loopback.close();
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App, Handle, Layer, Route, Router } from './express-types.js';
import { templatesOf } from './templates.js';

export type { App, Route } from './express-types.js';

/** The routers that functions of the host call. */
export type Called = ReadonlyMap<Layer, readonly Router[]>;

/** A layer at one of its paths. */
export interface Found {
  readonly layer: Layer;
  /** From the root of the app, as the host wrote it. */
  readonly path: string | RegExp;
  /** The path, with parameters in place of a regular expression. */
  readonly template: string;
  /** More than one where a function of the host chooses. */
  readonly inner: readonly Router[];
}

export function isApp(value: unknown): value is App {
  const { set, handle } = (typeof value === 'function' ? value : {}) as Partial<App>;
  return typeof set === 'function' && typeof handle === 'function';
}

/** Takes an app or a router. */
export function routerOf(handle: unknown): Router | undefined {
  if (typeof handle !== 'function') return undefined;
  const { stack, lazyrouter, _router } = handle as unknown as Record<string, unknown>;
  // An app of connect has a stack without `params`.
  if (Array.isArray(stack) && 'params' in handle) return handle as unknown as Router;
  // In Express 4, `app.router` throws.
  if (typeof lazyrouter === 'function') return (_router ?? { stack: [] }) as Router;
  return isApp(handle) ? (handle as unknown as { router: Router }).router : undefined;
}

export function routesOf(app: App): { method: string; path: string | RegExp; route: Route }[] {
  return [...walk(routerOf(app))].flatMap(({ layer: { route }, path }) =>
    route ? methodsOf(route).map((method) => ({ method: method?.toUpperCase() ?? 'ALL', path, route })) : [],
  );
}

/** Yields the layers at any depth, each at each of its paths. */
export function* walk(
  router: Router | undefined,
  called: Called = new Map(),
  above = '',
  aboveTemplate = '',
): Generator<Found> {
  if (!router) return;
  const inRoutes = new Set<Router>();
  for (const layer of router.stack) {
    const { route } = layer;
    const inner = routersIn(layer, called);
    for (const path of pathsOf(layer)) {
      const [template = ''] = path instanceof RegExp ? templatesOf(path) : [path];
      const [at, templateAt] = [join(above, String(path)), join(aboveTemplate, template)];
      const shown = path instanceof RegExp && above === '' ? path : at || '/';
      const found = { layer, path: shown, template: templateAt, inner };
      if (!route) {
        yield found;
        for (const one of inner) yield* walk(one, called, at, templateAt);
        continue;
      }
      // A router in a route gets the whole path, and answers before the route.
      for (const one of inner) {
        if (!inRoutes.has(one)) yield* walk(one, called, above, aboveTemplate);
        inRoutes.add(one);
      }
      yield found;
    }
  }
}

/** Returns lower case, and `undefined` for all methods. */
export function methodsOf(route: Route): readonly (string | undefined)[] {
  const named = [...new Set(handlersOf(route).map(({ method }) => method))];
  // app.all adds a handler for each method that Node.js knows.
  return named.length > 30 ? [undefined] : named;
}

/** Returns the functions for a method, by default for all, without error handlers. */
export function handlersOf(route: Route, method?: string): readonly Layer[] {
  const isFor = (one: Layer) => one.handle.length <= 3 && (!method || !one.method || one.method === method);
  return route.stack.filter(isFor);
}

function routersIn(layer: Layer, called: Called): readonly Router[] {
  // app.all adds its functions once for each method.
  const routers = (layer.route?.stack ?? [layer]).flatMap(
    (one) => called.get(one) ?? routerOf(one.handle) ?? hiddenIn(one) ?? [],
  );
  return [...new Set(routers)];
}

/** Returns true if the routes of a router are the end of this one. */
export function endsInRouter(route: Route, method: string | undefined): boolean {
  return routerOf(handlersOf(route, method).at(-1)?.handle) !== undefined;
}

function join(above: string, path: string): string {
  // In Express 4, the wildcard of an inner router has no slash.
  return above + (path === '/' ? '' : path.replace(/\/+$/, '').replace(/^(?=\*)/, above && '/'));
}

function pathsOf({ route, slash, regexp, keys = [], rawPath = '(unknown path)' }: Layer): readonly (string | RegExp)[] {
  if (route) return [route.path].flat(Infinity) as (string | RegExp)[];
  if (slash || regexp?.fast_slash) return ['/'];
  if (!regexp) return [rawPath].flat(Infinity) as (string | RegExp)[];
  return templatesOf(
    regexp,
    keys.map(({ name }) => name),
  );
}

/**
 * Returns the router of a mounted app, which Express hides in a function. The app puts its prototype on the request,
 * which then loses its URL, so that no function runs.
 */
function hiddenIn({ handle, name }: Layer): Router | undefined {
  if (name !== 'mounted_app') return undefined;
  const seen: (Router | undefined)[] = [];
  const shown = { app: { request: {}, response: {} }, method: 'GET', headers: {}, url: '/' };
  const setPrototypeOf = (_: object, proto: object | null) => {
    seen.push(routerOf(Reflect.get(Object(proto), 'app')));
    shown.url = '';
    return true;
  };
  const res = { setHeader: () => undefined, getHeader: () => undefined, locals: {} } as unknown as ServerResponse;
  try {
    handle(new Proxy(shown, { setPrototypeOf }) as unknown as IncomingMessage, res, () => undefined);
  } catch {
    // A function of the host has the same name.
  }
  return seen[0];
}

/** Returns the object whose `handle` all routers of this Express call. */
export function ownerOfHandle(router: Router): { handle: Handle } {
  let owner = router as object as { handle: Handle };
  while (!Object.hasOwn(owner, 'handle')) owner = Object.getPrototypeOf(owner) as typeof owner;
  return owner;
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { mountPathsOf } from './express4-paths.js';
import type { App, Layer, Route, Router } from './express-types.js';

export type { App, Route } from './express-types.js';

/** A layer at one of its paths. A layer without a route or a router is middleware. */
export interface Found {
  readonly layer: Layer;
  /** The path from the root of the app, as the host wrote it. */
  readonly path: string | RegExp;
  /** The router in the layer. */
  readonly inner?: Router | undefined;
}

export function isApp(value: unknown): value is App {
  const { set, handle } = (typeof value === 'function' ? value : {}) as Partial<App>;
  return typeof set === 'function' && typeof handle === 'function';
}

/** Returns the router of an app, or the router itself, and `undefined` for any other value. */
export function routerOf(handle: unknown): Router | undefined {
  if (typeof handle !== 'function') return undefined;
  const { stack, lazyrouter, _router } = handle as unknown as Record<string, unknown>;
  if (Array.isArray(stack)) return handle as unknown as Router;
  // In Express 4, `app.router` throws.
  if (typeof lazyrouter === 'function') return (_router ?? { stack: [] }) as Router;
  return isApp(handle) ? (handle as unknown as { router: Router }).router : undefined;
}

/** Returns the method and the path of each route, in the order of the app. */
export function routesOf(app: App): { method: string; path: string | RegExp; route: Route }[] {
  return [...walk(routerOf(app))].flatMap(({ layer: { route }, path }) =>
    route ? methodsOf(route).map((method) => ({ method: method?.toUpperCase() ?? 'ALL', path, route })) : [],
  );
}

/** Yields each layer of a router at each of its paths, and the layers of the routers in it. */
export function* walk(router: Router | undefined, above = ''): Generator<Found> {
  if (!router) return;
  for (const layer of router.stack) {
    const inner = layer.route ? undefined : innerOf(layer, router);
    for (const path of pathsOf(layer)) {
      const at =
        above +
        (path === '/'
          ? ''
          : String(path)
              .replace(/\/+$/, '')
              .replace(/^\*/, above === '' ? '*' : '/*'));
      yield { layer, path: path instanceof RegExp && above === '' ? path : at || '/', inner };
      yield* walk(inner, at);
    }
  }
}

function innerOf(layer: Layer, outer: Router): Router | undefined {
  return (
    routerOf(layer.handle) ??
    (['mounted_app', 'router', 'app'].includes(layer.name) ? hiddenIn(layer, outer) : undefined)
  );
}

/** Returns the methods that a route names, in lower case, and `undefined` for all of them. */
export function methodsOf(route: Route): readonly (string | undefined)[] {
  const named = [...new Set(handlersOf(route).map(({ method }) => method))];
  // app.all adds a handler for each method that Node.js knows.
  return named.length > 30 ? [undefined] : named;
}

/** Returns the functions of a route except its error handlers. */
export function handlersOf(route: Route): readonly Layer[] {
  return route.stack.filter(({ handle }) => handle.length <= 3);
}

/**
 * Returns the router in a function that hides it: Express hides a mounted app, and packages wrap routers. The router is seen
 * when it is called, or its app when that puts its prototype on the request. Without a URL, another Express ends there, so
 * that no function of the host runs.
 */
function hiddenIn({ handle, name }: Layer, outer: Router): Router | undefined {
  let inner: Router | undefined;
  const shown = {
    url: name === 'mounted_app' ? '/' : undefined,
    method: 'GET',
    headers: {},
    app: { request: {}, response: {} },
  };
  const setPrototypeOf = (_: object, proto: object | null) => {
    inner ??= routerOf(Reflect.get(Object(proto), 'app'));
    shown.url = undefined;
    return true;
  };
  const req = new Proxy(shown, { setPrototypeOf }) as unknown as IncomingMessage;
  const res = { setHeader: () => undefined, getHeader: () => undefined, locals: {} } as unknown as ServerResponse;
  let proto = outer as object as { handle: unknown };
  while (!Object.hasOwn(proto, 'handle')) proto = Object.getPrototypeOf(proto) as typeof proto;
  const { handle: original } = proto;
  proto.handle = function (this: Router) {
    inner ??= this;
  };
  try {
    handle(req, res, () => undefined);
  } finally {
    proto.handle = original;
  }
  return inner;
}

function pathsOf(layer: Layer): readonly (string | RegExp)[] {
  const { route, slash, regexp, rawPath = '(unknown path)' } = layer;
  if (route) return [route.path].flat(Infinity) as string[];
  if (slash || regexp?.fast_slash) return ['/'];
  return regexp ? mountPathsOf(regexp, layer) : ([rawPath].flat(Infinity) as string[]);
}

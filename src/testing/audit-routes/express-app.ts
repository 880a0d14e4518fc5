import { METHODS } from 'node:http';
import { mountPathsOf } from './express4-paths.js';
import type { Handle, Layer, Route, Router } from './express-types.js';
import { type Keeping, markIn } from './keeping.js';

const EMPTY: Router = { stack: [] };

/**
 * Returns the router of an app, or the router itself, and `undefined` for any other value. A wrapper of a router can
 * have its members without its methods, and that of an app of Express 4 lacks a router that the app made later.
 */
export function routerOf(handle: unknown, keeping: Keeping = 'same'): Router | undefined {
  if (typeof handle !== 'function') return undefined;
  const { stack, route, lazyrouter, _router, set } = handle as Handle;
  const isRouter = typeof route === 'function' || (keeping !== 'same' && 'mergeParams' in handle);
  if (Array.isArray(stack) && isRouter) return handle as unknown as Router;
  // In Express 4, `app.router` throws.
  if (typeof lazyrouter === 'function')
    return (_router as Router | undefined) ?? (keeping === 'same' ? EMPTY : undefined);
  return typeof set === 'function' ? routerOf((handle as Handle)['router']) : undefined;
}

/** Returns the paths where a layer is mounted, or `undefined` where the router does not expose them. */
export function pathsOf(layer: Layer, { caseSensitive = false }: Router): readonly unknown[] | undefined {
  if (layer.route) return [layer.route.path].flat(Infinity);
  // Express sets the flag from its setting. An expression with the other value is the host's own.
  if (layer.regexp?.ignoreCase === caseSensitive) return [layer.regexp];
  if (layer.regexp) return mountPathsOf(layer.regexp, layer.keys ?? []);
  if (layer.slash) return ['/'];
  return 'rawPath' in layer ? [layer.rawPath].flat(Infinity) : undefined;
}

/**
 * Converts a route of `app.all` to one of `router.all`, because `app.all` adds the handlers once for each method. The
 * names and marks are compared, because a package can have wrapped each handler once for each method.
 */
export function foldMethods(route: Route, keeping: Keeping): Route {
  if (!METHODS.every((method) => route.methods[method.toLowerCase()])) return route;
  const [first = [], ...others] = Object.keys(route.methods).map((name) =>
    route.stack.filter(({ method }) => method === name),
  );
  const isAs = (layer: Layer, other: Layer | undefined) =>
    layer.name === other?.name && markIn(layer, keeping) === markIn(other, keeping);
  const isSame = others.every(
    (layers) => layers.length === first.length && layers.every((layer, at) => isAs(layer, first[at])),
  );
  if (!isSame) return route;
  return { path: route.path, methods: { _all: true }, stack: first.map(({ handle, name }) => ({ handle, name })) };
}

import { METHODS } from 'node:http';
import { mountPathsOf } from './express4-paths.js';
import type { Handle, Layer, Route, Router } from './express-types.js';
import { mountedAppOf } from './mounted-app.js';

const EMPTY: Router = { stack: [] };

/**
 * Returns the router of an app, of the function that mounts an app, or the router itself, and `undefined` for any other
 * value.
 */
export function routerOf(handle: unknown): Router | undefined {
  if (typeof handle !== 'function') return undefined;
  const { stack, route, lazyrouter, _router, set } = handle as Handle;
  if (Array.isArray(stack) && typeof route === 'function') return handle as unknown as Router;
  // In Express 4, `app.router` throws.
  if (typeof lazyrouter === 'function') return (_router as Router | undefined) ?? EMPTY;
  if (typeof set === 'function') return routerOf((handle as Handle)['router']);
  return routerOf(mountedAppOf(handle as Handle));
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

/** Converts a route of `app.all` to one of `router.all`, because `app.all` adds the handlers once for each method. */
export function foldMethods(route: Route): Route {
  if (!METHODS.every((method) => route.methods[method.toLowerCase()])) return route;
  const [first = [], ...others] = Object.keys(route.methods).map((name) =>
    route.stack.flatMap(({ method, handle }) => (method === name ? [handle] : [])),
  );
  const isSame = others.every(
    (handles) => handles.length === first.length && handles.every((handle, at) => handle === first[at]),
  );
  return isSame ? { path: route.path, methods: { _all: true }, stack: first.map((handle) => ({ handle })) } : route;
}

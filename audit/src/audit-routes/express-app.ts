import { mountPathsOf } from './express4-paths.js';
import type { Handle, Layer, Router } from './express-types.js';
import type { Keeping } from './marks.js';

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
  if (layer.regexp) return mountPathsOf(layer.regexp, layer);
  if (layer.slash) return ['/'];
  return 'rawPath' in layer ? [layer.rawPath].flat(Infinity) : undefined;
}

export function isErrorHandler({ handle }: Layer): boolean {
  return handle.length > 3;
}

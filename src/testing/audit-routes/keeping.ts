import { copiedMarkOf, type HandlerMark, markHandler, markOf } from '../../http/middleware.js';
import type { Layer, Route, Router } from './express-types.js';

/**
 * Says how a router or a route keeps the functions that are mounted: as they are, in wrappers that have copies of their
 * properties, or in wrappers that have nothing of them.
 */
export type Keeping = 'same' | 'copies' | 'nothing';

/**
 * The names of this package's handlers. A guard is never recognized by its name alone. A layer keeps the name even where
 * a package replaces the handler, so that a name without a mark shows a wrapper, or another copy of this package.
 */
export const OUR_NAMES = new Set([
  'requireBearerMiddleware',
  'requireOwnReferenceMiddleware',
  'createLoginRouterMiddleware',
]);

/**
 * Mounts a probe with the method of a router or route, but on an empty one, because packages such as
 * express-async-errors and OpenTelemetry replace this method or what it calls. A wrapper of a router has no methods, and
 * keeps as the router above it.
 */
export function keepingOf(container: Partial<Router & Route>, above: Keeping): Keeping {
  const mount = container.use ?? container.all;
  if (mount === undefined) return above;
  const probe = markHandler(() => undefined, { kind: 'ownReference' });
  const empty = { stack: [] as Layer[], methods: {} };
  try {
    Reflect.apply(mount, empty, [probe]);
  } catch {
    return 'nothing';
  }
  const handle = empty.stack.at(-1)?.handle;
  if (handle === undefined) return 'nothing';
  return handle === probe ? 'same' : copiedMarkOf(handle) ? 'copies' : 'nothing';
}

/**
 * Returns the mark of a mounted handler. A copied mark counts only where all handlers are wrapped, and only with the name
 * of the handler, because a function of the host can have a copy of the properties of a guard.
 */
export function markIn({ handle, name }: Layer, keeping: Keeping): HandlerMark | undefined {
  return markOf(handle) ?? (keeping === 'copies' && OUR_NAMES.has(name) ? copiedMarkOf(handle) : undefined);
}

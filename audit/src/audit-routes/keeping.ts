import type { Layer, Route, Router } from './express-types.js';
import { copiedMarkOf, type HandlerMark, hasOurName, hasUnknownMark, markOf } from './handler-mark.js';

/**
 * Says how a router or a route keeps the functions that are mounted: as they are, in wrappers that have copies of their
 * properties, or in wrappers that have nothing of them.
 */
export type Keeping = 'same' | 'copies' | 'nothing';

/**
 * Mounts a probe with the method of a router or route, but on an empty one, because packages such as
 * express-async-errors and OpenTelemetry replace this method or what it calls. A wrapper of a router has no methods, and
 * keeps as the router above it.
 */
export function keepingOf(container: Partial<Router & Route>, above: Keeping): Keeping {
  const mount = container.use ?? container.all;
  if (mount === undefined) return above;
  const probe = Object.assign(() => undefined, { isProbe: true });
  const empty = { stack: [] as Layer[], methods: {} };
  try {
    Reflect.apply(mount, empty, [probe]);
  } catch {
    return 'nothing';
  }
  const handle = empty.stack.at(-1)?.handle;
  if (handle === undefined) return 'nothing';
  if (Object.is(handle, probe)) return 'same';
  return handle['isProbe'] === true ? 'copies' : 'nothing';
}

/** Returns the mark of a mounted handler. A copied mark counts only where all handlers are wrapped. */
export function markIn(layer: Layer, keeping: Keeping): HandlerMark | undefined {
  return markOf(layer.handle) ?? (keeping === 'copies' ? copiedMarkOf(layer) : undefined);
}

/** Returns the kind of blind spot for a handler of express-merchant-auth whose checks cannot be read. */
export function unreadIn(layer: Layer, keeping: Keeping): 'version' | 'noMark' | undefined {
  if (hasUnknownMark(layer)) return 'version';
  return hasOurName(layer) && !markIn(layer, keeping) ? 'noMark' : undefined;
}

import { METHODS } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { blindSpot, type BlindStep } from './blind-spots.js';
import { isErrorHandler } from './express-app.js';
import type { Layer, Route } from './express-types.js';
import { type Keeping, keepingOf, type Mounted, mountedIn } from './marks.js';
import { type Place, showPlace } from './place.js';
import { type BodyParser, parserIn, type Passed, type Protection, protectionOf } from './protection.js';
import type { AuditedRoute } from './route-audit.js';

export interface RouteStep extends Partial<Pick<Protection, 'unseen' | 'early'>> {
  readonly kind: 'route';
  readonly route: AuditedRoute;
  readonly place: Place;
  readonly referenceNames: readonly string[];
  /** True when a requireOwnReference comes after the last function of the host, so that it checks nothing. */
  readonly isLate?: boolean;
}

type Handler = Mounted & Pick<Layer, 'method'>;

/**
 * Returns the handlers of a route. `app.all` adds them once for each method, and a package can have wrapped each of
 * them, so that their names and marks are compared.
 */
export function handlersOf(route: Route, above: Keeping): readonly Handler[] {
  const keeping = keepingOf(route, above);
  const handlers = route.stack
    .filter((layer) => !isErrorHandler(layer))
    .map((layer) => ({ ...mountedIn(layer, keeping), method: layer.method }));
  const [first = [], ...others] = METHODS.map((method) =>
    handlersFor(method.toLowerCase(), handlers).map((handler) => ({ ...handler, method: undefined })),
  );
  return others.every((other) => isDeepStrictEqual(other, first)) ? first : handlers;
}

/** Without a method, returns the handlers that run for the methods that the route does not name. */
function handlersFor(method: string | undefined, handlers: readonly Handler[]): readonly Handler[] {
  return handlers.filter((handler) => handler.method === undefined || handler.method === method);
}

export function* walkRoute(
  handlers: readonly Handler[],
  place: Place,
  before: readonly Passed[],
): Generator<RouteStep | BlindStep | BodyParser> {
  const path = showPlace(place);
  const isVariable = /[^\w/.~-]/.test(path);
  for (const { name, mark, unread } of handlers) {
    if (mark?.kind === 'login') {
      const route = { method: 'POST', path, guard: 'login', account: true, reference: 'unchecked' } as const;
      yield { kind: 'route', route, place, referenceNames: [] };
    } else if (unread) yield* blindSpot(unread, name, place, before);
  }
  for (const method of new Set(handlers.map((handler) => handler.method))) {
    const run = handlersFor(method, handlers);
    const end = run.findLastIndex(({ mark }) => !mark);
    if (end === -1) continue;
    const own = run.slice(0, end).flatMap(({ name, mark }) => {
      const early = isVariable ? ({ kind: 'early', name } as const) : undefined;
      const seen = mark ?? parserIn(name) ?? early;
      return seen ? { ...seen, place, method } : [];
    });
    const passed = [...before, ...own];
    const isLate = run.slice(end).some(({ mark }) => mark?.kind === 'ownReference');
    const { unseen, early, idle, referenceNames, ...protection } = protectionOf(place, method, passed);
    yield* idle;
    const route = { method: method?.toUpperCase() ?? 'ALL', path, ...protection };
    yield { kind: 'route', route, place, referenceNames, isLate, unseen, early };
  }
}

/** Returns this package's handlers at the start of a route, because a function can skip all that come after it. */
export function guardsIn(handlers: readonly Handler[], place: Place): Passed[] {
  const guards: Passed[] = [];
  for (const { mark, method } of handlers) {
    if (!mark) break;
    guards.push({ ...mark, place, method });
  }
  return guards;
}

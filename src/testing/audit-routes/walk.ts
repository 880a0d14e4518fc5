import { markOf } from '../../http/middleware.js';
import { blindSpot } from './blind-spots.js';
import { type BodyParser, bodyParserAt } from './body-parsers.js';
import { foldMethods, pathsOf, routerOf } from './express-app.js';
import type { Handle, Layer, Route, Router } from './express-types.js';
import { placeAt, type Place, ROOT, showPlace } from './place.js';
import { idleParsersAt, type Passed, type Protection, protectionOf } from './protection.js';
import type { AuditedRoute, BlindSpot } from './route-audit.js';

/** A route, blind spot, body parser or other middleware. `walk` yields them in the order of the app. */
export type Step =
  | { readonly kind: 'route'; readonly route: AuditedRoute; readonly parameters: Protection['parameters'] }
  | { readonly kind: 'blind'; readonly spot: BlindSpot; readonly isAccepted: boolean }
  | BodyParser
  | { readonly kind: 'middleware'; readonly handler: string };

/** Express 4 mounts these two itself. */
const OWN_MIDDLEWARE = new Set(['query', 'expressInit']);
/**
 * The names of this package's handlers, which only serve to notice another copy of the package. A guard is never
 * recognized by its name.
 */
const OUR_NAMES = new Set(['requireBearerMiddleware', 'requireOwnReferenceMiddleware', 'createLoginRouterMiddleware']);

/**
 * Walks the layers of a router in their order. `passed` holds the handlers of this package, and the body parsers, that
 * come before.
 */
export function* walk(router: Router, mount = ROOT, passed: readonly Passed[] = []): Generator<Step> {
  const before = [...passed];
  for (const layer of router.stack) {
    const { handle } = layer;
    const route = layer.route && foldMethods(layer.route);
    const places = pathsOf(layer, router)?.map((path) => placeAt(mount, router, path, route === undefined));
    if (route) {
      for (const place of places ?? []) {
        yield* walkRoute(route, place, before);
        before.push(...guardsIn(route, place));
      }
    } else if (!isErrorHandler(layer)) {
      yield* walkMounted(layer, router, mount, places, before);
      before.push(...(places ?? []).flatMap((place) => passedBy(handle, place, undefined, showPlace(place))));
    }
  }
}

function* walkMounted(
  { handle }: Layer,
  router: Router,
  mount: Place,
  places: readonly Place[] | undefined,
  before: readonly Passed[],
): Generator<Step> {
  const { name } = handle;
  const isBehindGuard = (place: Place) => protectionOf(place, undefined, before).guard === 'bearer';
  const child = routerOf(handle);
  const isOurs = markOf(handle) !== undefined;
  if (places === undefined) {
    const isWalkable = child !== undefined || isOurs;
    yield blindSpot(isWalkable ? 'unknownPath' : 'function', null, name, isBehindGuard(mount));
    return;
  }
  for (const place of places) {
    const blind = (kind: 'copy' | 'otherApp' | 'function') =>
      blindSpot(kind, showPlace(place), name, isBehindGuard(place));
    if (child) yield* walk(child, place, before);
    else if (isOurs) continue;
    else if (OUR_NAMES.has(name)) yield blind('copy');
    else if (typeof handle['handle'] === 'function') yield blind('otherApp');
    else if (place.segments.length > mount.segments.length || !hasRoutes(router)) {
      yield* idleParsersAt(place, undefined, before);
      yield blind('function');
    } else if (!OWN_MIDDLEWARE.has(name)) yield { kind: 'middleware', handler: name || '<anonymous>' };
  }
}

/**
 * Returns true when a router has a route, a sub-router or a handler of this package. A function without a path is then
 * middleware.
 */
function hasRoutes({ stack }: Router): boolean {
  return stack.some(({ route, handle }) => route ?? markOf(handle) ?? routerOf(handle));
}

function* walkRoute(route: Route, place: Place, before: readonly Passed[]): Generator<Step> {
  const path = showPlace(place);
  for (const name of Object.keys(route.methods)) {
    const method = name === '_all' ? undefined : name;
    const handlers = route.stack.filter((layer) => isRunFor(layer, method));
    const marks = handlers.map(({ handle }) => markOf(handle));
    const isBehindGuard = protectionOf(place, method, before).guard === 'bearer';
    for (const { handle } of handlers) {
      if (!markOf(handle) && OUR_NAMES.has(handle.name)) yield blindSpot('copy', path, handle.name, isBehindGuard);
    }
    if (marks.some((mark) => mark?.kind === 'login')) {
      const login = { method: 'POST', path, guard: 'login', account: true, reference: 'unchecked' } as const;
      yield { kind: 'route', route: login, parameters: 'checked' };
    }
    const end = marks.lastIndexOf(undefined);
    if (end === -1) continue;
    const shown = method?.toUpperCase() ?? 'ALL';
    const own = handlers.slice(0, end).flatMap(({ handle }) => passedBy(handle, place, method, `${shown} ${path}`));
    const passed = [...before, ...own];
    yield* idleParsersAt(place, method, passed);
    const { parameters, ...protection } = protectionOf(place, method, passed);
    yield { kind: 'route', route: { method: shown, path, ...protection }, parameters };
  }
}

/** Returns a handler that counts for the places behind it: one of this package, or a body parser. */
function passedBy(handle: Handle, place: Place, method: string | undefined, where: string): Passed[] {
  const mark = markOf(handle) ?? bodyParserAt(where, handle.name);
  return mark ? [{ mark, place, method }] : [];
}

/** Returns this package's handlers at the start of a route, because a function can skip all that come after it. */
function guardsIn({ stack }: Route, place: Place): Passed[] {
  const end = stack.findIndex(({ handle }) => !markOf(handle));
  return stack.slice(0, end === -1 ? stack.length : end).flatMap(({ handle, method }) => {
    const mark = markOf(handle);
    return mark ? { mark, place, method } : [];
  });
}

function isErrorHandler({ handle }: Layer): boolean {
  return handle.length > 3;
}

function isRunFor(layer: Layer, method: string | undefined): boolean {
  return !isErrorHandler(layer) && (layer.method === undefined || layer.method === method);
}

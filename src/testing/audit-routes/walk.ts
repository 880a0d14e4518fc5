import { blindSpot, type BlindStep } from './blind-spots.js';
import { type BodyParser, bodyParserAt } from './body-parsers.js';
import { foldMethods, pathsOf, routerOf } from './express-app.js';
import type { Handle, Layer, MountedApp, Route, Router } from './express-types.js';
import { isUnknownCopy, type Keeping, keepingOf, markIn } from './keeping.js';
import { hasParameter, isVariable, placeAt, type Place, ROOT, showPlace } from './place.js';
import { idleParsersAt, type Passed, type Protection, protectionOf } from './protection.js';
import type { AuditedRoute } from './route-audit.js';

/** A route, blind spot, body parser or other middleware. `walk` yields them in the order of the app. */
export type Step =
  | ({ readonly kind: 'route'; readonly route: AuditedRoute; readonly place: Place } & Pick<
      Protection,
      'parameters' | 'early'
    >)
  | BlindStep
  | BodyParser
  | { readonly kind: 'middleware' | 'wrapped'; readonly handler: string };

/** The part of an app that is walked. */
interface Scope {
  readonly router: Router;
  readonly keeping: Keeping;
  readonly mount: Place;
  /** The handlers that come before. */
  readonly passed: readonly Passed[];
  /** The app whose own router this is. */
  readonly app?: unknown;
  /** All sub-apps that the host names. */
  readonly apps: readonly MountedApp[];
}

/** Express 4 mounts these two itself, at the start of each app. */
const OWN_MIDDLEWARE = ['query', 'expressInit'];
/** Express mounts a sub-app as a function with this name, which hides the app. */
const SUB_APP = 'mounted_app';
/** The wrappers of packages that keep nothing of a handler, even its name: express-async-handler. */
const WRAPPERS = new Set(['asyncUtilWrap']);

/**
 * Walks the layers of an app in their order. No function of the host is called.
 * @param apps the sub-apps, which Express hides in a function
 * @returns `undefined` for a value that is not an Express app
 */
export function walkApp(app: unknown, apps: readonly unknown[] = []): readonly Step[] | undefined {
  const router = routerOf(app);
  if (!router) return undefined;
  const scope = { router, keeping: keepingOf(router, 'same'), mount: ROOT, passed: [], app };
  return [...walk({ ...scope, apps: apps as readonly MountedApp[] })];
}

function* walk(scope: Scope): Generator<Step> {
  const { router, mount, keeping } = scope;
  const passed = [...scope.passed];
  const isExpress4 = typeof (scope.app as Partial<Handle> | undefined)?.['lazyrouter'] === 'function';
  for (const [at, layer] of router.stack.entries()) {
    if (isExpress4 && layer.name === OWN_MIDDLEWARE[at]) continue;
    const places = pathsOf(layer, router)?.map((path) => placeAt(mount, router, layer, path));
    for (const place of places ?? []) passed.push(...callbacksAt(place, scope));
    if (layer.route) {
      const routeKeeping = keepingOf(layer.route, keeping);
      const route = foldMethods(layer.route, routeKeeping);
      for (const place of places ?? []) {
        yield* walkRoute(route, place, passed, routeKeeping);
        passed.push(...guardsIn(route, place, routeKeeping));
      }
    } else if (!isErrorHandler(layer)) {
      yield* walkMounted(layer, places, { ...scope, passed });
      passed.push(...(places ?? []).flatMap((place) => passedBy(layer, place, undefined, showPlace(place), keeping)));
    }
  }
}

/** Returns the callbacks of `router.param` for a path, which run before the handler at that path. */
function callbacksAt(place: Place, { router, mount }: Scope): Passed[] {
  const names = Object.keys(router.params ?? {}).filter((name) => hasParameter(place, mount, name));
  return names.map((name) => ({ mark: { kind: 'early', name: `param('${name}')` }, place, method: undefined }));
}

function* walkMounted(layer: Layer, places: readonly Place[] | undefined, scope: Scope): Generator<Step> {
  const { router, keeping, mount, passed, apps } = scope;
  const { handle, name } = layer;
  const mark = markIn(layer, keeping);
  const child = routerOf(handle, keeping);
  if (places === undefined) {
    yield blindSpot(child || mark ? 'unknownPath' : 'function', null, layer, mount, passed);
    return;
  }
  const inside = child ? [handle] : name === SUB_APP ? subAppsAt(layer, scope) : [];
  for (const place of places) {
    const blind = (of: BlindStep['of']) => blindSpot(of, place, layer, place, passed);
    for (const app of inside) {
      const inner = routerOf(app, keeping);
      if (inner) yield* walk({ router: inner, keeping: keepingOf(inner, keeping), mount: place, passed, app, apps });
    }
    if (inside.length > 0) continue;
    if (mark) {
      if (keeping === 'copies') yield { kind: 'wrapped', handler: name };
    } else if (isUnknownCopy(layer, keeping)) yield blind('copy');
    else if (name === SUB_APP) yield blind('subApp');
    else if (typeof handle['handle'] === 'function') yield blind('otherApp');
    else if (keeping === 'nothing' || WRAPPERS.has(name)) yield blind('wrapped');
    else if (place.segments.length > mount.segments.length || !hasRoutes(router, keeping)) {
      yield* idleParsersAt(place, undefined, passed);
      yield blind('function');
    } else yield { kind: 'middleware', handler: name };
  }
}

/**
 * Returns the named sub-apps that this app mounts at these paths: all of them, where several are at one path, because
 * their order is not known. Returns none where Express mounts more than are named.
 */
function subAppsAt(layer: Layer, { router, app, apps }: Scope): readonly MountedApp[] {
  const show = (paths: unknown) =>
    [paths]
      .flat(Infinity)
      .map((path) => String(path).replace(/\/+$/, ''))
      .join();
  const at = show(pathsOf(layer, router));
  const named = apps.filter(({ parent, mountpath }) => parent === app && show(mountpath) === at);
  const mounted = router.stack.filter((other) => other.name === SUB_APP && show(pathsOf(other, router)) === at);
  return mounted.length > named.length ? [] : named;
}

/**
 * Returns true when a router has a route, a sub-router or a handler of this package. A function without a path is then
 * middleware.
 */
function hasRoutes({ stack }: Router, keeping: Keeping): boolean {
  return stack.some((layer) => layer.route ?? markIn(layer, keeping) ?? routerOf(layer.handle, keeping));
}

function* walkRoute(route: Route, place: Place, before: readonly Passed[], keeping: Keeping): Generator<Step> {
  const path = showPlace(place);
  for (const name of Object.keys(route.methods)) {
    const method = name === '_all' ? undefined : name;
    const handlers = route.stack.filter((layer) => isRunFor(layer, method));
    const marks = handlers.map((layer) => markIn(layer, keeping));
    for (const layer of handlers)
      if (isUnknownCopy(layer, keeping)) yield blindSpot('copy', place, layer, place, before);
    if (marks.some((mark) => mark?.kind === 'login')) {
      const login = { method: 'POST', path, guard: 'login', account: true, reference: 'unchecked' } as const;
      yield { kind: 'route', route: login, place, parameters: 'checked', early: undefined };
    }
    const end = marks.lastIndexOf(undefined);
    if (end === -1) continue;
    const shown = method?.toUpperCase() ?? 'ALL';
    const own = handlers.slice(0, end).flatMap((layer) => {
      const passed = passedBy(layer, place, method, `${shown} ${path}`, keeping);
      if (passed.length > 0 || !isVariable(place)) return passed;
      return { mark: { kind: 'early', name: layer.name } as const, place, method };
    });
    const passed = [...before, ...own];
    yield* idleParsersAt(place, method, passed);
    const { parameters, early, ...protection } = protectionOf(place, method, passed);
    yield { kind: 'route', route: { method: shown, path, ...protection }, place, parameters, early };
  }
}

/** Returns a handler that counts for the places behind it: one of this package, or a body parser. */
function passedBy(layer: Layer, place: Place, method: string | undefined, where: string, keeping: Keeping): Passed[] {
  const mark = markIn(layer, keeping) ?? bodyParserAt(where, layer.name);
  return mark ? [{ mark, place, method }] : [];
}

/** Returns this package's handlers at the start of a route, because a function can skip all that come after it. */
function guardsIn({ stack }: Route, place: Place, keeping: Keeping): Passed[] {
  const guards: Passed[] = [];
  for (const layer of stack) {
    const mark = markIn(layer, keeping);
    if (!mark) break;
    guards.push({ mark, place, method: layer.method });
  }
  return guards;
}

function isErrorHandler({ handle }: Layer): boolean {
  return handle.length > 3;
}

function isRunFor(layer: Layer, method: string | undefined): boolean {
  return !isErrorHandler(layer) && (layer.method === undefined || layer.method === method);
}

import { blindSpot, type BlindStep } from './blind-spots.js';
import { isErrorHandler, pathsOf, routerOf } from './express-app.js';
import type { Handle, Layer, MountedApp, Router } from './express-types.js';
import { type Keeping, keepingOf, markIn, OUR_NAMES } from './keeping.js';
import { placeAt, type Place, ROOT, segmentsWith } from './place.js';
import { type BodyParser, idleParsersAt, parserIn, type Passed } from './protection.js';
import { guardsIn, handlersOf, type RouteStep, walkRoute } from './walk-route.js';

/** A route, blind spot, body parser or other middleware. `walk` yields them in the order of the app. */
export type Step =
  RouteStep | BlindStep | BodyParser | { readonly kind: 'middleware' | 'copied'; readonly handler: string };

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
  readonly apps: readonly unknown[];
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
  return [...walk({ router, keeping: keepingOf(router, 'same'), mount: ROOT, passed: [], app, apps })];
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
      const handlers = handlersOf(layer.route, keeping);
      for (const place of places ?? []) {
        yield* walkRoute(handlers, place, passed);
        passed.push(...guardsIn(handlers, place));
      }
    } else if (!isErrorHandler(layer)) {
      yield* walkMounted(layer, places, { ...scope, passed });
      const mark = markIn(layer, keeping) ?? parserIn(layer.name);
      if (mark) passed.push(...(places ?? []).map((place) => ({ ...mark, place, method: undefined })));
    }
  }
}

/** Returns the callbacks of `router.param` for a path, which run before the handler at that path. */
function callbacksAt(place: Place, { router, mount }: Scope): Passed[] {
  return Object.keys(router.params ?? {})
    .filter((name) => segmentsWith(name, place).some((index) => index >= mount.segments.length))
    .map((name) => ({ kind: 'early', name: `param('${name}')`, place, method: undefined }));
}

function* walkMounted(layer: Layer, places: readonly Place[] | undefined, scope: Scope): Generator<Step> {
  const { router, keeping, mount, passed, apps } = scope;
  const { handle, name } = layer;
  const mark = markIn(layer, keeping);
  const child = routerOf(handle, keeping);
  if (places === undefined) {
    yield blindSpot(child || mark ? 'unknownPath' : 'function', name, mount, passed, null);
    return;
  }
  const inside = child ? [handle] : name === SUB_APP ? subAppsAt(layer, scope) : [];
  for (const place of places) {
    const blind = (of: BlindStep['of']) => blindSpot(of, name, place, passed);
    for (const app of inside) {
      const inner = routerOf(app, keeping);
      if (inner) yield* walk({ router: inner, keeping: keepingOf(inner, keeping), mount: place, passed, app, apps });
    }
    if (inside.length > 0) continue;
    if (mark) {
      if (keeping === 'copies') yield { kind: 'copied', handler: name };
    } else if (OUR_NAMES.has(name)) yield blind('copy');
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
  const named = (apps as readonly MountedApp[]).filter(
    ({ parent, mountpath }) => parent === app && show(mountpath) === at,
  );
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

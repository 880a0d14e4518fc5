import { blindSpot, type BlindStep } from './blind-spots.js';
import { isErrorHandler, pathsOf, routerOf } from './express-app.js';
import type { Handle, Layer, MountedApp, Router } from './express-types.js';
import { type Keeping, keepingOf, mountedIn } from './marks.js';
import { parametersOf, placeAt, type Place, ROOT } from './place.js';
import { type BodyParser, parserIn, type Passed } from './protection.js';
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
  readonly app: unknown;
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
  if (!routerOf(app)) return undefined;
  return [...walk(app, { keeping: 'same', mount: ROOT, passed: [], apps })];
}

function* walk(app: unknown, above: Omit<Scope, 'app' | 'router'>): Generator<Step> {
  const router = routerOf(app, above.keeping);
  if (!router) return;
  const { mount } = above;
  const keeping = keepingOf(router, above.keeping);
  const passed = [...above.passed];
  const scope: Scope = { ...above, app, router, keeping, passed };
  const isExpress4 = typeof (app as Partial<Handle>)['lazyrouter'] === 'function';
  for (const [at, layer] of router.stack.entries()) {
    const { handle, name, route } = layer;
    if (isErrorHandler(layer) || (isExpress4 && name === OWN_MIDDLEWARE[at])) continue;
    const paths = pathsOf(layer, router);
    const { mark } = mountedIn(layer, keeping);
    if (!paths)
      yield* blindSpot(mark || routerOf(handle, keeping) ? 'unknownPath' : 'function', name, mount, passed, null);
    const handlers = route && handlersOf(route, keeping);
    for (const path of paths ?? []) {
      const place = placeAt(mount, router, layer, path);
      passed.push(...callbacksAt(place, scope));
      if (handlers) {
        yield* walkRoute(handlers, place, passed);
        passed.push(...guardsIn(handlers, place));
      } else {
        yield* walkMounted(layer, place, scope);
        const seen = mark ?? parserIn(name);
        if (seen) passed.push({ ...seen, place, method: undefined });
      }
    }
  }
}

/** Returns the callbacks of `router.param` for a path, which run before the handler at that path. */
function callbacksAt(place: Place, { router }: Scope): Passed[] {
  const parameters = parametersOf(place.chain.at(-1)?.text ?? '');
  return Object.keys(router.params ?? {})
    .filter((name) => parameters.includes(name))
    .map((name) => ({ kind: 'early', name: `param('${name}')`, place, method: undefined }));
}

function* walkMounted(layer: Layer, place: Place, scope: Scope): Generator<Step> {
  const { keeping, passed } = scope;
  const { handle, name } = layer;
  const inside = routerOf(handle, keeping) ? [handle] : name === SUB_APP ? subAppsAt(layer, scope) : [];
  for (const app of inside) yield* walk(app, { ...scope, mount: place });
  if (inside.length > 0) return;
  const blind = (of: BlindStep['of']) => blindSpot(of, name, place, passed);
  const { mark, unread } = mountedIn(layer, keeping);
  if (unread) yield* blind(unread);
  else if (mark) {
    if (keeping === 'copies') yield { kind: 'copied', handler: name };
  } else if (name === SUB_APP) yield* blind('subApp');
  else if (typeof handle['handle'] === 'function') yield* blind('otherApp');
  else if (keeping === 'nothing' || WRAPPERS.has(name)) yield* blind('wrapped');
  else if (place.chain.at(-1)?.text !== '' || !hasRoutes(scope)) yield* blind('function');
  else yield { kind: 'middleware', handler: name };
}

/**
 * Returns the named sub-apps that this app mounts at these paths: all of them, where several are at one path, because
 * their order is not known. Returns none where Express mounts more than are named.
 */
function subAppsAt(layer: Layer, { router, app, apps }: Scope): readonly MountedApp[] {
  const show = (paths: unknown) => String([paths].flat(Infinity)).replace(/\/+(?=,|$)/g, '');
  const at = show(pathsOf(layer, router));
  const isHere = ({ parent, mountpath }: MountedApp) => parent === app && show(mountpath) === at;
  const named = (apps as readonly MountedApp[]).filter(isHere);
  const mounted = router.stack.filter((other) => other.name === SUB_APP && show(pathsOf(other, router)) === at);
  return mounted.length > named.length ? [] : named;
}

/** Returns true when a router has a route, a sub-router, a sub-app or a handler of this package. */
function hasRoutes({ router: { stack }, keeping }: Scope): boolean {
  return stack.some(
    (layer) =>
      layer.name === SUB_APP || (layer.route ?? mountedIn(layer, keeping).mark ?? routerOf(layer.handle, keeping)),
  );
}

import { askRoutes, type AskedRoute, type AskOptions } from '../ask/ask-routes.js';
import type { App } from '../ask/express-types.js';
import { type Mark, markOf } from '../ask/listen-in.js';
import { isApp, routesOf } from '../ask/routes.js';
import type { HostUnderTest } from './host-under-test.js';

/** A route, as it answers a caller without a token, and as it answers `merchant`. */
export interface KnownRoute extends AskedRoute {
  readonly isGuarded: boolean;
  /** True when a guard of other callers refuses the merchant too, as an API key does. */
  readonly isOfOthers: boolean;
  /** True when `requireOwnReference()` demands a reference on it. */
  readonly isDemanded: boolean;
  /** True when it compares a parameter with another name. */
  readonly isFromPath: boolean;
}

/** The routes of an app, and the names of the reference that its guards check. */
export interface AskedHost {
  readonly routes: readonly KnownRoute[];
  readonly referenceNames: readonly string[];
}

/** A reference that no merchant has. A reference of another merchant gets the same answer. */
export const FOREIGN = 'OF-ANOTHER-MERCHANT';

export const isOpen = ({ verdict }: AskedRoute) => verdict.startsWith('open');

/** Matches the parameters that look like a name of the reference, because a host can give them another spelling. */
export function isNameOf(names: readonly string[]) {
  const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z\d]/g, '');
  return (parameter: string) => names.find((name) => lettersOf(name) === lettersOf(parameter));
}

function hasMark({ route }: AskedRoute, kind: Mark['kind']): boolean {
  return route?.stack.some(({ handle }) => markOf(handle)?.kind === kind) ?? false;
}

/** Asks each route of an app with a token of a merchant. No handler of a route runs. */
export async function askAs(
  app: App,
  token: string,
  names: readonly string[],
  { referenceInPath, ...options }: AskOptions & { readonly referenceInPath: () => string },
): Promise<readonly AskedRoute[]> {
  const nameOf = isNameOf(names);
  const { routes } = await askRoutes(app, {
    ...options,
    headers: { authorization: `Bearer ${token}` },
    parameter: (name) => (nameOf(name) === undefined ? undefined : encodeURIComponent(referenceInPath())),
  });
  return routes;
}

/**
 * Asks an app without a token, which shows its guards, and with one, which shows the routes behind a guard of something
 * else and the functions at a path that answer behind a guard.
 * @throws TypeError for a router that does not tell its paths
 */
export async function askHost(
  { app, merchant, referenceName = 'refercence_cl' }: HostUnderTest,
  logIn: () => Promise<string>,
): Promise<AskedHost> {
  if (!isApp(app)) return { routes: [], referenceNames: [referenceName] };
  if (routesOf(app).some(({ path }) => String(path).includes('(unknown path)'))) {
    throw new TypeError(
      'authContract: The package router before 2.3 does not expose the path of a mount, so nothing below it can be checked. Update it: npm update router.',
    );
  }
  const asked = await askRoutes(app);
  const routes = asked.routes.filter((route) => !hasMark(route, 'login'));
  const marked = routes.flatMap(({ refuser }) => markOf(refuser)?.names ?? []);
  const referenceNames = [...new Set([referenceName, ...marked])];
  const token = await logIn().catch(() => undefined);
  const asMerchant =
    token === undefined ? [] : await askAs(app, token, referenceNames, { referenceInPath: () => merchant.referencl });
  const isSame = (one: AskedRoute) => (other: AskedRoute) =>
    other.route === one.route && other.method === one.method && other.path === one.path;
  const behindGuard = asMerchant.filter((one) => one.route === undefined && !routes.some(isSame(one)));
  const guarded = {
    verdict: 'refused',
    isGuarded: true,
    isOfOthers: false,
    isDemanded: false,
    isFromPath: false,
  } as const;
  return {
    routes: [
      // A route that lets the merchant through to another one is middleware, as NestJS mounts it.
      ...routes
        .filter((one) => isOpen(one) || token === undefined || asMerchant.some(isSame(one)))
        .map((one) => knownRoute(one, asMerchant.find(isSame(one)))),
      ...behindGuard.map((one) => ({ ...one, ...guarded })),
    ],
    referenceNames,
  };
}

function knownRoute(one: AskedRoute, asMerchant: AskedRoute | undefined): KnownRoute {
  const { refuser, verdict, status } = asMerchant ?? {};
  const isNoBearer = refuser === one.refuser || status === 401;
  const isByOwnReference = markOf(refuser)?.kind === 'ownReference';
  return {
    ...one,
    isGuarded: !isOpen(one),
    isOfOthers: verdict === 'refused' && isNoBearer && !markOf(refuser),
    isDemanded: hasMark(one, 'ownReference') || isByOwnReference,
    isFromPath: isByOwnReference && status === 403,
  };
}

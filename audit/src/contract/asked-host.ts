import { askRoutes, type AskedRoute, type AskOptions } from '../ask/ask-routes.js';
import { markOf } from '../ask/listen-in.js';
import { isApp, routesOf } from '../ask/routes.js';
import type { HostUnderTest } from './host-under-test.js';
import { entryFor } from './paths.js';

/** A route, and its answers without a token and to `merchant`. */
export interface KnownRoute extends AskedRoute {
  readonly isGuarded: boolean;
  /** `requireOwnReference()` demands a reference. */
  readonly isDemanded: boolean;
  /** It compares a parameter with another name. */
  readonly isFromPath: boolean;
  /** The handler is reached with another merchant's reference in the path. */
  readonly takesForeignPath: boolean;
  /** It is reached with that reference in the body or query. */
  readonly isUnchecked: boolean;
}

/** `referenceNames` are those that the guards check, after the one that is sent. */
export interface AskedHost {
  readonly routes: readonly KnownRoute[];
  readonly referenceNames: readonly string[];
}

export const DEFAULT_NAME = 'refercence_cl';

/** No merchant has it. The reference of another merchant gets the same answer. */
export const FOREIGN = 'OF-ANOTHER-MERCHANT';

export const isOpen = ({ verdict }: AskedRoute) => verdict.startsWith('open');

const isSame = (one: AskedRoute, other: AskedRoute) =>
  one.route === other.route && one.method === other.method && one.path === other.path;

/**
 * Asks each route without a token, with one, and with the reference of another merchant. No handler runs.
 * @throws TypeError for a router that does not tell its paths
 */
export async function askHost(host: HostUnderTest, logIn: () => Promise<string>): Promise<AskedHost> {
  const { app, merchant } = host;
  if (!isApp(app)) return { routes: [], referenceNames: [] };
  if (routesOf(app).some(({ path }) => String(path).includes('(unknown path)')))
    throw new TypeError('authContract: The package router before 2.3 hides the paths of mounts: npm update router.');
  const routes = (await askRoutes(app)).routes.filter(({ handler }) => markOf(handler)?.kind !== 'login');
  const marked = routes.flatMap(({ refuser }) => markOf(refuser)?.names ?? []);
  const { referenceName = marked[0] ?? DEFAULT_NAME } = host;
  const referenceNames = [...new Set([referenceName, ...marked])];
  const token = await logIn().catch(() => undefined);

  const askWith = async (reference: string, options: AskOptions = {}) => {
    const headers = { authorization: `Bearer ${token}` };
    const parameter = (name: string) => (referenceNames.includes(name) ? encodeURIComponent(reference) : undefined);
    return token ? (await askRoutes(app, { headers, parameter, ...options })).routes : [];
  };
  const sent = { [referenceName]: FOREIGN };
  const asMerchant = await askWith(merchant.referencl);
  const inPath = await askWith(FOREIGN);
  const inBody = await askWith(merchant.referencl, { bodyOf: () => JSON.stringify(sent) });
  const inQuery = await askWith(merchant.referencl, { query: `?${String(new URLSearchParams(sent))}` });

  const know = (one: AskedRoute): KnownRoute => {
    const { refuser, verdict, status } = asMerchant.find((other) => isSame(one, other)) ?? {};
    const isReached = (answers: readonly AskedRoute[], requests = /./) =>
      answers.some((other) => isSame(one, other) && isOpen(other) && requests.test(other.request));
    const isDemanded = markOf(refuser)?.kind === 'ownReference';
    // A guard of other callers, such as that of an API key, refuses the merchant too. An entry can have the key.
    const isOfOthers = verdict === 'refused' && (refuser === one.refuser || status === 401) && !markOf(refuser);
    return {
      ...one,
      isGuarded: !isOpen(one) && (!isOfOthers || entryFor(host.routes, `${one.method} ${one.path}`) !== undefined),
      isDemanded,
      isFromPath: isDemanded && status === 403,
      takesForeignPath: isReached(inPath),
      // Only POST, PUT and PATCH have a body.
      isUnchecked: isReached(inBody, /^P/) || isReached(inQuery),
    };
  };
  // A route that passes the merchant on to another one is middleware, as NestJS mounts it.
  const own = routes.filter((one) => isOpen(one) || !token || asMerchant.some((other) => isSame(one, other)));
  // A function at a path that answers only a merchant is not in the first list.
  const isNew = ({ method, path }: AskedRoute) => !routes.some((one) => one.method === method && one.path === path);
  const behindGuard = asMerchant.filter((one) => one.route === undefined && isNew(one));
  const refused = behindGuard.map((one) => ({ ...one, verdict: 'refused' as const }));
  return { routes: [...own, ...refused].map(know), referenceNames };
}

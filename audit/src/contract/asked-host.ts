import { askRoutes, type AskedRoute, type AskOptions } from '../ask/ask-routes.js';
import { markOf } from '../ask/listen-in.js';
import { isApp, routesOf } from '../ask/routes.js';
import type { HostUnderTest } from './host-under-test.js';

/** A route, and its answers without a token and to `merchant`. */
export interface KnownRoute extends AskedRoute {
  readonly isGuarded: boolean;
  /** A guard of other callers refuses the merchant too, as an API key does. */
  readonly isOfOthers: boolean;
  /** `requireOwnReference()` demands a reference. */
  readonly isDemanded: boolean;
  /** It compares a parameter with another name. */
  readonly isFromPath: boolean;
  /** The handler is reached with another merchant's reference in the path. */
  readonly takesForeignPath: boolean;
  /** It is reached with that reference in the body or query. */
  readonly isUnchecked: boolean;
}

/** `referenceNames` are those that the guards check. */
export interface AskedHost {
  readonly routes: readonly KnownRoute[];
  readonly referenceNames: readonly string[];
}

/** No merchant has it. The reference of another merchant gets the same answer. */
export const FOREIGN = 'OF-ANOTHER-MERCHANT';

export const isOpen = ({ verdict }: AskedRoute) => verdict.startsWith('open');

/** Returns the name that a parameter is another spelling of. */
export function nameLike(parameter: string, names: readonly string[]): string | undefined {
  const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z\d]/g, '');
  return names.find((name) => lettersOf(name) === lettersOf(parameter));
}

/**
 * Asks each route without a token, with one, and with the reference of another merchant. No handler runs.
 * @throws TypeError for a router that does not tell its paths
 */
export async function askHost(
  { app, merchant, referenceName = 'refercence_cl' }: HostUnderTest,
  logIn: () => Promise<string>,
): Promise<AskedHost> {
  if (!isApp(app)) return { routes: [], referenceNames: [referenceName] };
  if (routesOf(app).some(({ path }) => String(path).includes('(unknown path)')))
    throw new TypeError('authContract: The package router before 2.3 hides the paths of mounts: npm update router.');
  const asked = await askRoutes(app);
  const routes = asked.routes.filter(({ handler }) => markOf(handler)?.kind !== 'login');
  const marked = routes.flatMap(({ refuser }) => markOf(refuser)?.names ?? []);
  const referenceNames = [...new Set([referenceName, ...marked])];
  const token = await logIn().catch(() => undefined);

  const askWith = async (reference: string, options: AskOptions = {}) => {
    const headers = { authorization: `Bearer ${token}` };
    const parameter = (name: string) => (nameLike(name, referenceNames) ? encodeURIComponent(reference) : undefined);
    const answers = token ? (await askRoutes(app, { headers, parameter, ...options })).routes : [];
    const find = ({ route, method, path }: AskedRoute) =>
      answers.find((other) => other.route === route && other.method === method && other.path === path);
    return { answers, find };
  };
  const asMerchant = await askWith(merchant.referencl);
  const inPath = await askWith(FOREIGN);
  const sent = { [referenceName]: FOREIGN };
  const inBody = await askWith(merchant.referencl, { bodyOf: () => JSON.stringify(sent) });
  const inQuery = await askWith(merchant.referencl, { query: `?${String(new URLSearchParams(sent))}` });

  const know = (one: AskedRoute): KnownRoute => {
    const { refuser, verdict, status } = asMerchant.find(one) ?? {};
    const isReached = ({ find }: typeof inPath, requests = /./) => {
      const answer = find(one);
      return answer !== undefined && isOpen(answer) && requests.test(answer.request);
    };
    const isDemanded = markOf(refuser)?.kind === 'ownReference';
    const isNoBearer = refuser === one.refuser || status === 401;
    return {
      ...one,
      isGuarded: !isOpen(one),
      isOfOthers: verdict === 'refused' && isNoBearer && !markOf(refuser),
      isDemanded,
      isFromPath: isDemanded && status === 403,
      takesForeignPath: isReached(inPath),
      // Only POST, PUT and PATCH have a body.
      isUnchecked: isReached(inBody, /^P/) || isReached(inQuery),
    };
  };
  // A route that passes the merchant on to another one is middleware, as NestJS mounts it.
  const own = routes.filter((one) => isOpen(one) || !token || asMerchant.find(one));
  // A function at a path that answers only a merchant is not in the first list.
  const isNew = ({ method, path }: AskedRoute) => !routes.some((one) => one.method === method && one.path === path);
  const behindGuard = asMerchant.answers.filter((one) => one.route === undefined && isNew(one));
  const refused = behindGuard.map((one) => ({
    ...know(one),
    ...{ verdict: 'refused' as const, isGuarded: true, isOfOthers: false },
  }));
  return { routes: [...own.map(know), ...refused], referenceNames };
}

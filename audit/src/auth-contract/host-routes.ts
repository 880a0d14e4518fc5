import { covers } from '../audit-routes/place.js';
import { walkApp } from '../audit-routes/walk.js';
import type { HostUnderTest, RouteRequest } from './host-under-test.js';

/** A route of the host, with the name that the report prints and that the entries of the host use. */
export interface HostRoute {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly isGuarded: boolean;
  /** True when `requireOwnReference()` demands a reference on it. */
  readonly isDemanded: boolean;
  /** The entry of the host's `routes`. */
  readonly request: RouteRequest;
}

type Entries<Entry> = Readonly<Record<string, Entry>>;

/**
 * Returns the routes of a host, the functions that can hide others behind a guard, and the names of the reference. Without
 * an app, nobody has looked for routes, and those that the host names are all that are known.
 */
export function hostRoutesOf(host: HostUnderTest) {
  const { app, apps, routes: named = {}, refused = {}, resources = [], referenceName = 'refercence_cl' } = host;
  if (app === undefined) {
    const keys = [...Object.keys(named), ...Object.keys(refused), ...resources.map(({ read }) => read)];
    const names = new Set(keys.filter((key) => !key.endsWith('/*')));
    const routes = [...names].map((name) => parseRoute(name, named));
    return { routes, hidden: [], isWalked: false, referenceNames: [referenceName] };
  }
  const steps = walkApp(app, apps) ?? [];
  const found = steps.filter((step) => step.kind === 'route');
  return {
    isWalked: true,
    referenceNames: [...new Set([referenceName, ...found.flatMap((step) => step.referenceNames)])],
    routes: found.map(({ route: { method, path, guard, reference } }) => ({
      ...parseRoute(`${method} ${path}`, named),
      path,
      // It is not known which paths of a regular expression have the guard of a path.
      isGuarded: guard === 'bearer' || (guard === 'none' && /[\^$\\]/.test(path)),
      isDemanded: reference === 'demanded',
    })),
    hidden: steps.flatMap((step) => {
      if (step.kind !== 'blind') return [];
      const { path, handler, isBehindGuard, reason, fix } = step.spot;
      // A function above routes is a limiter or the like, and one before the guard is a finding of auditRoutes.
      const isAbove = found.some(({ place }) => covers(step.place, place));
      if (step.of === 'function' && (!isBehindGuard || isAbove)) return [];
      return { name: `${path ?? '(unknown path)'} ${handler}`, advice: `${reason} ${fix}` };
    }),
  };
}

export function parseRoute(name: string, routes: HostUnderTest['routes']): HostRoute {
  const [method = '', path = ''] = name.split(' ');
  return { name, method, path, isGuarded: true, isDemanded: false, request: entryFor(routes, name) ?? {} };
}

/** Returns the entry for a route: that of its name, or that of the longest path above with `/*`. */
export function entryFor<Entry>(entries: Entries<Entry> | undefined, name: string): Entry | undefined {
  const keys = Object.keys(entries ?? {}).filter((key) => isKeyOf(key, name));
  return entries?.[keys.includes(name) ? name : (keys.sort((one, other) => other.length - one.length)[0] ?? name)];
}

function isKeyOf(key: string, name: string): boolean {
  return key === name || (key.endsWith('/*') && name.startsWith(key.slice(0, -1)));
}

/** Writes an entry of the host for a message. */
export function writeEntry(member: 'leaveOut' | 'refused', name: string): string {
  return `${member}: { '${name}': 'the reason' }`;
}

/** @throws TypeError for a key of the host that names nothing, and for an entry without a reason */
export function checkEntries(host: HostUnderTest, cases: readonly string[]): void {
  for (const { read, create } of host.resources ?? []) {
    if (/^GET \/\S*$/.test(read) && typeof create === 'function') continue;
    throw new TypeError(
      "authContract: a resource is { read: 'GET /v1/payments/:id', create: async (as) => ({ id }) }.",
    );
  }
  const { routes, hidden, isWalked } = hostRoutesOf(host);
  const known = routes.map(({ name }) => name);
  const leftOut = [...known, ...hidden.map(({ name }) => name), ...cases];
  for (const [member, names] of [
    ['routes', known],
    ['refused', known],
    ['leaveOut', leftOut],
  ] as const) {
    for (const [key, entry] of Object.entries<unknown>(host[member] ?? {})) {
      // Without an app, a route can be right that no other entry names, so that one test is for the app and for its address.
      const isUnknown = !names.some((name) => isKeyOf(key, name)) && (isWalked || !key.includes('/'));
      if (isUnknown) {
        const spelling = 'Copy a route as the report of auditRoutes prints it, for example "GET /v1/payments/:id"';
        const orCase = member === 'leaveOut' ? ', or the whole name of a case' : '';
        throw new TypeError(
          `authContract: ${member} has "${key}", which is nothing of this host. ${spelling}${orCase}.`,
        );
      }
      if (member !== 'routes' && (typeof entry !== 'string' || entry === '')) {
        throw new TypeError(`authContract: ${member} of "${key}" needs a reason.`);
      }
    }
  }
}

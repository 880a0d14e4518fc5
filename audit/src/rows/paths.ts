const PARAMETER = /:"?\w+"?(?:\([^)]*\))?|\*\w*/g;
const OPTIONAL = /\/?:\w+(?:\([^)]*\))?\?/g;
/** A GET that changes something, as `/payments/:id/delete`, or ends a session. */
const CHANGES =
  /\/(?:(?:log|sign)[-_]?(?:out|off)|delete|remove|destroy|revoke|cancel|reset|disable|unsubscribe)(?:\/|$)/i;

/** Express 5.0 to 5.2 forget the path of a mount. */
export const isAskable = (path: string | RegExp): path is string =>
  typeof path === 'string' && !CHANGES.test(path) && !path.startsWith('(unknown path)');
export const parametersIn = (path: string): number => path.match(PARAMETER)?.length ?? 0;
export const fill = (path: string, value: string): string => path.replace(PARAMETER, () => encodeURIComponent(value));

/** Puts the routes first whose answers give the ids for others. */
export const byDepth = (one: string, other: string): number =>
  parametersIn(one) - parametersIn(other) || one.length - other.length;

/** With and without optional parts. */
export function variantsOf(path: string): readonly string[] {
  const whole = path.replace(/[{}]/g, '').replace(OPTIONAL, (part) => part.slice(0, -1));
  const short = path.replace(/\{[^{}]*\}/g, '').replace(OPTIONAL, '');
  // Without a slash, an id would become a part of the port.
  return [short, whole].map((variant) => `/${variant}`.replace(/^\/+/, '/'));
}

/** Returns the part of a path below a route. */
export function restBelow(route: string, path: string): string | undefined {
  const [above, parts] = [partsOf(route), partsOf(path)];
  const isSame = (part: string, at: number) => part.replace(PARAMETER, ':') === parts[at]?.replace(PARAMETER, ':');
  return above.length < parts.length && above.every(isSame) ? `/${parts.slice(above.length).join('/')}` : undefined;
}

/** Returns true for `/payments` and `/me/payments`, if the path is `/payments/:id`. */
export function isAbout(list: string, path: string): boolean {
  const [, kind = ''] = /([^/]*?)s?\/[^/]*[:*]/.exec(path) ?? [];
  return (kind !== '' && list.includes(kind)) || restBelow(list, path) !== undefined;
}

const partsOf = (path: string): readonly string[] => path.split('/').filter(Boolean);

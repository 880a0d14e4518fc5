import { REFERENCE_FIELD } from '../reference-field.js';

/** Matches a parameter or wildcard of Express 4 or 5, with its expression and its mark of an optional one. */
const PARAMETER = /[:*]"?(\w*)"?(?:\([^/]*\))?[?+*]?/g;

/** Matches the shape of a path without a wildcard, an expression or a parameter other than `refercence_cl`. */
const ONE_PATH = /^[\w/.~=-]*$/;

const withoutGroups = (path: string) => path.replace(/[{}]/g, '');

/** Returns the names of the parameters of a path, without `refercence_cl`. Express 4 counts those without a name. */
export function parametersIn(path: string): readonly string[] {
  const names = [...path.matchAll(PARAMETER)].flatMap(([, name = '']) => (name === REFERENCE_FIELD ? [] : [name]));
  let count = 0;
  return names.map((name) => (name === '' ? String(count++) : name));
}

/** Returns the path with one character for each parameter, because two routes can give a parameter different names. */
function shapeOf(path: string): string {
  return withoutGroups(path)
    .replace(PARAMETER, (_, name) => (name === REFERENCE_FIELD ? '=' : ':'))
    .toLowerCase();
}

/** Returns true when a path has no wildcard, expression or parameter other than `refercence_cl`. */
export function isOnePath(path: string): boolean {
  return ONE_PATH.test(shapeOf(path));
}

/** Returns true for the path of a request to a route. */
export function isPathOf(sent: string, route: string): boolean {
  const [shape, asked] = [shapeOf(route), sent.replace(/\?.*/s, '').toLowerCase()];
  return new RegExp(`^${shape.replace(/[^\w/:=]/g, '\\$&').replace(/[:=]/g, '[^/]+')}/?$`).test(asked);
}

/**
 * Returns the number of parts that a route shares with the `read` of a resource, or 0 when the route has no parameter in
 * them, or one after them.
 */
export function sharedLength(route: string, read: string): number {
  const [parts, other] = [route, read].map((path) => shapeOf(path).split(/(?=[:/])|(?<=:)/)) as [string[], string[]];
  const end = [...parts, ''].findIndex((part, index) => part !== other[index]);
  return parts.slice(0, end).includes(':') && ONE_PATH.test(parts.slice(end).join('')) ? end : 0;
}

/** Writes values into the parameters of a path in their order, and the caller's reference into `refercence_cl`. */
export function fill(path: string, values: readonly string[], referencl: string): string {
  const left = [...values];
  return withoutGroups(path).replace(PARAMETER, (_, name) =>
    encodeURIComponent(name === REFERENCE_FIELD ? referencl : (left.shift() ?? '')),
  );
}

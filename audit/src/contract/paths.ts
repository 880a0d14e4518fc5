/** Matches a parameter or wildcard of Express 4 or 5, with its expression and its mark of an optional one. */
const PARAMETER = /[:*]"?(\w*)"?(?:\([^/]*\))?[?+*]?/g;

/** Matches the shape of a path without a wildcard, an expression or a parameter other than the reference. */
const ONE_PATH = /^[\w/.~=-]*$/;

const withoutGroups = (path: string) => path.replace(/[{}]/g, '');
const namesIn = (path: string) => [...path.matchAll(PARAMETER)].map(([, name = '']) => name);

export type Paths = ReturnType<typeof createPaths>;

/**
 * Returns the functions on the paths of a host.
 * @param references the names of the reference. A path parameter with such a name takes the reference and not an id
 */
export function createPaths(references: readonly string[]) {
  const isReference = (name: string) => references.includes(name);
  /** Returns the path with one character for each parameter, because two routes can give a parameter different names. */
  const shapeOf = (path: string) =>
    withoutGroups(path)
      .replace(PARAMETER, (_, name: string) => (isReference(name) ? '=' : ':'))
      .toLowerCase();
  return {
    hasReference: (path: string) => namesIn(path).some(isReference),
    /** Returns true when a path has no wildcard, expression or parameter other than the reference. */
    isOnePath: (path: string) => ONE_PATH.test(shapeOf(path)),
    /** Returns the names of the parameters that take ids. Express 4 counts those without a name. */
    parametersIn(path: string): readonly string[] {
      let count = 0;
      const names = namesIn(path).filter((name) => !isReference(name));
      return names.map((name) => (name === '' ? String(count++) : name));
    },
    /** Returns true for the path of a request to a route. */
    isPathOf(sent: string, route: string): boolean {
      const pattern = shapeOf(route).replace(/[^\w/:=]/g, '\\$&');
      return new RegExp(`^${pattern.replace(/[:=]/g, '[^/]+')}/?$`, 'i').test(sent.replace(/\?.*/s, ''));
    },
    /** Returns the number of parts that a route shares with the path of a row, or 0 when an id is not one of them. */
    sharedLength(route: string, row: string): number {
      const [parts = [], other = []] = [route, row].map((path) => shapeOf(path).split(/(?=[:/])|(?<=:)/));
      const end = [...parts, ''].findIndex((part, index) => part !== other[index]);
      return parts.slice(0, end).includes(':') && ONE_PATH.test(parts.slice(end).join('')) ? end : 0;
    },
    /** Writes ids into the parameters of a path in their order, and a reference into those that take one. */
    fill(path: string, ids: readonly string[], reference: string): string {
      const left = [...ids];
      return withoutGroups(path).replace(PARAMETER, (_, name: string) =>
        encodeURIComponent(isReference(name) ? reference : (left.shift() ?? '')),
      );
    },
  };
}

/** A parameter or wildcard of Express 4 or 5, with its expression and its mark of an optional one. */
const PARAMETER = /[:*]"?(\w*)"?(?:\([^/]*\))?[?+*]?/g;
/** Without wildcards, expressions and parameters other than the reference. */
const ONE_PATH = /^[\w/.~=-]*$/;

const withoutGroups = (path: string) => path.replace(/[{}]/g, '');
const namesIn = (path: string) => [...path.matchAll(PARAMETER)].map(([, name = '']) => name);

/** @param references a path parameter with such a name takes the reference, not an id */
export function createPaths(references: readonly string[]) {
  const isReference = (name: string) => references.includes(name);
  /** Writes one character for each parameter: two routes can name it differently. */
  const shapeOf = (path: string) =>
    withoutGroups(path)
      .replace(PARAMETER, (_, name: string) => (isReference(name) ? '=' : ':'))
      .toLowerCase();
  return {
    referencesIn: (path: string) => namesIn(path).filter(isReference),
    isOnePath: (path: string) => ONE_PATH.test(shapeOf(path)),
    /** Returns those that take ids. Express 4 counts those without a name. */
    parametersIn(path: string): readonly string[] {
      let count = 0;
      const names = namesIn(path).filter((name) => !isReference(name));
      return names.map((name) => (name === '' ? String(count++) : name));
    },
    isPathOf(sent: string, route: string): boolean {
      const pattern = shapeOf(route).replace(/[^\w/:=]/g, '\\$&');
      return new RegExp(`^${pattern.replace(/[:=]/g, '[^/]+')}/?$`, 'i').test(sent.replace(/\?.*/s, ''));
    },
    /** Counts parts that a route shares with the path of a row. Returns 0 when no id is among them. */
    sharedLength(route: string, row: string): number {
      const [parts = [], other = []] = [route, row].map((path) => shapeOf(path).split(/(?=[:/])|(?<=:)/));
      const end = [...parts, ''].findIndex((part, index) => part !== other[index]);
      return parts.slice(0, end).includes(':') && ONE_PATH.test(parts.slice(end).join('')) ? end : 0;
    },
    /** Fills in the ids in their order, and the reference. */
    fill(path: string, ids: readonly string[], reference: string): string {
      const left = [...ids];
      return withoutGroups(path).replace(PARAMETER, (_, name: string) =>
        encodeURIComponent(isReference(name) ? reference : (left.shift() ?? '')),
      );
    },
  };
}

/** Returns the entry of the name, or of the longest path above with `/*`. */
export function entryFor<Entry>(entries: Readonly<Record<string, Entry>> = {}, name: string): Entry | undefined {
  const above = Object.keys(entries).filter((key) => key.endsWith('/*') && name.startsWith(key.slice(0, -1)));
  const [longest = name] = above.sort((one, other) => other.length - one.length);
  return entries[name] ?? entries[longest];
}

export function writeEntry(member: 'leaveOut' | 'open' | 'refused', name: string): string {
  return `${member}: { '${name}': 'the reason' }`;
}

/** Values of parameters, of several kinds, because the expression of a parameter can allow only some of them. */
const VALUES: readonly ((at: number) => string)[] = [
  (at) => `q7x${at}`,
  (at) => String(7 + at),
  (at) => 'bcdfghjk'.charAt(at % 8),
  (at) => `00000000-0000-4000-8000-00000000000${at}`,
];

/** Chooses the value of a parameter. */
export type ValueOf = (name: string, at: number) => string | undefined;

/** Returns paths for a route, with values for its parameters, and with and without what is optional. */
export function pathsFor(path: string | RegExp, chosen: ValueOf = () => undefined): readonly string[] {
  if (path instanceof RegExp) return [];
  const filled = VALUES.flatMap((valueOf) =>
    [true, false].map((isThere) => {
      let at = 0;
      return path
        .replace(/\{([^{}]*)\}/g, isThere ? '$1' : '')
        .replace(/\/?:\w+(?:\([^)]*\))?\?/g, (part) => (isThere ? part.slice(0, -1) : ''))
        .replace(/:"?(\w+)"?(?:\([^)]*\))?/g, (_, name: string) => chosen(name, at) ?? valueOf(at++))
        .replace(/\(?\*\)?\w*/g, isThere ? 'w' : '');
    }),
  );
  return [...new Set(filled.map((url) => `/${url}`.replace(/\/{2,}/g, '/')))];
}

/** Returns shapes of a path that Express takes for the same path, and a guard can take for another. */
export function shapesOf(path: string): readonly string[] {
  const slashes = [...path.matchAll(/\b\/|$/g)].map(({ index }) => index);
  const shapes = slashes.flatMap((end, at) => [
    ...[0, ...slashes.slice(0, at)].map(
      (start) => `${path.slice(0, start)}${flip(path.slice(start, end))}${path.slice(end)}`,
    ),
    `${path.slice(0, end)}/${path.slice(end)}`,
  ]);
  return [...new Set(shapes)].filter((shape) => shape !== path);
}

function flip(text: string): string {
  const upper = text.toUpperCase();
  return upper === text ? text.toLowerCase() : upper;
}

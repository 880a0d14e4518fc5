/** Of several kinds: the expression of a parameter can allow only some. */
const VALUES: readonly ((at: number) => string)[] = [
  (at) => `q7x${at}`,
  (at) => String(7 + at),
  (at) => 'bcdfghjk'.charAt(at % 8),
  (at) => `00000000-0000-4000-8000-00000000000${at}`,
];
const VALUES_OF_EXPRESSIONS = [...VALUES, (at: number) => `5f0c8e7ab9d3421f6e0a7c5${at}`, (at: number) => `202${at}`];
/** With optional parts or not, and the text in wildcards. */
const FORMS = [
  [true, 'w'],
  [false, 'w'],
  [false, ''],
] as const;

export type ValueOf = (name: string, at: number) => string | undefined;

/** Returns paths with values for the parameters, with and without optional parts. */
export function pathsFor(template: string, chosen: ValueOf = () => undefined): readonly string[] {
  const values = template.includes('(') ? VALUES_OF_EXPRESSIONS : VALUES;
  const filled = values.flatMap((valueOf, turn) =>
    FORMS.map(([isThere, wild]) => {
      let at = 0;
      const valueFor = (_: string, name: string, own = '') => {
        const words = /^[\w-]+(?:\|[\w-]+)+$/.test(own) ? own.split('|') : [];
        return chosen(name, at) ?? words[turn % words.length] ?? valueOf(at++);
      };
      return template
        .replace(/\{([^{}]*)\}/g, isThere ? '$1' : '')
        .replace(/\/?:\w+(?:\([^)]*\))?\?|\w\?|\([^():]*\)\?/g, (part) => (isThere ? part.slice(0, -1) : ''))
        .replace(/:"?(\w+)"?(?:\(([^)]*)\))?/g, valueFor)
        .replace(/\(?\*\)?\w*/g, wild)
        .replace(/[()+?]/g, '')
        .replace(/\/$/, (slash) => wild && slash);
    }),
  );
  const urls = filled.map((url) => `/${url}`.replace(/\/{2,}/g, '/').replace(/[^\x21-\x7e]/gu, encodeURIComponent));
  return [...new Set(urls)];
}

/** Returns paths that are the same for Express, and can be others for a guard. */
export function shapesOf(path: string): readonly string[] {
  const slashes = [...path.matchAll(/\b\/|$/g)].map(({ index }) => index);
  const shapes = slashes.flatMap((end, at) => [
    ...[0, ...slashes.slice(0, at)].map((from) => path.slice(0, from) + flip(path.slice(from, end)) + path.slice(end)),
    `${path.slice(0, end)}/${path.slice(end)}`,
  ]);
  // Some guards let files pass.
  shapes.push(`${path}?x.css`, `${path}.css`);
  return [...new Set(shapes)].filter((shape) => shape !== path);
}

function flip(text: string): string {
  const upper = text.toUpperCase();
  return upper === text ? text.toLowerCase() : upper;
}

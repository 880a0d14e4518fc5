import type { Layer, Router } from './express-types.js';

/** Describes the requests that reach a handler, by the layers that match its path one after another. */
export interface Place {
  readonly chain: readonly { readonly layer: Layer; readonly text: string }[];
  /** The first layer whose parameters the handler sees in `req.params`. */
  readonly visibleFrom: number;
}

export const ROOT: Place = { chain: [], visibleFrom: 0 };

/**
 * Values of parameters, which have to differ within a path. They are of several kinds, because an expression of a parameter
 * or a text beside it can allow only some of them.
 */
const VALUES = [
  (index: number) => `q7x${index}`,
  (index: number) => String(7 + index),
  (index: number) => 'bcdfghjk'.charAt(index % 8),
  (index: number) => `Q-7.x${index}`,
  () => '',
];
const WILDCARD_VALUES = ['', 'w', 'w/w'];
/** A path that only a layer without a path of its own matches. */
const ANY = '/~';

/** Returns the place for a path of a layer, in a router that is mounted at `mount`. */
export function placeAt(
  mount: Place,
  { mergeParams = false, strict = false }: Router,
  layer: Layer,
  path: unknown,
): Place {
  // `/` in a router matches with and without a slash at the end, because Express writes the slash.
  const isStrict = strict && layer.route !== undefined && path !== '/';
  const text = typeof path !== 'string' || isStrict ? String(path) : path.replace(/\/+$/, '');
  return {
    chain: [...mount.chain, { layer, text }],
    visibleFrom: mergeParams ? mount.visibleFrom : mount.chain.length,
  };
}

export function showPlace({ chain }: Place): string {
  return chain.map(({ text }) => text).join('') || '/';
}

/** Returns the names of the parameters in a path. Those of a regular expression are its named groups. */
export function parametersOf(path: string): string[] {
  return [...path.matchAll(/[:*<]"?(\w+)/g)].map(([, name = '']) => name);
}

/** Returns paths of requests that reach a place, as the layers of Express match them, in as many shapes as possible. */
export function requestsTo(place: Place): readonly string[] {
  const { chain } = place;
  const urls = VALUES.flatMap((valueOf) =>
    [true, false].flatMap((isThere) =>
      WILDCARD_VALUES.flatMap((rest) => {
        let index = 0;
        const texts = chain.map(({ layer, text }) =>
          text
            .replace(/\{([^{}]*)\}/g, isThere ? '$1' : '')
            .replace(/\/?:\w+(?:\([^)]*\))?\?/g, (one) => (isThere ? one.slice(0, -1) : ''))
            .replace(/:\w+(?:\([^)]*\))?/g, () => valueOf(index++))
            .replace(layer.regexp ? /\*/g : /\*\w+/g, rest),
        );
        // The routers above can be case-sensitive, and the last one not.
        const cased = [...chain.keys(), chain.length].map((from) =>
          texts.map((text, at) => (at < from ? text : text.toUpperCase()).replace(/\/+/g, '/')).filter(Boolean),
        );
        // In Express 4, a mount takes one of two slashes, and a longer path above does not match them.
        return cased.flatMap((parts) => [parts.join('').replace(/\/+/g, '/'), parts.join('/')]);
      }),
    ),
  );
  const shapes = urls.flatMap((url) => [url, url.replace(/\/$/, ''), `${url.replace(/\/$/, '')}/`, url + ANY]);
  return [...new Set(shapes.map((url) => url || '/'))].filter((url) => paramsAt(place, url));
}

/** Returns the parameters that each layer of a place finds in the path of a request, or `undefined` for another path. */
export function paramsAt({ chain }: Pick<Place, 'chain'>, url: string) {
  const params: Readonly<Record<string, unknown>>[] = [];
  let rest = url;
  for (const { layer } of chain) {
    const found = layer.match(rest);
    if (found === false) return undefined;
    // The package router returns the match since 2.3. Until then, and in Express 4, the layer has it.
    const match = found === true ? layer : found;
    params.push({ ...match.params });
    rest = rest.slice(match.path?.length).replace(/^(?!\/)/, '/');
  }
  return params;
}

/** Returns true when all of these requests to a place reach another one, too. */
export function covers(outer: Place, inner: Place, requests = requestsTo(inner)): boolean {
  if (requests.length > 0) return requests.every((url) => paramsAt(outer, url));
  // No path is known that matches an expression, so that only layers without a path, or with the same one, cover it.
  const isSame = ({ layer, text }: Place['chain'][number], index: number) =>
    layer === inner.chain[index]?.layer || (text === inner.chain[index]?.text && layer.route === undefined);
  const start = [...outer.chain.map(isSame), false].indexOf(false);
  const rest = { chain: outer.chain.slice(start) };
  return ['/', ANY, ANY + ANY].every((url) => paramsAt(rest, url));
}

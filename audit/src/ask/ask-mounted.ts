import type { Ask } from './ask.js';
import type { Trail } from './listen-in.js';
import { pathsFor, shapesOf } from './requests.js';
import type { Found } from './routes.js';
import { type AskedRoute, rowOf } from './row.js';
import { answererOf, besideThePoint, isOk, isRefusal } from './verdict.js';

/** Asks a function at a path, for example a proxy or GraphQL: it can answer as a route does. */
export async function askMounted(
  { layer, path, template, inner }: Found,
  order: number,
  found: readonly Found[],
  ask: Ask,
): Promise<AskedRoute[]> {
  const [url] = pathsFor(template);
  if (layer.route || inner.length > 0 || template === '' || url === undefined) return [];
  const target = { template, route: undefined, order, layer };
  const isOwn = (one: Trail) => answererOf(one)?.layer === layer && !isRefusal(one);
  const plain = await ask('get', url, target);
  const isShape = isRefusal(plain);
  // A POST can write, so it is sent only if GET got no answer.
  const others = isShape
    ? (await Promise.all(shapesOf(url).map((path) => ask('get', path, target)))).filter(isOk)
    : isOwn(plain)
      ? []
      : [await ask('post', url, target)];
  const trail = isOwn(plain) ? plain : others.find(isOwn);
  if (!trail) return [];
  const isInput = besideThePoint(trail) === 'input';
  // A function before routes is a check of their input.
  if (isInput && found.some((one) => one.layer.route && one.template.startsWith(template))) return [];
  const verdict = isOk(trail) ? 'open' : isInput ? 'openWithInput' : 'unclear';
  return [rowOf({ method: 'use', path, route: undefined }, { verdict, trail, by: answererOf(trail), isShape })];
}

import type { Ask, Target } from './ask.js';
import type { Route } from './express-types.js';
import type { Trail } from './listen-in.js';
import { pathsFor, shapesOf, type ValueOf } from './requests.js';
import { methodsOf } from './routes.js';
import { inputsOf, isRefusal, judge, type Judged } from './verdict.js';

interface Asking {
  readonly ask: Ask;
  readonly parameter: ValueOf | undefined;
  readonly guards: Set<Route>;
}

const METHODS_OF_ALL = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Asks a route at some paths, and where it refuses, at other shapes of them.
 * @param guards gets the routes of other paths that guard this one
 */
export async function judgeRoute(
  route: Route,
  target: Target,
  method: string | undefined,
  { ask, parameter, guards }: Asking,
): Promise<Judged> {
  const named = methodsOf(route);
  const methods = method ? [method] : METHODS_OF_ALL.filter((one) => !named.includes(one));
  const some = await askEach(ask, methods, pathsFor(target.template, parameter), target);
  for (const trail of some)
    // A route of all methods that goes on is middleware, as NestJS mounts it. Another one can be a page.
    for (const { route: other, isThrough, isLast, passed } of trail.ran)
      if (other && isThrough && isLast && (passed ? methodsOf(other).includes(undefined) : isRefusal(trail)))
        guards.add(other);
  const plain = judge(some, route, target.order);
  if (plain.verdict !== 'refused' && plain.verdict !== 'unreached') return plain;
  const bases = some.filter((one) => plain.verdict === 'unreached' || isRefusal(one)).map(({ path }) => path);
  // Only an expression makes a difference between two values.
  const keyOf = (base: string) => (target.template.includes('(') ? base : base.split('/').length);
  const shapes = [...new Map(bases.map((base) => [keyOf(base), base])).values()].flatMap(shapesOf);
  const shaped = judge(await askEach(ask, methods, shapes, target), route, target.order);
  if (plain.verdict === 'unreached') return shaped;
  // Express gives HEAD to the handler of GET.
  const heads = methods.includes('get') ? await askEach(ask, ['head'], bases.slice(0, 1), target) : [];
  const head = judge(heads, route, target.order);
  // A refusal in a text has no text for HEAD.
  if (head.verdict === 'open' && head.trail?.reached) return { ...head, isShape: true };
  return shaped.verdict.startsWith('open') ? { ...shaped, isShape: true } : plain;
}

/** Asks at the other paths unless the first is open. */
async function askEach(
  ask: Ask,
  methods: readonly string[],
  paths: readonly string[],
  target: Target,
): Promise<Trail[]> {
  const asking = methods.map(async (method) => {
    const [first, ...others] = paths;
    const trail = await ask(method, first ?? '/', target);
    if (trail.reached === target.route && inputsOf(trail).length === 0) return [trail];
    return [trail, ...(await Promise.all(others.map((path) => ask(method, path, target))))];
  });
  return (await Promise.all(asking)).flat();
}

import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Handle, Layer, Next, Route, Router } from './express-types.js';
import { type Called, type Found, handlersOf, methodsOf, ownerOfHandle } from './routes.js';

/** The mark of express-merchant-auth on its handlers. README.md describes it. */
export interface Mark {
  readonly kind: 'bearer' | 'ownReference' | 'login';
  readonly account?: boolean;
  readonly reference?: string;
  readonly names?: readonly string[];
}

/** A function that ran for a request. Without a layer, it is a callback of `router.param`. */
export interface Ran {
  readonly fn: Handle;
  readonly name: string;
  /** Its place in the app. */
  readonly order: number;
  readonly layer?: Layer;
  readonly route?: Route | undefined;
  readonly isLast?: boolean;
  /** True for a function of another route that can be the guard of this one, as in `app.all('/api/*', guard)`. */
  isThrough?: boolean;
  /** True when it went on. */
  passed?: boolean;
}

/** A request to the route `aim`, the functions that ran for it, and the answer. */
export interface Trail {
  readonly method: string;
  readonly path: string;
  readonly aim: Route | undefined;
  /** The place of `aim` in the app. */
  readonly order: number;
  /** The functions that are left out, because they answer for a reason other than the caller. */
  readonly leftOut: ReadonlyMap<Handle, 'input' | 'other'>;
  readonly runsHandler: boolean;
  readonly ran: Ran[];
  /** The route whose handler was reached. */
  reached?: Route | undefined;
  handler?: Handle;
  /** 0 without an answer in time. */
  status: number;
  text: string;
  /** The target of a redirect. */
  location?: URL | undefined;
  /** The function that answered: the first that had not gone on. */
  by?: Ran | undefined;
  /** True when its text about a token does not depend on the credentials of the caller. */
  isOfInput?: boolean;
  /** True when the answer is known. A function can go on after its answer, where a `return` is missing. */
  isOver: boolean;
  /** True when no answer came in time, or the audit is over. A slow function must not reach a handler that is back. */
  isStopped: boolean;
  readonly end: (status: number, text?: string, location?: URL) => void;
}

const REACHED = 299;

export function markOf(fn: Handle | undefined): Mark | undefined {
  return fn && (Reflect.get(fn, Symbol.for('express-merchant-auth.mark')) as Mark | undefined);
}

/**
 * Replaces the functions of an app: each notes that it ran, and no handler runs.
 * @param trailOf returns the notes about a request, and `undefined` for a request of somebody else
 * @param gated the routes that a framework made: its gate comes in their handler
 * @param changes gets the functions that put back what was replaced
 * @param calls gets the routers that functions of the host call. No function of a router that was not found runs
 */
export function listenIn(
  found: readonly Found[],
  called: Called,
  trailOf: (req: IncomingMessage) => Trail | undefined,
  gated: ReadonlySet<Route>,
  changes: (() => void)[],
  calls: Map<Layer, Set<Router>>,
): void {
  function listen<Key extends PropertyKey>(owner: Record<Key, Handle>, key: Key, about: Omit<Ran, 'fn'>) {
    const fn = owner[key];
    const { route, isLast = false } = about;
    // With express-async-errors, `handle` is an accessor, and its value is in another property.
    const before = Object.getOwnPropertyDescriptors(owner);
    changes.push(() => void Object.defineProperties(owner, before));
    owner[key] = Object.assign<Handle, Handle>((req, res, next, ...more) => {
      const trail = trailOf(req);
      if (!trail) return fn(req, res, next, ...more);
      const isBefore = route !== undefined && trail.aim !== route && about.order < trail.order;
      const isThrough = isBefore && fn.length > 2 && canGuard(route, trail.aim);
      if (!isLast || isThrough || (trail.runsHandler && trail.aim === route))
        return follow(trail, { ...about, fn, isThrough }, next, (onward) => fn(req, res, onward, ...more));
      Object.assign(trail, { reached: route, handler: fn });
      trail.end(REACHED);
      // Without the functions that a host put around it.
      return (Reflect.get(ServerResponse.prototype, 'end') as () => unknown).call(res);
    }, fn);
  }

  // A wrapper can have the members of its router.
  const stacks = new Set(found.flatMap(({ inner }) => inner.map(({ stack }) => stack)));
  const router = found[0]?.inner[0];
  if (router && router.stack.length > 0) {
    const owner = ownerOfHandle(router);
    const { handle } = owner;
    changes.push(() => void (owner.handle = handle));
    owner.handle = function leaveOut(this: Router, req, res, next) {
      const trail = trailOf(req);
      const by = trail?.ran.at(-1);
      if (by?.layer && !by.passed && !trail?.isOver) {
        by.passed = true;
        calls.set(by.layer, (calls.get(by.layer) ?? new Set()).add(this));
      }
      if (!trail || stacks.has(this.stack)) return handle.call(this, req, res, next);
      next();
      return undefined;
    };
  }

  const seen = new Set<Layer>();
  for (const [order, { layer, inner }] of found.entries()) {
    if (seen.has(layer)) continue;
    seen.add(layer);
    const { route, name } = layer;
    for (const [param, callbacks] of inner.flatMap(({ params = {} }) => Object.entries(params)))
      for (const at of callbacks.keys()) listen(callbacks, at, { name: `param('${param}')`, order });
    const isOfExpress = inner.length > 0 && !called.has(layer);
    if (!route && !isOfExpress && layer.handle.length < 4) listen(layer, 'handle', { layer, name, order });
    if (!route) continue;
    for (const one of handlersOf(route))
      listen(one, 'handle', { layer: one, name: one.name, route, order, isLast: isEnd(one, route, gated) });
  }
}

/** Returns true for a function of a route that ends it: the last one of its method, or one that cannot go on. */
function isEnd(one: Layer, route: Route, gated: ReadonlySet<Route>): boolean {
  const isChecker = ({ handle }: Layer) => (markOf(handle)?.kind ?? 'login') !== 'login';
  if (gated.has(route) || isChecker(one)) return false;
  const isOfMethod = ({ method }: Layer) => one.method === undefined || method === one.method;
  const last = handlersOf(route).findLast((other) => isOfMethod(other) && !isChecker(other));
  return last === one || one.handle.length === 1 || one.handle.length === 2;
}

/** Runs a function for a request, and notes if it went on. */
function follow(trail: Trail, one: Ran, next: Next, call: (next: Next) => unknown): unknown {
  trail.ran.push(one);
  if (!trail.leftOut.has(one.fn))
    return call((error) => {
      if (trail.isStopped) return;
      // A token against forged requests proves nothing about the caller: any stranger can fetch one.
      const isForged = /csrf|xsrf/i.test(
        ['code', 'message'].map((key) => String(Reflect.get(Object(error), key))).join(),
      );
      one.passed = isForged || error === undefined || error === null || error === 'route' || error === 'router';
      next(isForged ? undefined : error);
    });
  one.passed = true;
  next();
  return undefined;
}

function canGuard(route: Route, aim: Route | undefined): boolean {
  const path = String(route.path);
  const isWide = route.path instanceof RegExp || path.includes('*') || methodsOf(route).includes(undefined);
  return isWide || path === String(aim?.path);
}

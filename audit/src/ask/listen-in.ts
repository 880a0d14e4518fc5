import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Handle, Layer, Next, Route, Router } from './express-types.js';
import { type Called, type Found, handlersOf, methodsOf, ownerOfHandle, routerOf } from './routes.js';

/** The mark of express-merchant-auth on its handlers (README.md). */
export interface Mark {
  readonly kind: 'bearer' | 'ownReference' | 'login';
  readonly account?: boolean;
  readonly reference?: string;
  readonly names?: readonly string[];
}

/** A function that ran. Without a layer, it is a callback of `router.param`. */
export interface Ran {
  readonly fn: Handle;
  readonly name: string;
  /** Its place in the app. */
  readonly order: number;
  readonly layer?: Layer;
  readonly route?: Route | undefined;
  readonly isLast?: boolean;
  /** Of another route that can guard this one, as in `app.all('/api/*', guard)`. */
  isThrough?: boolean;
  /** It went on. */
  passed?: boolean;
  /** An async function returns a promise. */
  returned?: unknown;
}

/** A request to the route `aim`, and the answer. */
export interface Trail {
  readonly method: string;
  readonly path: string;
  readonly aim: Route | undefined;
  /** The place of `aim` in the app. */
  readonly order: number;
  /** Functions that answer for a reason other than the caller. */
  readonly leftOut: ReadonlyMap<Handle, 'input' | 'other'>;
  readonly runsHandler: boolean;
  readonly ran: Ran[];
  reached?: Route | undefined;
  handler?: Handle;
  /** 0 without an answer in time. */
  status: number;
  text: string;
  location?: URL | undefined;
  /** The first function that had not gone on. */
  by?: Ran | undefined;
  /** Its text about a token does not depend on the caller's credentials. */
  isOfInput?: boolean;
  /** The answer is known. A function without a `return` can go on after it. */
  isOver: boolean;
  /** No answer came in time, or the audit is over. A slow function must not reach a restored handler. */
  isStopped: boolean;
  readonly end: (status: number, text?: string, location?: URL) => void;
}

const REACHED = 299;

export function markOf(fn: Handle | undefined): Mark | undefined {
  return fn && (Reflect.get(fn, Symbol.for('express-merchant-auth.mark')) as Mark | undefined);
}

/**
 * Replaces the functions of an app: each notes that it ran, and no handler runs.
 * @param trailOf returns `undefined` for a request of somebody else
 * @param changes gets functions that restore the app
 */
export function listenIn(
  found: readonly Found[],
  called: Called,
  trailOf: (req: IncomingMessage) => Trail | undefined,
  gated: ReadonlySet<Route>,
  changes: (() => void)[],
): void {
  function listen<Key extends PropertyKey>(owner: Record<Key, Handle>, key: Key, about: Omit<Ran, 'fn'>) {
    const fn = owner[key];
    const { route, isLast = false } = about;
    // express-async-errors makes `handle` an accessor, with its value in another property.
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
      // Without the host's wrappers.
      return (Reflect.get(ServerResponse.prototype, 'end') as () => unknown).call(res);
    }, fn);
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
      if (called.has(one) || !routerOf(one.handle))
        listen(one, 'handle', { layer: one, name: one.name, route, order, isLast: isEnd(one, route, gated) });
  }
}

/**
 * Lets no request of the audit into a router that is not in `found`.
 * @param calls gets the routers that functions of the host call
 */
export function leaveOutUnknown(
  found: readonly Found[],
  trailOf: (req: IncomingMessage) => Trail | undefined,
  changes: (() => void)[],
  calls: Map<Layer, Set<Router>>,
): void {
  // A wrapper can have the members of its router.
  const stacks = new Set(found.flatMap(({ inner }) => inner.map(({ stack }) => stack)));
  const router = found[0]?.inner[0];
  if (!router || router.stack.length === 0) return;
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

/** The last function of a method ends a route, and one that cannot go on. */
function isEnd(one: Layer, route: Route, gated: ReadonlySet<Route>): boolean {
  const isChecker = ({ handle }: Layer) => (markOf(handle)?.kind ?? 'login') !== 'login';
  if (gated.has(route) || isChecker(one)) return false;
  const isOfMethod = ({ method }: Layer) => one.method === undefined || method === one.method;
  const last = handlersOf(route).findLast((other) => isOfMethod(other) && !isChecker(other));
  return last === one || one.handle.length === 1 || one.handle.length === 2;
}

/** Runs a function, and notes if it went on. */
function follow(trail: Trail, one: Ran, next: Next, call: (next: Next) => unknown): unknown {
  trail.ran.push(one);
  if (!trail.leftOut.has(one.fn))
    return (one.returned = call((error) => {
      if (trail.isStopped) return;
      // A token against forged requests proves nothing about the caller: any stranger can fetch one.
      const isForged = /csrf|xsrf/i.test(
        ['code', 'message'].map((key) => String(Reflect.get(Object(error), key))).join(),
      );
      one.passed = isForged || error === undefined || error === null || error === 'route' || error === 'router';
      next(isForged ? undefined : error);
    }));
  one.passed = true;
  next();
  return undefined;
}

function canGuard(route: Route, aim: Route | undefined): boolean {
  const path = String(route.path);
  const isWide = route.path instanceof RegExp || path.includes('*') || methodsOf(route).includes(undefined);
  return isWide || path === String(aim?.path);
}

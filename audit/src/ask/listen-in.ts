import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Handle, Layer, Next, Route } from './express-types.js';
import { type Found, handlersOf, methodsOf } from './routes.js';
import type { Ran, Trail } from './trail.js';

const REACHED = 299;
/** The mark of express-merchant-auth on its handlers. README.md describes it. */
export const MARK = Symbol.for('express-merchant-auth.mark');

export interface Listening {
  /** Returns the notes about a request, and `undefined` for a request of somebody else. */
  readonly trailOf: (req: IncomingMessage) => Trail | undefined;
  /** The routes that a framework made: its gate comes in their handler. */
  readonly gated: ReadonlySet<Route>;
}

/** Replaces the functions of an app: each notes that it ran, and no handler runs. Returns a function that puts them back. */
export function listenIn(found: readonly Found[], { trailOf, gated }: Listening): () => void {
  const changes: (() => void)[] = [];
  const seen = new Set<Layer>();

  function replace<Key extends PropertyKey>(owner: Record<Key, Handle>, key: Key, make: (old: Handle) => Handle) {
    const old = owner[key];
    changes.push(() => void (owner[key] = old));
    owner[key] = Object.assign(make(old), old);
  }

  function note<Key extends PropertyKey>(owner: Record<Key, Handle>, key: Key, about: Omit<Ran, 'fn' | 'passed'>) {
    replace(owner, key, (fn) => (req, res, next, ...more) => {
      const trail = trailOf(req);
      if (!trail) return fn(req, res, next, ...more);
      return follow(trail, { ...about, fn, passed: false }, res, next, (onward) => fn(req, res, onward, ...more));
    });
  }

  function replaceHandler(handler: Layer, route: Route, order: number) {
    const { name } = handler;
    replace(handler, 'handle', (fn) => (req, res, next) => {
      const trail = trailOf(req);
      if (!trail) return fn(req, res, next);
      const isThrough = trail.aim !== route;
      if (trail.runsHandler || MARK in fn || (isThrough && fn.length > 2 && canGuard(route, trail.aim))) {
        const one = { fn, name, route, order, isThrough, passed: false };
        return follow(trail, one, res, next, (onward) => fn(req, res, onward));
      }
      trail.reached = route;
      res.statusCode = REACHED;
      trail.end(REACHED);
      return trail.close(res);
    });
  }

  for (const [order, { layer, inner }] of found.entries()) {
    if (seen.has(layer)) continue;
    seen.add(layer);
    for (const [name, callbacks] of Object.entries(inner?.params ?? {}))
      for (const at of callbacks.keys()) note(callbacks, at, { name: `param('${name}')`, order, isParam: true });
    const { route, name } = layer;
    if (!route && !inner && layer.handle.length < 4) note(layer, 'handle', { layer, name, order });
    const handlers = route ? handlersOf(route) : [];
    for (const [at, handler] of handlers.entries()) {
      if (!route) continue;
      const isSame = ({ method }: Layer) => !method || !handler.method || method === handler.method;
      const isLast = !handlers.slice(at + 1).some(isSame);
      if (isLast && !gated.has(route)) replaceHandler(handler, route, order);
      else note(handler, 'handle', { layer: handler, name: handler.name, route, order });
    }
  }
  return () => {
    for (const undo of changes.reverse()) undo();
  };
}

/** Runs a function for a request, and notes whether it went on. */
function follow(trail: Trail, one: Ran, res: ServerResponse, next: Next, call: (next: Next) => unknown): unknown {
  trail.ran.push(one);
  if (trail.leftOut.has(one.fn) || isLimiter(one)) {
    next();
    return undefined;
  }
  return call((error) => {
    // After the audit, a slow function must not reach a handler that is back.
    if (trail.isOver) return;
    // A token against forged requests is no proof of the caller: any stranger can fetch one.
    const isForged = /csrf|xsrf/i.test(
      `${Reflect.get(Object(error), 'code')} ${Reflect.get(Object(error), 'message')}`,
    );
    if (isForged) res.statusCode = 200;
    one.passed = isForged || error === undefined || error === null || error === 'route' || error === 'router';
    next(isForged ? undefined : error);
  });
}

/** Returns true for a function of express-rate-limit. */
export function isLimiter({ fn }: Ran): boolean {
  return typeof Reflect.get(fn, 'resetKey') === 'function';
}

/** Returns true for a route that can be the guard of another one: `app.all('/api/*', guard)`. */
function canGuard(route: Route, aim: Route | undefined): boolean {
  const path = String(route.path);
  const isWide = route.path instanceof RegExp || path.includes('*') || methodsOf(route).includes(undefined);
  return isWide || path === String(aim?.path);
}

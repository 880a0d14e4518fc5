import type { ExpressRequest } from '../http/middleware.js';
import { merchantIfGuarded, type Merchant } from './merchant.js';

/** The requests' prototypes on which `user` is defined. */
const defined = new WeakSet<object>();

/**
 * Makes `req.user` the merchant, for ecosystem habit; it can be replaced as any property can.
 *
 * Under Express it is read through `app.request`, the prototype by which an application's requests are extended. A
 * property of the request's own would be the last of some that give each request a hidden class for itself, and cost
 * more than all checks of the guard together (docs/performance.md).
 */
export function setUser(req: ExpressRequest, merchant: Merchant): void {
  const prototype = Object.getPrototypeOf(req) as object;
  const isDefined = defined.has(prototype) || defineUser(prototype);
  if (!isDefined || Object.hasOwn(req, 'user')) req.user = merchant;
}

/** @returns whether requests of this prototype have it: not without Express, or where the host has a `user` of its own */
function defineUser(prototype: object): boolean {
  if (!isAppRequest(prototype)) return false;
  // Of an app that is mounted in another, the outermost, to which Express turns the request back.
  let outermost = prototype;
  for (let next = prototype; isAppRequest(next); next = Object.getPrototypeOf(next) as object) outermost = next;
  if (!defined.has(outermost)) {
    if ('user' in prototype) return false;
    Object.defineProperty(outermost, 'user', {
      configurable: true,
      enumerable: true,
      get: merchantIfGuarded,
      set(this: object, value: unknown) {
        Object.defineProperty(this, 'user', { configurable: true, enumerable: true, writable: true, value });
      },
    });
    defined.add(outermost);
  }
  defined.add(prototype);
  return true;
}

/** Express gives the `request` of each application an `app`. */
function isAppRequest(prototype: object): boolean {
  return Object.hasOwn(prototype, 'app');
}

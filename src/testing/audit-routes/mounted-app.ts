import type { Handle } from './express-types.js';

/** Ends the walk of a router in Express 4, without a call of an error handler. */
const EXIT_ROUTER = 'router';

/**
 * Returns the app that `app.use(subApp)` mounted. Express keeps it only in the closure of the mounted function, so the
 * function gets a probe in place of a request. A sub-app begins with the prototype of the request, whose member `app` is
 * the sub-app: the probe takes it and ends the call, before any handler of the host. This file can go when Express
 * exposes the app.
 */
export function mountedAppOf(handle: Handle): unknown {
  if (handle.name !== 'mounted_app' || !String(handle).includes('fn.handle(req, res, function')) return undefined;
  let isOver = false;
  let app: unknown;
  const probe = new Proxy(
    { method: 'GET', url: '/', query: {}, app: { request: {}, response: {} } },
    {
      setPrototypeOf(_target, prototype: { readonly app?: unknown } | null) {
        if (isOver) return true;
        app = prototype?.app;
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- the signal of Express
        throw EXIT_ROUTER;
      },
    },
  );
  try {
    Reflect.apply(handle, undefined, [probe, { setHeader: () => undefined }, () => undefined]);
  } catch {
    // The signal, in Express 5.
  }
  isOver = true;
  return app;
}

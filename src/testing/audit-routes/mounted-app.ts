import type { Handle } from './express-types.js';

/** Makes a router of Express 4 stop, without a call of an error handler. */
const EXIT_ROUTER = 'router';

/**
 * Returns the app that `app.use(subApp)` mounted. Express keeps the app only in the closure of the mounted function, so
 * this calls the function with a probe. A sub-app first sets the prototype of the request, and that prototype has the
 * member `app`. The probe reads it and ends the call before any handler of the host runs. This file can go when Express
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
    // In Express 5, the signal arrives here.
  }
  isOver = true;
  return app;
}

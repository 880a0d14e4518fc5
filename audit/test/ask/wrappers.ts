import type { Express, RequestHandler } from 'express';

interface Wrappable {
  use(this: Wrappable, ...parameters: unknown[]): unknown;
  readonly stack: { handle: RequestHandler }[];
}
export type Wrap = (inner: RequestHandler) => RequestHandler;

/** Wraps a handler as OpenTelemetry and express-async-errors do. */
export const copying: Wrap = (inner) => Object.assign(hiding(inner), inner);
/** Wraps a handler as express-promise-router and express-async-handler do. */
export const hiding: Wrap = (inner) =>
  function wrapped(req, res, next) {
    inner(req, res, next);
  };

/** Makes a router wrap each function, as a package does that replaces the method of the prototype. */
export function wrapEach<Target extends object>(router: Target, wrap: Wrap): Target {
  const wrappable = router as Target & Wrappable;
  const { use } = wrappable;
  wrappable.use = function (...parameters) {
    const start = this.stack.length;
    use.apply(this, parameters);
    for (const layer of this.stack.slice(start)) layer.handle = wrap(layer.handle);
    return this;
  };
  return router;
}

/** Returns the router of an app. Express 4 makes it late, and its `app.router` throws. */
export function routerOfApp(app: Express): object {
  const older = app as unknown as { lazyrouter?: () => void; readonly _router: object };
  older.lazyrouter?.();
  return older.lazyrouter ? older._router : app.router;
}

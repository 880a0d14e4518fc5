import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

export type Next = (error?: unknown) => void;
export type Handle = (req: IncomingMessage, res: ServerResponse, next: Next, ...more: unknown[]) => unknown;

/** The members that the audit uses, in Express 4 and 5. */
export interface Layer {
  handle: Handle;
  /** The name of the mounted function, even where a package has wrapped `handle`. */
  readonly name: string;
  readonly route?: Route;
  /** In a layer of a route: its only method, in lower case, and `undefined` for all. */
  readonly method?: string | undefined;
  /** Express 4, with the parameters of the path. */
  readonly regexp?: RegExp & { readonly fast_slash?: boolean };
  readonly keys?: readonly { readonly name: string | number }[];
  /** Express 5: mounted at `/`. */
  readonly slash?: boolean;
  /** Express 5 with router 2.3 or later: the path as the host wrote it. */
  readonly rawPath?: unknown;
}

export interface Route {
  readonly path: unknown;
  readonly stack: readonly Layer[];
}

export interface Router {
  readonly stack: readonly Layer[];
  /** The callbacks of `router.param`. */
  readonly params?: Readonly<Record<string, Handle[]>>;
}

/** As `express()` returned it. */
export interface App extends RequestListener {
  readonly set: unknown;
  readonly handle: unknown;
}

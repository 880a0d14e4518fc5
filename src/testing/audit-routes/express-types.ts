/** A function that a host or a package mounts. */
export type Handle = ((...parameters: never[]) => unknown) & Partial<Record<string, unknown>>;

/** The members of a layer, in Express 4 and 5, that the audit reads. */
export interface Layer {
  readonly handle: Handle;
  readonly route?: Route;
  /** The method of the handler, in a layer of a route. */
  readonly method?: string;
  /** Express 4. */
  readonly regexp?: RegExp & { readonly fast_slash?: boolean };
  /** Express 4: the parameters of the path. */
  readonly keys?: readonly { readonly name: string | number }[];
  /** Express 5: mounted at `/`. */
  readonly slash?: boolean;
  /** Express 5 with router 2.3 or later: the path as the host wrote it. */
  readonly rawPath?: unknown;
}

/** A route: its path and its handlers. `app.all` adds a method with the name `_all`. */
export interface Route {
  readonly path: unknown;
  readonly stack: readonly Layer[];
  readonly methods: Readonly<Record<string, boolean | undefined>>;
}

export interface Router {
  readonly stack: readonly Layer[];
  readonly caseSensitive?: boolean;
  readonly strict?: boolean;
  readonly mergeParams?: boolean;
}

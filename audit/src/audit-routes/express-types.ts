/** A function that a host or a package mounts. */
export type Handle = ((...parameters: never[]) => unknown) & Partial<Record<string, unknown>>;

/** The members of a layer, in Express 4 and 5, that the audit reads. */
export interface Layer {
  readonly handle: Handle;
  /** The name of the function that was mounted, even where a package has replaced `handle` by a wrapper. */
  readonly name: string;
  readonly route?: Route;
  /** In a layer of a route: the only method, in lower case, that reaches it, and `undefined` for all. */
  readonly method?: string | undefined;
  /** Express 4. */
  readonly regexp?: RegExp;
  /** Express 4: the parameters of the path. */
  readonly keys?: readonly { readonly name: string | number }[];
  /** Express 5: mounted at `/`. */
  readonly slash?: boolean;
  /** Says if a path matches. Until router 2.3, the layer then has the match. */
  readonly match: (path: string) => boolean | Pick<Layer, 'path' | 'params'>;
  /** The part of a path that the last match took. */
  readonly path?: string | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /** Express 5 with router 2.3 or later: the path as the host wrote it. */
  readonly rawPath?: unknown;
}

/** A route: its path and its handlers. `app.all` adds a method with the name `_all`. */
export interface Route {
  readonly path: unknown;
  readonly stack: readonly Layer[];
  readonly methods: Readonly<Record<string, boolean | undefined>>;
  readonly all?: Handle;
}

export interface Router {
  readonly stack: readonly Layer[];
  /** The parameters with callbacks of `router.param`. */
  readonly params?: Readonly<Record<string, unknown>>;
  readonly use?: Handle;
  readonly caseSensitive?: boolean;
  readonly strict?: boolean;
  readonly mergeParams?: boolean;
}

/** The members that `app.use(subApp)` sets on the mounted app, and a string until then. */
export interface MountedApp {
  readonly parent?: unknown;
  readonly mountpath?: unknown;
}

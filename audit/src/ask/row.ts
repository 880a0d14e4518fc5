import type { Handle, Route } from './express-types.js';
import { markOf } from './listen-in.js';
import { earlyIn, type Judged, type Verdict } from './verdict.js';

/** A route of the app, or a function that answers at a path (`USE`). */
export interface AuditedRoute {
  /** In upper case. `ALL` stands for every method that the route does not name. */
  readonly method: string;
  /** From the root of the app, as it was mounted. */
  readonly path: string;
  /** `open`: a caller without a token reaches the handler. `openWithInput`: with input that passes `by`. */
  readonly verdict: Verdict;
  /** The status of the answer, and 0 without one, for example where the handler was reached: it does not run. */
  readonly status: number;
  /** The function that answered, and '' if none did. */
  readonly by: string;
  /** The request that decided, for example `GET /V1/x`. */
  readonly request: string;
  /** Of a guard of express-merchant-auth that answered: true when it reads the account from a store. */
  readonly account?: boolean;
  /** Of a guard of express-merchant-auth that answered: its `reference`. */
  readonly reference?: string;
}

export interface AskedRoute extends AuditedRoute {
  readonly isShape: boolean;
  /** The functions that run before the guard. */
  readonly early: readonly string[];
  readonly handler?: Handle | undefined;
  readonly refuser?: Handle | undefined;
  /** The status of the handler, where it ran. */
  readonly ranTo?: number | undefined;
  readonly route: Route | undefined;
}

export function rowOf(
  { method, path, route }: { method: string; path: string | RegExp; route: Route | undefined },
  { verdict, trail, by, isShape = false }: Judged,
): AskedRoute {
  const { account, reference } = markOf(by?.fn) ?? {};
  return {
    method: method.toUpperCase(),
    path: String(path),
    verdict,
    status: trail && (trail.by || !trail.reached) ? trail.status : 0,
    by: by?.name ?? '',
    request: trail ? `${trail.method.toUpperCase()} ${trail.path}` : '',
    ...(account !== undefined && { account }),
    ...(reference !== undefined && { reference }),
    isShape,
    early: trail && route && verdict !== 'open' ? earlyIn(trail, route) : [],
    handler: trail?.handler ?? (verdict === 'open' ? by?.fn : undefined),
    refuser: by?.fn,
    route,
  };
}

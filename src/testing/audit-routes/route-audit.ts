/** A route of the app, and the checks that every request to it has passed. */
export interface AuditedRoute {
  /** In upper case. `ALL` is every method that the route does not name. */
  readonly method: string;
  /** The path from the root of the app, as it was mounted. */
  readonly path: string;
  /** `login` is POST /login of `createLoginRouter`. `bearer` is a route behind `requireBearer`. */
  readonly guard: 'login' | 'bearer' | 'none';
  /** True when the guard reads the account from a store. */
  readonly account: boolean;
  /** The `reference` of the last guard, or `demanded` with a `requireOwnReference` after it. */
  readonly reference: 'own' | 'demanded' | 'reported' | 'unchecked';
}

/** A mounted function whose routes the audit cannot see. */
export interface BlindSpot {
  /** The path where it is mounted; `null` when the router does not expose it. */
  readonly path: string | null;
  /** The name of the function. */
  readonly handler: string;
  /** True when a guard runs before it. */
  readonly isBehindGuard: boolean;
  readonly reason: string;
  readonly fix: string;
}

/** The routes of an app and their guards. `String(audit)` is a table with every finding and its fix. */
export interface RouteAudit {
  readonly routes: readonly AuditedRoute[];
  readonly blind: readonly BlindSpot[];
  /**
   * Everything that needs a fix or a decision: a route without a guard, a function that could answer and cannot be walked,
   * and a path parameter `refercence_cl` that nothing demands. The texts are stable, so a test can expect them.
   */
  readonly findings: readonly string[];
  toString(): string;
}

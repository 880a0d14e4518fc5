export type HandlerChecks =
  | { readonly kind: 'login' | 'ownReference' }
  | {
      readonly kind: 'bearer';
      /** The guard reads the account again on every request. */
      readonly account: boolean;
      readonly reference: 'own' | 'reported' | 'unchecked';
      readonly names: readonly string[];
    };

/** Tools such as express-merchant-auth-audit read the mark. audit/README.md describes it. */
export function markHandler<Handler extends object>(handler: Handler, checks: HandlerChecks): Handler {
  return Object.assign(handler, { [Symbol.for('express-merchant-auth.mark')]: Object.freeze(checks) });
}

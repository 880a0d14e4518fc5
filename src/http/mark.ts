export type HandlerChecks =
  | { readonly kind: 'login' | 'ownReference' }
  | {
      readonly kind: 'bearer';
      /** True when the guard reads the account again on every request. */
      readonly account: boolean;
      readonly reference: 'own' | 'reported' | 'unchecked';
      /** The names of the reference. */
      readonly names: readonly string[];
    };

/** Marks a handler with its checks, for tools such as express-merchant-auth-audit. audit/README.md describes the mark. */
export function markHandler<Handler extends object>(handler: Handler, checks: HandlerChecks): Handler {
  return Object.assign(handler, { [Symbol.for('express-merchant-auth.mark')]: Object.freeze(checks) });
}

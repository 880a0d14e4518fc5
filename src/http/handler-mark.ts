/** The facts about one of our handlers that `auditRoutes` reads. */
export type HandlerMark =
  | { readonly kind: 'login' | 'ownReference' }
  | {
      readonly kind: 'bearer';
      /** True when the guard reads the account again on every request. */
      readonly account: boolean;
      readonly reference: 'own' | 'reported' | 'unchecked';
    };

/** Holds no property of a handler, because other code could set or copy a property. */
const marks = new WeakMap<object, HandlerMark>();

/** Marks a handler as one of ours. No code outside of this package can do this. */
export function markHandler<Handler extends object>(handler: Handler, mark: HandlerMark): Handler {
  marks.set(handler, mark);
  return handler;
}

/** Returns `undefined` for a handler that this copy of the package did not make. */
export function markOf(handler: object): HandlerMark | undefined {
  return marks.get(handler);
}

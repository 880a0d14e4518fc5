/** Describes a handler of this package to `auditRoutes`. */
export type HandlerMark =
  | { readonly kind: 'login' | 'ownReference' }
  | {
      readonly kind: 'bearer';
      /** True when the guard reads the account again on every request. */
      readonly account: boolean;
      readonly reference: 'own' | 'reported' | 'unchecked';
    };

/**
 * Holds the mark of each handler. The mark is not a property of the handler, because other code could set or copy a
 * property.
 */
const marks = new WeakMap<object, HandlerMark>();

/** Marks a handler as one of this package. Other code cannot do this. */
export function markHandler<Handler extends object>(handler: Handler, mark: HandlerMark): Handler {
  marks.set(handler, mark);
  return handler;
}

/** Returns the mark of a handler. Returns `undefined` for a handler that this copy of the package did not make. */
export function markOf(handler: object): HandlerMark | undefined {
  return marks.get(handler);
}

import type { ReferenceMode } from '../options/reference-mode.js';

export type HandlerChecks =
  | { readonly kind: 'login' | 'ownReference' }
  | {
      readonly kind: 'bearer';
      /** True when the guard reads the account again on every request. */
      readonly account: boolean;
      readonly reference: ReferenceMode;
      readonly referenceNames: readonly string[];
    };

/** Add 1 when a reader of the older mark would misread the new one. */
const VERSION = 1;

/**
 * Marks a handler with its checks, for tools such as express-merchant-auth-audit. audit/README.md describes the mark. Its
 * `handler` tells the marked function from one that has copies of its properties. The string key is for packages that wrap
 * handlers, because they copy no symbol.
 */
export function markHandler<Handler extends object>(handler: Handler, checks: HandlerChecks): Handler {
  const mark = Object.freeze({ version: VERSION, handler, ...checks });
  return Object.assign(handler, { [Symbol.for('express-merchant-auth.mark')]: mark, expressMerchantAuth: mark });
}

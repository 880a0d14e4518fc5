import type { Handle, Layer } from './express-types.js';

/** The checks of a handler of express-merchant-auth, as its mark says them. README.md describes the mark. */
export type HandlerMark =
  | { readonly kind: 'login' | 'ownReference' }
  | {
      readonly kind: 'bearer';
      readonly account: boolean;
      readonly reference: 'own' | 'reported' | 'unchecked';
      readonly referenceNames: readonly string[];
    };

const MARK = Symbol.for('express-merchant-auth.mark');
/** The enumerable string key of the same mark, which wrappers copy. */
const COPIED = 'expressMerchantAuth';
const VERSION = 1;
const KINDS = ['login', 'ownReference', 'bearer'];

/**
 * The names of the handlers. A guard is never recognized by its name alone. A layer keeps the name even where a package
 * replaces the handler, so that a name without a mark shows a wrapper.
 */
const NAMES = ['requireBearerMiddleware', 'requireOwnReferenceMiddleware', 'createLoginRouterMiddleware'];

/** Returns the mark of a handler. A function with copies of its properties is not the `handler` of the mark. */
export function markOf(handle: Handle): HandlerMark | undefined {
  const mark = propertyOf(handle, MARK);
  return isKnown(mark) && mark['handler'] === handle ? checksIn(mark) : undefined;
}

/** Returns the mark that a wrapper has from its handler. The name has to show too, because a host can copy properties. */
export function copiedMarkOf({ handle, name }: Layer): HandlerMark | undefined {
  const mark = propertyOf(handle, COPIED);
  return NAMES.includes(name) && isKnown(mark) ? checksIn(mark) : undefined;
}

/** Returns true for a mark of a version of express-merchant-auth that this package does not know. */
export function hasUnknownMark({ handle, name }: Layer): boolean {
  const marks = [propertyOf(handle, MARK), NAMES.includes(name) ? propertyOf(handle, COPIED) : undefined];
  return marks.some((mark) => mark !== undefined && !isKnown(mark));
}

export function hasOurName({ name }: Pick<Layer, 'name'>): boolean {
  return NAMES.includes(name);
}

function propertyOf(handle: Handle, key: string | symbol) {
  return Reflect.get(handle, key) as Readonly<Record<string, unknown>> | undefined;
}

function isKnown(mark: Readonly<Record<string, unknown>> | undefined): mark is Readonly<Record<string, unknown>> {
  return mark?.['version'] === VERSION && KINDS.includes(String(mark['kind']));
}

/** Leaves the function out, because two guards with the same checks are equal. */
function checksIn({ handler: _handler, version: _version, ...checks }: Readonly<Record<string, unknown>>) {
  return checks as HandlerMark;
}

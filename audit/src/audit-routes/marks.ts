import type { RequireBearerOptions } from 'express-merchant-auth';
import type { Handle, Layer, Route, Router } from './express-types.js';

/** The checks of a handler of express-merchant-auth, as its mark says them. README.md describes the mark. */
export type HandlerMark =
  | { readonly kind: 'login' | 'ownReference' }
  | {
      readonly kind: 'bearer';
      readonly account: boolean;
      readonly reference: NonNullable<RequireBearerOptions['reference']>;
      readonly referenceNames: readonly string[];
    };

/** A mounted function, as far as its name and its mark tell it. */
export interface Mounted extends Pick<Layer, 'name'> {
  readonly mark: HandlerMark | undefined;
  /** The kind of blind spot of a handler of express-merchant-auth whose checks cannot be read. */
  readonly unread: 'version' | 'noMark' | undefined;
}

/**
 * Says how a router or a route keeps the functions that are mounted: as they are, in wrappers that have copies of their
 * properties, or in wrappers that have nothing of them.
 */
export type Keeping = 'same' | 'copies' | 'nothing';

type Mark = Readonly<Record<string, unknown>>;

const MARK = Symbol.for('express-merchant-auth.mark');
/** The enumerable string key of the same mark, which wrappers copy. */
const COPIED = 'expressMerchantAuth';
const VERSION = 1;
const KINDS: Readonly<Record<HandlerMark['kind'], true>> = { login: true, ownReference: true, bearer: true };

/** A layer keeps the name of a handler even where a package replaces it, so that a name without a mark shows a wrapper. */
const NAMES = ['requireBearerMiddleware', 'requireOwnReferenceMiddleware', 'createLoginRouterMiddleware'];

/**
 * Reads the mark of a mounted function. A function with copies of its properties is not the `handler` of the mark, so that
 * a copied mark counts only where all handlers are wrapped. The name has to show too, because a host can copy properties.
 */
export function mountedIn({ handle, name }: Layer, keeping: Keeping): Mounted {
  const isNamed = NAMES.includes(name);
  const [mark, copied] = [propertyOf(handle, MARK), isNamed ? propertyOf(handle, COPIED) : undefined];
  const checks =
    (mark?.['handler'] === handle ? checksIn(mark) : undefined) ??
    (keeping === 'copies' ? checksIn(copied) : undefined);
  const isOfVersion = [mark, copied].every((one) => one === undefined || checksIn(one));
  return { name, mark: checks, unread: !isOfVersion ? 'version' : isNamed && !checks ? 'noMark' : undefined };
}

function propertyOf(handle: Handle, key: string | symbol): Mark | undefined {
  return Reflect.get(handle, key) as Mark | undefined;
}

/** Returns the checks of a mark of a known version, without the function, because two guards with the same checks are equal. */
function checksIn({ version, handler: _handler, ...checks }: Mark = {}): HandlerMark | undefined {
  return version === VERSION && Object.hasOwn(KINDS, String(checks['kind'])) ? (checks as HandlerMark) : undefined;
}

/**
 * Mounts a probe with the method of a router or route, but on an empty one, because packages such as
 * express-async-errors and OpenTelemetry replace this method or what it calls. A wrapper of a router has no methods, and
 * keeps as the router above it.
 */
export function keepingOf(container: Partial<Router & Route>, above: Keeping): Keeping {
  const mount = container.use ?? container.all;
  if (mount === undefined) return above;
  const probe = Object.assign(() => undefined, { isProbe: true });
  const empty = { stack: [] as Layer[], methods: {} };
  try {
    Reflect.apply(mount, empty, [probe]);
  } catch {
    return 'nothing';
  }
  const handle = empty.stack.at(-1)?.handle;
  if (Object.is(handle, probe)) return 'same';
  return handle?.['isProbe'] === true ? 'copies' : 'nothing';
}

import type { HandlerMark } from './marks.js';
import { covers, paramsAt, parametersOf, type Place, requestsTo, showPlace } from './place.js';
import type { AuditedRoute } from './route-audit.js';

/** The requests that a handler gets. */
interface Reach {
  readonly place: Place;
  /** The only method that reaches the handler; `undefined` for all. */
  readonly method: string | undefined;
}

export type BodyParser = Reach & { readonly kind: 'parser'; readonly name: string };

/** A function of the host that gets the parameters of a path, and could answer. */
type Early = Reach & { readonly kind: 'early'; readonly name: string };

/** A handler that comes before the place in question. */
export type Passed = (Reach & HandlerMark) | BodyParser | Early;

/** The checks that every request to a place has passed. */
export interface Protection extends Pick<AuditedRoute, 'account' | 'reference'> {
  readonly guard: 'bearer' | 'none';
  /** The names of the reference that the last guard checks. */
  readonly referenceNames: readonly string[];
  /** The names of the reference in the path that no check has seen, each with its number in the path. */
  readonly unseen: readonly { readonly name: string; readonly times: number }[];
  /** The function that runs before the first guard. */
  readonly early: string | undefined;
  /** The parsers that get no body because a check of this package comes before them. */
  readonly idle: readonly BodyParser[];
}

/** The names of the functions that body-parser 1 and 2 return. Nothing else of a parser can be seen from outside. */
const PARSERS = new Set(['jsonParser', 'rawParser', 'textParser', 'urlencodedParser']);

export function parserIn(name: string) {
  return PARSERS.has(name) ? ({ kind: 'parser', name } as const) : undefined;
}

/** Returns the checks that a request passes before it reaches `place`. The last guard decides. */
export function protectionOf(place: Place, method: string | undefined, passed: readonly Passed[]): Protection {
  const requests = requestsTo(place);
  const handlers = passed.filter(
    (handler) => (handler.method === undefined || handler.method === method) && covers(handler.place, place, requests),
  );
  let guard: Extract<Passed, { kind: 'bearer' }> | undefined;
  let isDemanded = false;
  let early: string | undefined;
  const checks: Place[] = [];
  for (const handler of handlers) {
    if (handler.kind === 'early' && !guard) early ??= handler.name;
    if (handler.kind === 'bearer') guard = handler;
    const isDemand = handler.kind === 'ownReference' && guard !== undefined && guard.reference !== 'reported';
    isDemanded ||= isDemand;
    if (isDemand || (handler.kind === 'bearer' && handler.reference === 'own')) checks.push(handler.place);
  }
  const referenceNames = guard?.referenceNames ?? [];
  return {
    guard: guard ? 'bearer' : 'none',
    account: guard?.account ?? false,
    reference: isDemanded && guard?.reference !== 'reported' ? 'demanded' : (guard?.reference ?? 'unchecked'),
    referenceNames,
    unseen: referenceNames.flatMap((name) => unseenIn(name, place, checks, requests)),
    early,
    idle: idleParsersIn(handlers),
  };
}

/** Returns a name that is in a path at a place that none of the checks has seen. */
function unseenIn(name: string, place: Place, checks: readonly Place[], requests: readonly string[]) {
  const path = showPlace(place);
  const timesIn = (text: string) => parametersOf(text).filter((one) => one === name).length;
  // A check at `/:refercence_cl` sees the whole segment, and the route `/:kind-:refercence_cl` a part of it.
  const isSeen = (url: string) =>
    paramsAt(place, url)?.every(
      (params) => params[name] === undefined || checks.some((at) => visibleAt(at, url)[name] === params[name]),
    );
  const areSeen = requests.length > 0 ? requests.every(isSeen) : checks.some((at) => showPlace(at) === path);
  const isHidden = timesIn(path) > 0 && (!areSeen || place.chain.some(({ text }) => timesIn(text) > 1));
  return isHidden ? [{ name, times: timesIn(path) }] : [];
}

/** Returns what `req.params` has. Where several segments have a parameter, it has the last one. */
function visibleAt(place: Place, url: string): Readonly<Record<string, unknown>> {
  return Object.assign({}, ...(paramsAt(place, url) ?? []).slice(place.visibleFrom)) as Record<string, unknown>;
}

/**
 * A check of this package reads JSON and refuses every other body. With `reference: 'reported'` it leaves other bodies
 * unread. A second parser of one kind is not idle, because it gets no body without the check either.
 */
function idleParsersIn(handlers: readonly Passed[]): readonly BodyParser[] {
  return handlers.flatMap((parser, index) => {
    if (parser.kind !== 'parser') return [];
    const before = handlers.slice(0, index);
    const isSecond = before.some((other) => other.kind === 'parser' && other.name === parser.name);
    const guard = before.findLast((other) => other.kind === 'bearer');
    const isUnread = guard?.reference === 'reported' && parser.name !== 'jsonParser';
    return before.some(readsBody) && !isUnread && !isSecond ? parser : [];
  });
}

function readsBody(handler: Passed): boolean {
  return handler.kind === 'ownReference' || (handler.kind === 'bearer' && handler.reference !== 'unchecked');
}

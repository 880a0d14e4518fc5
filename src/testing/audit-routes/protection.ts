import type { HandlerMark } from '../../http/middleware.js';
import { type BodyParser, idleParsersIn } from './body-parsers.js';
import { covers, type Place, referencesIn } from './place.js';
import type { AuditedRoute } from './route-audit.js';

/** A function of the host that gets the parameters of a path, and could answer. */
interface Early {
  readonly kind: 'early';
  readonly name: string;
}

/** A handler of this package, a body parser or an early function, that comes before the place in question. */
export interface Passed {
  readonly mark: HandlerMark | BodyParser | Early;
  readonly place: Place;
  /** The only method that reaches the handler; `undefined` for all. */
  readonly method: string | undefined;
}

/** The checks that every request to a place has passed. */
export interface Protection extends Pick<AuditedRoute, 'account' | 'reference'> {
  readonly guard: 'bearer' | 'none';
  /**
   * Says if a check has seen each parameter `refercence_cl` of the path. `repeated` stands for unchecked when the path
   * has several.
   */
  readonly parameters: 'checked' | 'unchecked' | 'repeated';
  /** The function that runs before the first guard. */
  readonly early: string | undefined;
}

function passedAt(place: Place, method: string | undefined, passed: readonly Passed[]): readonly Passed[] {
  return passed.filter(({ method: only, place: at }) => (only === undefined || only === method) && covers(at, place));
}

export function idleParsersAt(place: Place, method: string | undefined, passed: readonly Passed[]) {
  return idleParsersIn(passedAt(place, method, passed).flatMap(({ mark }) => (mark.kind === 'early' ? [] : mark)));
}

/** Returns the checks that a request passes before it reaches `place`. The last guard decides. */
export function protectionOf(place: Place, method: string | undefined, passed: readonly Passed[]): Protection {
  const references = referencesIn(place);
  const unchecked = new Set(references);
  let guard: Extract<HandlerMark, { kind: 'bearer' }> | undefined;
  let isDemanded = false;
  let early: string | undefined;
  for (const { mark, place: at } of passedAt(place, method, passed)) {
    if (mark.kind === 'early' && !guard) early ??= mark.name;
    if (mark.kind === 'parser' || mark.kind === 'early') continue;
    if (mark.kind === 'bearer') guard = mark;
    const refuses = mark.kind === 'bearer' ? mark.reference === 'own' : guard && guard.reference !== 'reported';
    if (!refuses) continue;
    isDemanded ||= mark.kind === 'ownReference';
    const seen = lastReferenceSeenAt(at);
    // A check at `/:refercence_cl` sees the whole segment, and the route `/:kind-:refercence_cl` a part of it.
    if (seen !== undefined && at.segments[seen]?.text === place.segments[seen]?.text) unchecked.delete(seen);
  }
  const open = references.length > 1 ? 'repeated' : 'unchecked';
  const parameters = unchecked.size === 0 ? 'checked' : open;
  if (!guard) return { guard: 'none', account: false, reference: 'unchecked', parameters, early };
  const reference = isDemanded && guard.reference !== 'reported' ? 'demanded' : guard.reference;
  return { guard: 'bearer', account: guard.account, reference, parameters, early };
}

/** Returns the segment of `refercence_cl` as `req.params` has it: the last one, where several have that name. */
function lastReferenceSeenAt(place: Place): number | undefined {
  return referencesIn(place).findLast((index) => index >= place.visibleFrom);
}

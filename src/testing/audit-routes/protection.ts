import type { HandlerMark } from '../../http/handler-mark.js';
import { covers, type Place, referencesIn } from './place.js';

/** A handler of this package that comes before the place in question. */
export interface Passed {
  readonly mark: HandlerMark;
  readonly place: Place;
  /** The only method that reaches the handler; `undefined` for all. */
  readonly method: string | undefined;
}

/** The checks that every request to a place has passed. */
export interface Protection {
  readonly guard: 'bearer' | 'none';
  readonly account: boolean;
  readonly reference: 'own' | 'demanded' | 'reported' | 'unchecked';
  /** True when each parameter `refercence_cl` of the path is checked, or the path has none. */
  readonly isPathChecked: boolean;
}

/** Returns the checks that a request passes before it reaches `place`. The last guard decides. */
export function protectionOf(place: Place, method: string | undefined, passed: readonly Passed[]): Protection {
  const references = referencesIn(place);
  let guard: Extract<HandlerMark, { kind: 'bearer' }> | undefined;
  let isDemanded = false;
  let isPathChecked = references.length === 0;
  for (const { mark, place: at, method: only } of passed) {
    if ((only !== undefined && only !== method) || !covers(at, place)) continue;
    if (mark.kind === 'bearer') guard = mark;
    const refuses = mark.kind === 'bearer' ? mark.reference === 'own' : guard && guard.reference !== 'reported';
    if (!refuses) continue;
    isDemanded ||= mark.kind === 'ownReference';
    isPathChecked ||= references.every((index) => index >= at.visibleFrom && index < at.segments.length);
  }
  if (!guard) return { guard: 'none', account: false, reference: 'unchecked', isPathChecked };
  const reference = isDemanded && guard.reference !== 'reported' ? 'demanded' : guard.reference;
  return { guard: 'bearer', account: guard.account, reference, isPathChecked };
}

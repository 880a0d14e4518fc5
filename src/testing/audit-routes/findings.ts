import { REFERENCE_FIELD } from '../../ownership/references.js';
import type { Step } from './walk.js';

/** A finding, and the sentences on how to fix it. */
export interface Finding {
  readonly text: string;
  readonly fix: string;
}

const NO_ROUTE: Finding = { text: 'the app: no route', fix: 'Give the app after its routes are mounted.' };
const NO_GUARD =
  'Mount requireBearer({ userStore }) before it, at its path or above. Or expect this finding in the test.';
const NOT_DEMANDED =
  'Mount requireOwnReference() on this route, because no check before it sees and refuses the path parameter.';

/**
 * Returns the findings in the order of the app. An app without a route is a finding, so that a test with an empty app
 * fails.
 */
export function findingsOf(steps: readonly Step[]): readonly Finding[] {
  const findings = steps.flatMap(findingOf);
  return steps.some(({ kind }) => kind === 'route') ? findings : [NO_ROUTE, ...findings];
}

function findingOf(step: Step): readonly Finding[] {
  switch (step.kind) {
    case 'middleware':
      return [];
    case 'blind': {
      const { path, handler, reason, fix } = step.spot;
      if (step.isAccepted) return [];
      return [{ text: `${path ?? '(unknown path)'} ${handler}: cannot be walked`, fix: `${reason} ${fix}` }];
    }
    case 'route': {
      const { method, path, guard } = step.route;
      if (guard === 'none') return [{ text: `${method} ${path}: no guard`, fix: NO_GUARD }];
      if (step.isPathChecked) return [];
      return [{ text: `${method} ${path}: ${REFERENCE_FIELD} not demanded`, fix: NOT_DEMANDED }];
    }
  }
}

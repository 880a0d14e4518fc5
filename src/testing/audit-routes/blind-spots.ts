import type { BlindSpot } from './route-audit.js';

const KINDS = {
  function: {
    reason: 'A function that is mounted at a path can answer requests, as a proxy does.',
    fix:
      'Mount it after requireBearer, or a body parser before it without a path. If it needs no guard, expect this finding ' +
      'in the test.',
  },
  otherApp: {
    reason: 'This is an app of another framework, so its routes are unknown.',
    fix: 'Mount it after requireBearer. If it needs no guard, expect this finding in the test.',
  },
  unknownPath: {
    reason: 'The package router before 2.3 does not expose the path of a mount, so nothing below it can be checked.',
    fix: 'Update it: npm update router.',
  },
  copy: {
    reason: 'This looks like a handler of another copy of express-merchant-auth, so it does not count as a guard.',
    fix: 'Load the package once: see npm ls express-merchant-auth, and reset no modules in the test.',
  },
} as const;

/** Makes the step for a function that the audit cannot see into. After a guard, such a function is not a finding. */
export function blindSpot(kind: keyof typeof KINDS, path: string | null, name: string, isBehindGuard: boolean) {
  const spot: BlindSpot = { path, handler: name || '<anonymous>', isBehindGuard, ...KINDS[kind] };
  const isAccepted = isBehindGuard && (kind === 'function' || kind === 'otherApp');
  return { kind: 'blind', spot, isAccepted } as const;
}

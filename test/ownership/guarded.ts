import { AuthError } from '../../src/index.js';
import type { Guarded } from '../../src/ownership/merchant.js';
import { parseReferenceNames } from '../../src/ownership/reference-names.js';

/** The caller that the checks of a reference see, and the names of its guard. Default: those of a guard without the option. */
export function guardedBy(referencl: string, referenceNames?: readonly string[]): Guarded {
  const settings = { reference: 'own', referenceNames: parseReferenceNames('referenceNames', referenceNames) };
  return { merchant: { id: referencl, referencl }, settings } as unknown as Guarded;
}

/** Returns the code with which a check refuses, and `undefined` when it passes. */
export function codeOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    return error.code;
  }
}

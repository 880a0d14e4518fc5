import type { Guarded } from '../../src/ownership/merchant.js';
import { parseReferenceNames } from '../../src/ownership/reference-names.js';

/** The caller that the checks of a reference see, and the names of its guard. Default: those of a guard without the option. */
export function guardedBy(referencl: string, referenceNames?: readonly string[]): Guarded {
  const settings = { reference: 'own', referenceNames: parseReferenceNames('referenceNames', referenceNames) };
  return { merchant: { id: referencl, referencl }, settings } as unknown as Guarded;
}

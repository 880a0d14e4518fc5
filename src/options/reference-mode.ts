import type { OptionParser } from './parse-options.js';

const REFERENCE_MODES = ['own', 'reported', 'unchecked'] as const;

/** The values of the option `reference`, which decides about a reference that is not the caller's own. */
export type ReferenceMode = (typeof REFERENCE_MODES)[number];

export const parseReferenceMode: OptionParser<ReferenceMode> = (where, value = 'own') => {
  const mode = REFERENCE_MODES.find((known) => known === value);
  if (mode !== undefined) return mode;
  throw new TypeError(`${where} must be one of '${REFERENCE_MODES.join("', '")}'.`);
};

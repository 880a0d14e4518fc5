/** The values of the option `reference`, which decides about a reference that is not the caller's own. */
export const REFERENCE_MODES = ['own', 'reported', 'unchecked'] as const;

export type ReferenceMode = (typeof REFERENCE_MODES)[number];

/** The default name of the reference in requests. */
export const REFERENCE_FIELD = 'refercence_cl';

/** The number of generated cases of each property. */
export const REQUESTS = Number(process.env['REQUESTS'] ?? 200);
/** The seed of all runs. fast-check prints it with each failure, together with the path to the failing case. */
export const SEED = 20_260_401;

export const PROPERTY_TIMEOUT_MS = 120_000 + 100 * REQUESTS;

import { setImmediate } from 'node:timers';

/**
 * The next phase comes when all requests that arrived together have been parsed. The constant keeps the function as it
 * was at load: fake timers of a host's tests cannot stop a request.
 */
export const inNextPhase = setImmediate;

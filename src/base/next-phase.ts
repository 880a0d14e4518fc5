import { setImmediate } from 'node:timers';

/**
 * Runs a function in the next phase of the event loop, when all requests that arrived together have been parsed. The
 * constant keeps the function that `node:timers` had at load, so that fake timers that a host's tests install later
 * cannot stop a request.
 */
export const inNextPhase = setImmediate;

import { setImmediate } from 'node:timers';

/**
 * Runs a function in the next phase of the event loop, when all requests that arrived together have been parsed. This
 * constant keeps the function that `node:timers` had at load. Fake timers that a host's tests install later can
 * therefore not stop a request.
 */
export const inNextPhase = setImmediate;

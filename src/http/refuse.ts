import type { IncomingMessage, ServerResponse } from 'node:http';
import { asError, isError } from '../errors/as-error.js';
import { AuthError, textOf } from '../errors/auth-error.js';
import { catalogue, entryOf } from '../errors/catalogue.js';
import type { Next } from './middleware.js';
import { callAsync } from '../call-async.js';
import { isThenable } from '../within.js';
import { writeJson } from './write-json.js';

/**
 * Writes the answer to a refused request. It may be async; what it throws or rejects with goes to `next`. Calling `next`
 * leaves the answer to the host's error handler, which gets the error also when `next` is called without one: a refusal
 * never becomes a pass.
 */
export type Respond = (error: AuthError, req: IncomingMessage, res: ServerResponse, next: Next) => unknown;

/** The default `respond`: status, headers and the JSON layout. */
export function respondJson(error: AuthError, _req: IncomingMessage, res: ServerResponse): void {
  writeJson(res, error.status, textOf(error), error.headers);
}

/**
 * Ends a request that did not pass: what the caller did wrong goes to `respond`, what the host has to mend to `next`.
 * `next` is called at most once.
 */
export function refuse(error: unknown, respond: Respond, req: IncomingMessage, res: ServerResponse, next: Next): void {
  let isPassedOn = false;
  const passOn = (reason: unknown) => {
    if (isPassedOn) return;
    isPassedOn = true;
    next(asError(reason));
  };
  if (!isRefusal(error)) {
    passOn(error);
    return;
  }
  const onNext: Next = (reason) => passOn(isError(reason) ? reason : error);
  try {
    const answering = respond(error, req, res, onNext);
    if (isThenable(answering)) callAsync(() => answering).catch(passOn);
  } catch (reason) {
    passOn(reason);
  }
}

function isRefusal(error: unknown): error is AuthError {
  return (
    isError(error) &&
    error instanceof AuthError &&
    Object.hasOwn(catalogue, error.code) &&
    !entryOf(error.code).hostSide
  );
}

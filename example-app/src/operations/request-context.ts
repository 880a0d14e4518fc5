import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { merchantOf } from 'express-merchant-auth';

/** The members that every log line of a request contains. */
export interface RequestContext {
  readonly requestId: string;
  /** The caller's id. Set after the guard. */
  accountId?: string;
}

/** Matches the request ids that are accepted. Other texts could forge log lines or fill the log. */
const ACCEPTED_ID = /^[\w.:+/=-]{1,128}$/;

const storage = new AsyncLocalStorage<RequestContext>();

/** Returns the context of the request whose code is running, or `undefined` outside of requests. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore();
}

/** Gives each request the id that its caller sent as `X-Request-Id`, or a new one, and sends it back. */
export const identifyRequest: RequestHandler = function requestIdentifier(req, res, next) {
  const sent = req.get('X-Request-Id') ?? '';
  const requestId = ACCEPTED_ID.test(sent) ? sent : randomUUID();
  res.set('X-Request-Id', requestId);
  storage.run({ requestId }, next);
};

/** Adds the caller to the context. Mount it after the guard. */
export const identifyMerchant: RequestHandler = function merchantIdentifier(req, _res, next) {
  const context = currentRequest();
  if (context !== undefined) context.accountId = merchantOf(req).id;
  next();
};

import { AuthError, type AuthErrorCode } from 'express-merchant-auth';
import { demand } from './demand.js';
import type { Received } from './exchange.js';
import { excerptOf } from './redact.js';

/** An answer of the host, whose `request` has no password and no token, because messages show it. */
export interface Answer extends Received {
  /** The sentence on the body that ends a message, without passwords and tokens. Empty without a body. */
  readonly shownBody: string;
  /** True for a host whose refusals have a format of its own. */
  readonly isOwnFormat: boolean;
}

/**
 * Describes a body, in a good answer only by the names of its members, because it can hold a secret that nothing here
 * knows.
 */
export function describeBody(received: Received, redact: (text: string) => string): string {
  const { text, json } = received;
  if (text === '') return '';
  // The text is cut after the redaction, because a part of a password would stay.
  if (!isGood(received)) return ` The body: ${excerptOf(redact(text))}`;
  const names = json instanceof Object && !Array.isArray(json) ? Object.keys(json).join(', ') : '';
  return names === '' ? '' : ` The body has the members ${excerptOf(redact(names))}.`;
}

export function isGood({ status }: Received): boolean {
  return status >= 200 && status < 300;
}

/**
 * Fails a case on an answer.
 * @param fix says what to change, unless the answer has a reason that no case is about
 * @throws Violation with `problem`, the advice and the body, unless `holds`
 */
export function demandOf(answer: Answer, holds: boolean, problem: string, fix: string): asserts holds {
  demand(holds, `${problem} ${adviceOn(answer, fix)}${answer.shownBody}`);
}

export const CACHE =
  'A cache keeps answers for all callers. Mount it after the guard, and let its keys have merchantOf(req).id.';

const LIMITED =
  'A limiter refused it: one of yours, or that of this package for failed logins (docs/failed-logins.md). Wait, start ' +
  'the host again or empty the backend of the counters, and give the test a higher limit.';

function adviceOn({ status, text }: Answer, fix: string): string {
  if (status >= 500) return 'The host or its store failed: read its stderr and the body of the answer.';
  if (status === 429) return LIMITED;
  return text.includes('source_not_allowed') ? 'Allow the address of the test.' : fix;
}

export function summaryOf({ status, json }: Answer): string {
  const code = (json as { readonly error?: unknown } | undefined)?.error;
  return typeof code === 'string' ? `${status} ${code}` : String(status);
}

const WRONG_BODY =
  'Let transactions.body return what the route accepts, different each time, and let the route accept the reference. ' +
  'A parser after the guard gives it no body.';

/** @throws Violation unless the status is a 2xx */
export function demandPass(answer: Answer, fix: string): void {
  const problem = `${answer.request} got ${summaryOf(answer)} in place of a 2xx.`;
  demandOf(answer, isGood(answer), problem, [400, 422].includes(answer.status) ? WRONG_BODY : fix);
}

/**
 * Checks that an answer is a refusal of the catalogue, as JSON.
 * @param fix says what to change when the host answers something else
 */
export function demandRefusal(answer: Answer, code: AuthErrorCode, fix: string): void {
  const { request, status, headers, json, isOwnFormat, shownBody } = answer;
  const { status: expectedStatus } = new AuthError(code);
  const expected = `${expectedStatus} ${code}`;
  const problem = `${request} got ${summaryOf(answer)} in place of ${expected}.`;
  demand(status === expectedStatus, `${problem} ${adviceOnStatus(answer, code, fix)}${shownBody}`);
  const type = headers['content-type'] ?? 'no Content-Type';
  demandOf(
    answer,
    type.startsWith('application/json') && json !== undefined,
    `The ${status} of ${request} is ${type}, and clients parse JSON.`,
    'Mount authErrorHandler() after all routes, before every other error handler, and let no middleware change the answers.',
  );
  demandOf(
    answer,
    !code.endsWith('_token') || String(headers['www-authenticate']).startsWith('Bearer realm='),
    `The ${status} of ${request} has no WWW-Authenticate: Bearer.`,
    'Copy error.headers to the answer, as the default respond does.',
  );
  if (isOwnFormat) return;
  demandOf(
    answer,
    hasLayout(answer),
    `The ${status} of ${request} does not have the members status, success, code, error, message and description of a refusal.`,
    'Let no middleware wrap res.json or rewrite bodies, or give errors: "own" for your own format.',
  );
  demandOf(answer, summaryOf(answer) === expected, problem, fix);
}

/** Says what to change about the status of an answer, and names `respond` where a `respond` can have changed it. */
function adviceOnStatus(answer: Answer, code: AuthErrorCode, fix: string): string {
  const { status, text, json } = answer;
  if (text.includes(code)) {
    return `The answer names ${code}, so respond, an error handler or a middleware changed its status. Send error.status there.`;
  }
  const advice = adviceOn(answer, fix);
  if (status < 400 || status === 429 || json === undefined || hasLayout(answer)) return advice;
  const send = 'If respond or an error handler of yours wrote this answer, send error.status there.';
  return status >= 500 ? `${send} ${advice}` : `${advice} ${send}`;
}

function hasLayout({ status, json }: Answer): boolean {
  const { status: word, success, code, message, description } = (json ?? {}) as Record<string, unknown>;
  const isRefusal = word === 'Error' && success === false && code === status;
  return isRefusal && typeof message === 'string' && typeof description === 'string';
}

import { AuthError, type AuthErrorCode } from 'express-merchant-auth';
import { demand } from './demand.js';
import type { HostUnderTest } from './host-under-test.js';

/** A JWT, or its part with claims. */
const TOKEN = /eyJ[\w-]+\.[\w-]*(?:\.[\w-]*)*/g;
/** Characters of a body in a message. */
const SHOWN = 300;

export interface Answer {
  /** Method and path, without passwords and tokens: messages show it. */
  readonly request: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** `undefined` for a body that is not JSON. */
  readonly json: unknown;
  /** The end of a message, without passwords and tokens. */
  readonly shownBody: string;
}

export type Redact = (text: string) => string;

/** Removes tokens and passwords from JSON, a form or a URL. */
export function createRedaction({ merchant, otherMerchant, disabledMerchant }: HostUnderTest): Redact {
  const forms = [merchant, otherMerchant, disabledMerchant]
    .flatMap((account) => account?.password ?? [])
    .flatMap((password) => [
      password,
      JSON.stringify(password).slice(1, -1),
      encodeURIComponent(password),
      String(new URLSearchParams({ '': password })).slice(1),
    ])
    // A password can begin with another one.
    .sort((one, other) => other.length - one.length);
  return (text) =>
    forms.reduce((shown, form) => shown.replaceAll(form, '<password>'), text).replaceAll(TOKEN, '<token>');
}

/** Shows only names of members of a good answer: any value can be a secret. */
export function describeBody({ status, text, json }: Omit<Answer, 'request' | 'shownBody'>, redact: Redact): string {
  const names = json instanceof Object && !Array.isArray(json) ? Object.keys(json).join(', ') : '';
  // Cut after the redaction: a part of a password would stay.
  const line = redact(isGood({ status }) ? names : text)
    .replace(/\s+/g, ' ')
    .trim();
  const shown = line.length > SHOWN ? `${line.slice(0, SHOWN)}...` : line;
  if (shown === '') return '';
  return isGood({ status }) ? ` The body has the members ${shown}.` : ` The body: ${shown}`;
}

export function isGood({ status }: Pick<Answer, 'status'>): boolean {
  return status >= 200 && status < 300;
}

export function summaryOf({ status, json }: Answer): string {
  const code = (json as { readonly error?: unknown } | undefined)?.error;
  return typeof code === 'string' ? `${status} ${code}` : String(status);
}

/**
 * @param fix says what to change, unless the answer has a reason that no case is about
 * @throws Violation with `problem`, the advice and the body, unless `holds`
 */
export function demandOf(answer: Answer, holds: boolean, problem: string, fix: string): asserts holds {
  demand(holds, `${problem} ${adviceOn(answer, fix)}${answer.shownBody}`);
}

export const CACHE =
  'A cache keeps answers for all callers. Mount it after the guard, and let its keys have merchantOf(req).id.';
const LIMITED =
  'A limiter refused it: one of yours, or that of this package for failed logins (docs/failed-logins.md). Wait, start the host again or empty the backend of the counters, and give the test a higher limit.';

function adviceOn({ status }: Answer, fix: string): string {
  if (status >= 500) return 'The host or its store failed: read its stderr and the body of the answer.';
  if (status === 429) return LIMITED;
  const [, entry] = /leaveOut(: \{ '.*?' \})/.exec(fix) ?? [];
  return [401, 403].includes(status) && entry && !fix.includes('refused: ')
    ? `If no merchant may use it, write refused${entry}. ${fix}`
    : fix;
}

/** @throws Violation unless an answer is this refusal. Of the host's own format, checks the status and the headers. */
export function demandRefusal(answer: Answer, code: AuthErrorCode, fix: string, isOwnFormat: boolean): void {
  const { request, status, headers, json } = answer;
  const { status: expected } = new AuthError(code);
  const isRight = isOwnFormat ? status === expected && json !== undefined : summaryOf(answer) === `${expected} ${code}`;
  demandOf(answer, isRight, `${request} got ${summaryOf(answer)} in place of ${expected} ${code}.`, fix);
  demandOf(
    answer,
    !code.endsWith('_token') || String(headers.get('www-authenticate')).startsWith('Bearer realm='),
    `The ${status} of ${request} has no WWW-Authenticate: Bearer.`,
    'Copy error.headers to the answer, as the default respond does.',
  );
}

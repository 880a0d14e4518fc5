import { demand } from '../messages.js';
import type { Received } from './exchange.js';
import { excerptOf } from './redact.js';

/** An answer of the host, whose `request` has no password and no token, because messages show it. */
export interface Answer extends Received {
  /** The sentence on the body that ends a message, without passwords and tokens. Empty without a body. */
  readonly shownBody: string;
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
  return json instanceof Object ? ` The body has the members ${excerptOf(redact(Object.keys(json).join(', ')))}.` : '';
}

export function isGood({ status }: Received): boolean {
  return status >= 200 && status < 300;
}

/**
 * Fails a case on an answer.
 * @param fix says what to change, unless the answer has a reason that no case is about
 * @throws AssertionError with `problem`, the advice and the body, unless `holds`
 */
export function demandOf(answer: Answer, holds: boolean, problem: string, fix: string): asserts holds {
  demand(holds, `${problem} ${adviceOn(answer, fix)}${answer.shownBody}`);
}

/** Returns the advice of a case, unless the answer has a reason that no case is about. */
export function adviceOn({ status, text }: Answer, fix: string): string {
  if (status >= 500) return 'The host or its store failed: read its stderr and the body of the answer.';
  if (status === 429) return 'A limiter refused it. Wait, or start the host again, without a limiter of yours.';
  return text.includes('source_not_allowed') ? 'Allow the address of the test.' : fix;
}

export function summaryOf({ status, json }: Answer): string {
  const code = (json as { readonly error?: unknown } | undefined)?.error;
  return typeof code === 'string' ? `${status} ${code}` : String(status);
}

/** @throws AssertionError unless the route answered 2xx */
export function demandPass(answer: Answer, fix: string): void {
  demandOf(
    answer,
    isGood(answer),
    `${answer.request} with a good token and the own reference got ${summaryOf(answer)}.`,
    fix,
  );
}

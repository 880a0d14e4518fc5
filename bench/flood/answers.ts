import type { Answer } from '../harness/post-json.js';
import type { Outcome } from './login-exchange.js';
import { ALLOWED, type Kind } from './merchants.js';

/** The answers of a number of logins. */
export interface Answers {
  /** The number of logins that ended, with or without an answer. */
  readonly ended: number;
  /** By status and error code: `200`, `503 too_busy`. */
  readonly counts: Readonly<Record<string, number>>;
  /** The failures: a status that is not allowed, another layout, a lost connection, no answer. */
  readonly problems: Readonly<Record<string, number>>;
  /** The time from login to answer, in milliseconds, of all that were answered. */
  readonly milliseconds: readonly number[];
}

/** Counts answers, and checks the layout of each. */
export class AnswerCounter {
  readonly #counts: Record<string, number> = {};
  readonly #problems: Record<string, number> = {};
  readonly #milliseconds: number[] = [];
  #ended = 0;

  get result(): Answers {
    return {
      ended: this.#ended,
      counts: this.#counts,
      problems: this.#problems,
      milliseconds: this.#milliseconds,
    };
  }

  add({ kind, milliseconds, answer }: Outcome): void {
    this.#ended += 1;
    if (answer instanceof Error) {
      add(this.#problems, answer.message);
      return;
    }
    this.#milliseconds.push(milliseconds);
    const body = parseObject(answer.text);
    const code = typeof body?.['error'] === 'string' ? ` ${body['error']}` : '';
    add(this.#counts, `${answer.status}${code}`);
    if (!isAllowed(kind, answer.status)) add(this.#problems, `${kind}: ${answer.status}${code}`);
    if (!hasLayout(answer, body)) add(this.#problems, `${answer.status} in another layout`);
  }
}

/** Returns the number of answers with a status, whatever their error code. */
export function countOf({ counts }: Pick<Answers, 'counts'>, status: number): number {
  const matching = Object.entries(counts).filter(([answer]) => answer.startsWith(String(status)));
  return matching.reduce((total, [, count]) => total + count, 0);
}

/** Lists the answers as text: `20 times 200, 3 times 503 too_busy`. */
export function countsText({ counts }: Pick<Answers, 'counts'>): string {
  const texts = Object.entries(counts).map(([answer, count]) => `${count} times ${answer}`);
  return texts.toSorted().join(', ') || 'no answer';
}

type Json = Record<string, unknown>;

function isAllowed(kind: Kind, status: number): boolean {
  const allowed: readonly number[] = ALLOWED[kind];
  return allowed.includes(status);
}

function parseObject(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns true for the JSON layout of docs/interface.md 2.2 and of the errors in README.md. */
function hasLayout({ status, contentType }: Answer, body: Json | undefined): boolean {
  if (contentType !== 'application/json; charset=utf-8' || body?.['code'] !== status) return false;
  if (status === 200) {
    const { authorisation } = body as { authorisation?: { token?: unknown } };
    return body['status'] === 'Success' && body['success'] === true && typeof authorisation?.token === 'string';
  }
  const texts = [body['error'], body['message'], body['description']];
  return body['status'] === 'Error' && body['success'] === false && texts.every((text) => typeof text === 'string');
}

function add(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

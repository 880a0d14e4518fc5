import type { Answer } from '../harness/post-json.js';
import { KINDS, type Kind } from './merchants.js';

/** The statuses that each kind of login may be answered with. */
export type Allowed = Readonly<Partial<Record<Kind, readonly number[]>>>;

/** How a number of logins was answered. */
export interface Answers {
  /** By status and error code: `200`, `503 too_busy`. */
  readonly counts: Readonly<Record<string, number>>;
  /** What must not happen, and how often: another status or layout, a lost connection, no answer. */
  readonly problems: Readonly<Record<string, number>>;
  /** From offer to answer, in milliseconds, of all that were answered. */
  readonly milliseconds: readonly number[];
}

/** Counts answers, each checked to the letter. */
export class AnswerCounter {
  readonly #allowed: Allowed;
  readonly #counts: Record<string, number> = {};
  readonly #problems: Record<string, number> = {};
  readonly #milliseconds: number[] = [];

  constructor(allowed: Allowed) {
    this.#allowed = allowed;
  }

  get result(): Answers {
    return { counts: this.#counts, problems: this.#problems, milliseconds: this.#milliseconds };
  }

  answered(kind: Kind, answer: Answer, milliseconds: number): void {
    this.#milliseconds.push(milliseconds);
    const body = parseObject(answer.text);
    const code = typeof body?.['error'] === 'string' ? ` ${body['error']}` : '';
    add(this.#counts, `${answer.status}${code}`);
    if (this.#allowed[kind]?.includes(answer.status) !== true) add(this.#problems, `${kind}: ${answer.status}${code}`);
    if (!hasLayout(answer, body)) add(this.#problems, `${answer.status} in another layout`);
  }

  failed(error: unknown): void {
    add(this.#problems, error instanceof Error ? error.message : String(error));
  }
}

export const ALLOWED_IN_BURST: Allowed = Object.fromEntries(
  KINDS.map((kind) => [kind, [kind === 'right password' ? 200 : 401, 429, 503]]),
);
export const ALLOWED_IN_FLOOD: Allowed = { 'right password': [200, 503] };

type Json = Record<string, unknown>;

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

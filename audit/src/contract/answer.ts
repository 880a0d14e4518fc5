import { setTimeout as wait } from 'node:timers/promises';
import { Violation } from 'express-merchant-auth/testing';
import type { HostUnderTest } from './host-under-test.js';

/** A JWT, or its part with claims. */
const TOKEN = /eyJ[\w-]+\.[\w-]*(?:\.[\w-]*)*/g;
/** Characters of a body in a message. */
const SHOWN = 300;
/** The limit of a whole answer. */
const LIMIT_MS = 10_000;
const LIMITED =
  'A limiter refused it: one of yours, or that of this package for failed logins (docs/failed-logins.md). Wait, start the host again or empty the backend of the counters, and give the test a higher limit.';

export interface Answer {
  /** Method and path, without passwords and tokens: messages show it. */
  readonly request: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** `undefined` for a body that is not JSON. */
  readonly json: unknown;
  /** The end of a message, without passwords and tokens. Empty for a good answer: any value in it can be a secret. */
  readonly shownBody: string;
}

export interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  /** A plain object or array is sent as JSON, all else as it is. */
  readonly body?: object | string;
}

type Redact = (text: string) => string;

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

const isJson = (body: unknown) => /^\[object (?:Object|Array)\]$/.test(Object.prototype.toString.call(body));

/** Adds to a JSON object only. */
export function withMembers<Body extends object | string>(body: Body, members: object = {}): Body | object {
  return isJson(body) && !Array.isArray(body) ? Object.assign({}, body, members) : body;
}

/** @throws Violation without a whole answer */
export async function exchange(
  url: string,
  method: string,
  path: string,
  { body, headers }: Sending,
  redact: Redact,
): Promise<Answer> {
  // The query can hold a token.
  const asked = `${method} ${path.replace(/\?.*/s, '')}`;
  const late = `${asked} had not ended its answer after ${LIMIT_MS / 1000} s. Let the route answer. A stream is left out with its reason: name its route in leaveOut.`;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Violation(late)), LIMIT_MS);
  try {
    const response = await fetch(new URL(url).origin + path, {
      method,
      headers: { ...(isJson(body) && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isJson(body) ? JSON.stringify(body) : (body as string) }),
      redirect: 'manual',
      signal: limit.signal,
    });
    const text = await response.text();
    // Cut after the redaction: a part of a password would stay.
    const line = response.ok ? '' : redact(text).replace(/\s+/g, ' ').trim();
    const shown = line.length > SHOWN ? `${line.slice(0, SHOWN)}...` : line;
    const shownBody = shown && ` The body: ${shown}`;
    const { status, headers: received } = response;
    return { request: redact(`${method} ${path}`), status, headers: received, text, json: parse(text), shownBody };
  } catch (error) {
    if (error instanceof Violation) throw error;
    const { cause = error } = error as Error;
    throw new Violation(`${asked} got no whole answer: ${redact(reasonOf(cause))}.`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export const isGood = ({ status }: Answer) => status >= 200 && status < 300;

export function summaryOf({ status, json }: Answer): string {
  const code = (json as { readonly error?: unknown } | undefined)?.error;
  return typeof code === 'string' ? `${status} ${code}` : String(status);
}

/** Cuts off the full stop: the message becomes a part of a sentence. */
export function reasonOf(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).replace(/\.$/, '');
}

/** @throws Violation with `message`, unless `holds` */
export function demand(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Violation(message);
}

/**
 * @param fix says what to change, unless the answer has a reason that no case is about
 * @throws Violation with `problem`, the advice and the body, unless `holds`
 */
export function demandOf(answer: Answer, holds: boolean, problem: string, fix: string): asserts holds {
  const { status, shownBody } = answer;
  const [, entry] = /leaveOut(: \{ '.*?' \})/.exec(fix) ?? [];
  const isRefusedOne = [401, 403].includes(status) && entry !== undefined && !fix.includes('refused: ');
  let advice = isRefusedOne ? `If no merchant may use it, write refused${entry}. ${fix}` : fix;
  if (status === 429) advice = LIMITED;
  if (status >= 500)
    advice =
      'The host or its store failed: read its stderr and the body of the answer, or write in routes what the route takes.';
  demand(holds, `${problem} ${advice}${shownBody}`);
}

const isVain = (problem: string) => /proves nothing|were not seen/.test(problem);

/**
 * Fails with the messages of all items. A test that proves nothing comes last.
 * @param isOneEnough drops such tests when another item proves something
 */
export async function demandEach<Item>(
  items: readonly Item[],
  check: (item: Item) => void | Promise<void>,
  isOneEnough = false,
): Promise<void> {
  const found: string[][] = [];
  for (const item of items) {
    const problems: string[] = [];
    try {
      await check(item);
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      problems.push(...error.message.split('\n'));
    }
    found.push(problems);
  }
  const isProven = isOneEnough && found.some((problems) => !problems.some(isVain));
  const all = [...new Set(found.flat())];
  const [leaks, vain] = [all.filter((one) => !isVain(one)), all.filter((one) => isVain(one) && !isProven)];
  demand(leaks.length + vain.length === 0, [...leaks, ...vain].join('\n'));
}

/**
 * Fails when a check fails each time: values can be alike by chance, and a new row can change by itself.
 * @param pauses the milliseconds before each repetition
 */
export async function demandSteadily([pause, ...pauses]: readonly number[], check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof Violation) || isVain(error.message) || pause === undefined) throw error;
    await wait(pause);
    await demandSteadily(pauses, check);
  }
}

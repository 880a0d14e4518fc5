import { type Answer, answerOf } from './answers.js';

/** A caller of the app, for example a merchant with its token. */
export interface RowCaller {
  /** Stands in the findings. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a GET, without a caller as a stranger. */
export type Get = (path: string, caller?: RowCaller) => Promise<Answer>;

export interface Client {
  readonly get: Get;
  readonly asked: () => number;
  /** The number of requests that got no answer, or 429. */
  readonly lost: () => number;
}

export function createClient(origin: string, callers: readonly RowCaller[]): Client {
  const sent = callers.flatMap(({ headers }) => Object.values(headers)).join('\n');
  const words = new Set(sent.split(/[\s,;=]+/));
  const isSecret = (value: string) => words.has(value) || (value.length >= 8 && sent.includes(value));
  let asked = 0;
  let lost = 0;
  const get: Get = async (path, caller) => {
    asked += 1;
    const options = { headers: { accept: 'application/json', ...caller?.headers }, redirect: 'manual' } as const;
    const response = await fetch(origin + path, { ...options, signal: AbortSignal.timeout(5_000) }).catch(
      () => undefined,
    );
    const text = await response?.text().catch(() => undefined);
    const status = text === undefined ? 0 : (response?.status ?? 0);
    if (status === 0 || status === 429) lost += 1;
    return answerOf(status, text ?? '', isSecret);
  };
  return { get, asked: () => asked, lost: () => lost };
}

import { type Answer, answerOf } from './answers.js';

/** A caller of the app, for example a merchant with its token. */
export interface RowCaller {
  /** Stands in the findings. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
}
export type Callers = readonly [RowCaller, RowCaller];
export type Client = ReturnType<typeof createClient>;

export function createClient(origin: string, callers: Callers) {
  const sent = callers.flatMap(({ headers }) => Object.values(headers)).join('\n');
  const words = new Set(sent.split(/[\s,;=]+/));
  const isSecret = (value: string) => words.has(value) || (value.length >= 8 && sent.includes(value));
  let asked = 0;
  return {
    /** Without a caller, asks as a stranger. */
    get: async (path: string, caller?: RowCaller): Promise<Answer> => {
      asked += 1;
      const headers = { accept: 'application/json', ...caller?.headers };
      const options = { headers, redirect: 'manual', signal: AbortSignal.timeout(5_000) } as const;
      try {
        const response = await fetch(origin + path, options);
        return answerOf(response.status, await response.text(), isSecret);
      } catch {
        return answerOf(0, '', isSecret);
      }
    },
    asked: () => asked,
  };
}

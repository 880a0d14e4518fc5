import type { Problems } from '../harness/problems.js';
import { stage } from '../harness/progress.js';
import { type Spread, spreadOf } from '../harness/statistics.js';
import { figure } from '../harness/table.js';
import { type ExpressMajor, GUARD_NAMES, type GuardName, GUARDS } from './guards.js';
import type { BenchAlgorithm, BenchKeys } from './keys.js';
import { endGuardServer, type GuardLoad, startGuardServer } from './processes.js';
import type { TokenKind, Variety } from './requests.js';
import { type Contender, type Pace, problemsOf, type Ratio, ratioOf, takeTurns, type Turns } from './turns.js';

/** What requests carry. What is refused is refused the same way each time, so that one token is enough. */
export const TOKENS = {
  'one good token': { kind: 'good', variety: 'repeated' },
  '10,000 good tokens in turn': { kind: 'good', variety: 'rotation' },
  'every token new': { kind: 'good', variety: 'new' },
  'no token': { kind: 'missing', variety: 'repeated' },
  garbage: { kind: 'garbage', variety: 'repeated' },
  'bad signature': { kind: 'bad signature', variety: 'repeated' },
  'expired token': { kind: 'expired', variety: 'repeated' },
} as const satisfies Record<string, { readonly kind: TokenKind; readonly variety: Variety }>;

export type TokensName = keyof typeof TOKENS;
export const TOKENS_NAMES = Object.keys(TOKENS) as readonly TokensName[];
/** What stands for all: clients are told to keep their token for its five hours. */
export const PLAIN: TokensName = 'one good token';

/** What all guards are compared in. */
export interface Case {
  readonly major: ExpressMajor;
  readonly algorithm: BenchAlgorithm;
  readonly tokens: TokensName;
}

/** What one guard showed in a case. */
export interface GuardFigures {
  readonly requestsPerSecond: Spread;
  /** Of the server's threads, for each request. */
  readonly cpuMicroseconds: Spread;
  /** To every guard of the case, bare Express among them. */
  readonly over: Readonly<Record<GuardName, Ratio>>;
}

export interface CaseResult extends Case {
  readonly guards: Readonly<Record<GuardName, GuardFigures>>;
  readonly problems: Problems;
}

const WARM_UP: Pace = { rounds: 3, sliceMs: 500 };

/** All cases of one Express and one algorithm, which share their servers. */
export async function measureCases(
  load: GuardLoad,
  { major, algorithm, keys }: Pick<Case, 'major' | 'algorithm'> & { readonly keys: BenchKeys },
  names: readonly TokensName[],
  pace: Pace,
): Promise<CaseResult[]> {
  const contenders: Contender<GuardName>[] = [];
  const results: CaseResult[] = [];
  try {
    for (const name of GUARD_NAMES) {
      const server = await startGuardServer(load, { guard: name, major, algorithm, keys });
      contenders.push({ name, server, status: 201 });
    }
    const label = `Express ${major}, ${algorithm}`;
    const plain = { keys, algorithm, ...TOKENS[PLAIN] };
    await stage(
      `${label}, warming up`,
      () => takeTurns(load, contenders, plain, WARM_UP),
      () => 'done',
    );
    for (const tokens of names) {
      const expecting = contenders.map((one) => ({ ...one, status: statusOf(one.name, tokens) }));
      const measure = async () =>
        resultOf(await takeTurns(load, expecting, { keys, algorithm, ...TOKENS[tokens] }, pace));
      const result = await stage(`${label}, ${tokens}`, measure, summaryOf);
      results.push({ major, algorithm, tokens, ...result });
    }
    return results;
  } finally {
    for (const { server } of contenders) await endGuardServer(load, server);
  }
}

/** Bare Express lets everything through. */
function statusOf(name: GuardName, tokens: TokensName): number {
  return TOKENS[tokens].kind === 'good' || GUARDS[name].checks === 'nothing' ? 201 : 401;
}

function resultOf(turns: Turns<GuardName>): Pick<CaseResult, 'guards' | 'problems'> {
  const figuresOf = (name: GuardName): GuardFigures => ({
    requestsPerSecond: spreadOf(turns[name].map((turn) => turn.requestsPerSecond)),
    cpuMicroseconds: spreadOf(turns[name].map((turn) => turn.cpuMicroseconds)),
    over: forEach((other) => ratioOf(turns[name], turns[other])),
  });
  return { guards: forEach(figuresOf), problems: problemsOf(turns) };
}

function forEach<Value>(valueOf: (name: GuardName) => Value): Record<GuardName, Value> {
  return Object.fromEntries(GUARD_NAMES.map((name) => [name, valueOf(name)])) as Record<GuardName, Value>;
}

function summaryOf({ guards }: Pick<CaseResult, 'guards'>): string {
  const { requestsPerSecond, over } = guards['complete guard'];
  return `complete guard ${figure(requestsPerSecond.median)} requests/s, ${figure(over.bare.rate.median)} of bare`;
}

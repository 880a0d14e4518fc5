import { figure, markdownTable, spreadText, table } from '../harness/table.js';
import { type Case, type CaseResult, PLAIN, TOKENS_NAMES } from './cases.js';
import { type ExpressMajor, GUARD_NAMES, GUARDS } from './guards.js';
import { ALGORITHMS, type BenchAlgorithm } from './keys.js';

/** All that one case showed, for a terminal. */
export function caseTable(result: CaseResult): string {
  const { major, algorithm, guards } = result;
  const rows = GUARD_NAMES.map((name) => {
    const { requestsPerSecond, cpuMicroseconds, over } = guards[name];
    return [
      name,
      spreadText(requestsPerSecond),
      spreadText(over.bare.rate),
      spreadText(guards['complete guard'].over[name].rate),
      spreadText(cpuMicroseconds),
      figure(over.bare.cpu.median),
    ];
  });
  const head = ['', 'requests/s', 'over bare', 'complete guard over it', 'CPU us each', 'over bare by CPU'];
  return `\nExpress ${major}, ${algorithm}, ${result.tokens}\n\n${table([head, ...rows])}`;
}

function find(results: readonly CaseResult[], wanted: Case): CaseResult | undefined {
  return results.find((result) =>
    (['major', 'algorithm', 'tokens'] as const).every((member) => result[member] === wanted[member]),
  );
}

export function plainCase(
  results: readonly CaseResult[],
  major: ExpressMajor,
  algorithm: BenchAlgorithm,
): CaseResult | undefined {
  return find(results, { major, algorithm, tokens: PLAIN });
}

/** The two tables of docs/performance.md, in Markdown: all guards in the plainest case, one guard in all cases. */
export function pageTables(results: readonly CaseResult[]): string {
  const plain = ALGORITHMS.map((algorithm) => plainCase(results, 5, algorithm));
  const byGuard = GUARD_NAMES.map((name) => [
    name,
    GUARDS[name].checks,
    ...plain.map((result) => (result === undefined ? '-' : spreadText(result.guards[name].over.bare.rate))),
  ]);
  const columns = ([5, 4] as const satisfies readonly ExpressMajor[]).flatMap((major) =>
    ALGORITHMS.map((algorithm) => ({ major, algorithm })),
  );
  const byCase = TOKENS_NAMES.map((tokens) => [
    tokens,
    ...columns.map((column) => {
      const result = find(results, { ...column, tokens });
      return result === undefined ? '-' : figure(result.guards['complete guard'].over.bare.rate.median);
    }),
  ]);
  return [
    'Requests per second relative to bare Express 5, one good token over and over, the median of all rounds (lowest to',
    'highest):\n',
    markdownTable(['', 'checks', ...ALGORITHMS], byGuard),
    '\nThe complete guard relative to bare Express, which lets everything through and reads the body, in all cases:\n',
    markdownTable(['', ...columns.map(({ major, algorithm }) => `Express ${major}, ${algorithm}`)], byCase),
  ].join('\n');
}

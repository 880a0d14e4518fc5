import { type Spread, spreadOf } from '../harness/statistics.js';
import { figure, spreadText, table } from '../harness/table.js';
import type { BurstFigures } from './measure-burst.js';
import type { Rounds } from './rounds.js';
import { type FloodStage, type Stage, type StageFigures, STAGES } from './stages.js';

export type RatioName =
  | 'good logins per second, bounded over unbounded'
  | 'fs.readFile p50, bounded over unbounded'
  | 'dns.lookup p50, bounded over unbounded'
  | 'guarded p99, bounded over idle'
  | 'guarded p99, unbounded over idle';

/** What is read out of a stage. */
interface Row {
  readonly title: string;
  readonly read: (figures: StageFigures) => number;
}

export const readFileP50 = ({ readFile }: StageFigures) => readFile.p50;
export const lookupP50 = ({ lookup }: StageFigures) => lookup.p50;
const loggedIn = ({ loginsPerSecond }: StageFigures) => loginsPerSecond['200'] ?? 0;
const guardedP99 = ({ guarded }: StageFigures) => guarded.p99;

const ROWS: readonly Row[] = [
  { title: 'cores kept busy by the server', read: ({ coresUsed }) => coresUsed },
  { title: 'login p50, ms', read: ({ login }) => login.p50 },
  { title: 'login p99, ms', read: ({ login }) => login.p99 },
  { title: 'guarded requests answered', read: ({ guarded }) => guarded.answered },
  { title: 'guarded p50, ms', read: ({ guarded }) => guarded.p50 },
  { title: 'guarded p99, ms', read: guardedP99 },
  { title: 'fs.readFile samples', read: ({ readFile }) => readFile.answered },
  { title: 'fs.readFile p50, ms', read: readFileP50 },
  { title: 'dns.lookup samples', read: ({ lookup }) => lookup.answered },
  { title: 'dns.lookup p50, ms', read: lookupP50 },
];

export function stagesTable(rounds: Rounds<FloodStage>): string {
  const statuses = new Set(STAGES.flatMap((stage) => rounds[stage].flatMap((one) => Object.keys(one.loginsPerSecond))));
  const logins = [...statuses].sort().map((status) => ({
    title: `logins/s, ${status}`,
    read: ({ loginsPerSecond }: StageFigures) => loginsPerSecond[status] ?? 0,
  }));
  const cell = (stage: FloodStage, { read }: Row) => spreadText(spreadOf(rounds[stage].map(read)));
  const rows = [...logins, ...ROWS].map((row) => [row.title, ...STAGES.map((stage) => cell(stage, row))]);
  return table([['median (lowest to highest)', ...STAGES], ...rows]);
}

/** A figure of one stage over that of another, of the same round each. */
export function ratioOf<Measured extends Stage>(
  rounds: Rounds<Measured>,
  read: Row['read'],
  above: Measured,
  below: Measured,
): Spread {
  return spreadOf(rounds[above].map((figures, round) => read(figures) / read(rounds[below][round] ?? figures)));
}

/** The ratios that the targets name. */
export function ratiosOf(rounds: Rounds<FloodStage>): Record<RatioName, Spread> {
  return {
    'good logins per second, bounded over unbounded': ratioOf(rounds, loggedIn, 'bounded', 'unbounded'),
    'fs.readFile p50, bounded over unbounded': ratioOf(rounds, readFileP50, 'bounded', 'unbounded'),
    'dns.lookup p50, bounded over unbounded': ratioOf(rounds, lookupP50, 'bounded', 'unbounded'),
    'guarded p99, bounded over idle': ratioOf(rounds, guardedP99, 'bounded', 'idle'),
    'guarded p99, unbounded over idle': ratioOf(rounds, guardedP99, 'unbounded', 'idle'),
  };
}

export function ratiosTable(ratios: Readonly<Record<string, Spread>>): string {
  return table(Object.entries(ratios).map(([title, ratio]) => [title, spreadText(ratio)]));
}

export function burstTable(burst: BurstFigures): string {
  const { rss, heap, login, guarded, guardedAfterwards } = burst;
  const times = (of: { p50: number; p99: number; highest: number }) =>
    `p50 ${figure(of.p50)} ms, p99 ${figure(of.p99)} ms, highest ${figure(of.highest)} ms`;
  const mebibytes = (bytes: number) => `${figure(bytes / 2 ** 20)} MiB`;
  const counts = Object.entries(burst.counts).toSorted();
  return table([
    ['connections opened', `${burst.logins} in ${figure(burst.connectMs)} ms`],
    ...counts.map(([answer, count]) => [`answered ${answer}`, String(count)]),
    ['from the first login sent to the last answer', `${figure(burst.answeredMs)} ms`],
    ['admitted, of these without 200 or 401', `${burst.admitted}, ${burst.unanswered}`],
    [
      'event loop blocked, meanwhile and in the 2 s afterwards',
      `${figure(burst.blockedMs)} ms, ${figure(burst.blockedAfterwardsMs)} ms`,
    ],
    ['login', times(login)],
    ['guarded requests answered meanwhile', String(guarded.answered)],
    ['guarded, meanwhile', times(guarded)],
    ['guarded, in the 2 s afterwards', times(guardedAfterwards)],
    ['RSS before', mebibytes(rss.before)],
    ['RSS with the connections open', mebibytes(rss.connected)],
    ['RSS at its peak', mebibytes(rss.peak)],
    ['RSS after', mebibytes(rss.after)],
    ['heap in use before, after', `${mebibytes(heap.before)}, ${mebibytes(heap.after)}`],
  ]);
}

import path from 'node:path';
import type { ClientCommands, ClientTurn } from './client.js';
import { Remote } from './processes.js';
import { figure } from './report.js';
import type { Figures, Problems } from './rows.js';
import { ratioOf, type Spread, spreadOf } from './statistics.js';

export type Client = Remote<ClientCommands>;

export interface Server {
  /** `cpu` returns the processor time of all threads, in microseconds. */
  readonly remote: Remote<{ readonly cpu: () => NodeJS.CpuUsage }>;
  readonly port: number;
}

/** One turn of one server. Processor times are those of the server, in microseconds for each request. */
export interface Turn {
  readonly perSecond: number;
  readonly user: number;
  readonly system: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** The turns of each server, by its name. */
export type Turns = Readonly<Record<string, readonly Turn[]>>;

export function startClient(core?: 'client'): Client {
  return new Remote<ClientCommands>(path.join(__dirname, 'client.js'), { core });
}

/** Sends to one server, and measures that server's processor time meanwhile. */
export async function takeTurn(
  client: Client,
  { remote, port }: Server,
  turn: Omit<ClientTurn, 'port'>,
  problems: Problems,
): Promise<Turn> {
  const before = await remote.call('cpu');
  const { answered, elapsedMs, total, p50, p99, problems: wrong } = await client.call('send', { ...turn, port });
  const after = await remote.call('cpu');
  for (const [problem, count] of Object.entries({
    ...wrong,
    ...(answered === 0 && { 'a turn without a response': 1 }),
  })) {
    const key = `${turn.requests}: ${problem}`;
    problems[key] = (problems[key] ?? 0) + count;
  }
  return {
    perSecond: (answered / elapsedMs) * 1000,
    user: (after.user - before.user) / total,
    system: (after.system - before.system) / total,
    p50,
    p99,
  };
}

const PARTS = {
  'requests/s': (turn: Turn) => turn.perSecond,
  'user µs': (turn: Turn) => turn.user,
  'system µs': (turn: Turn) => turn.system,
  'p50 ms': (turn: Turn) => turn.p50,
  'p99 ms': (turn: Turn) => turn.p99,
} as const;

/** The head of the columns that `turnCells` fills. */
export const TURN_HEAD = Object.keys(PARTS);

/** Returns rate, processor time for each request, and latency of each server. */
export function turnFigures(label: string, turns: Turns): Figures {
  const entries = Object.entries(turns).flatMap(([name, all]) =>
    Object.entries(PARTS).map(([part, read]) => [`${label}, ${name}: ${part}`, spreadOf(all.map(read))] as const),
  );
  return Object.fromEntries(entries);
}

/** Returns only the rate of each server. */
export function rateFigures(label: string, turns: Turns): Figures {
  return Object.fromEntries(Object.entries(turnFigures(label, turns)).filter(([name]) => name.endsWith('requests/s')));
}

/** Returns the medians of `turnFigures` for one server. */
export function turnCells(figures: Figures, label: string, name: string): string[] {
  return TURN_HEAD.map((part) => figure(figures[`${label}, ${name}: ${part}`]?.median ?? Number.NaN));
}

/** Compares the turns of two servers round by round. Default: their requests per second. */
export function turnRatio(turns: Turns, above: string, below: string, read = PARTS['requests/s']): Spread {
  return ratioOf((turns[above] ?? []).map(read), (turns[below] ?? []).map(read));
}

import path from 'node:path';
import type { ClientCommands, ClientSlice } from './client.js';
import { Remote } from './processes.js';
import { markdownTable, medianText, NOT_MEASURED, spread } from './report.js';
import type { Figures, Problems } from './rows.js';
import { type Blocks, type Quartiles, quartilesOf, ratioOf } from './statistics.js';

export const BARE = 'bare Express';
/** A second side with the server of bare Express. Its ratio differs from 1 only when the machine is busy. */
export const CONTROL = 'bare Express against itself';
const ALLOWED = 0.05;

export type Client = Remote<ClientCommands>;

export interface Server {
  /** `cpu` returns the processor time of all threads, in microseconds. */
  readonly remote: Remote<{ readonly cpu: () => NodeJS.CpuUsage }>;
  readonly port: number;
}

/** `µs` is the processor time of the server for one request. */
export type Part = 'µs' | 'per second' | 'p99 ms';

export function startClient(core?: 'client'): Client {
  return new Remote<ClientCommands>(path.join(__dirname, 'client.js'), { core });
}

/** Returns the processor time of all threads that a call takes, in microseconds. */
export async function processorTime<Result>({ remote }: Pick<Server, 'remote'>, call: () => Promise<Result>) {
  const before = await remote.call('cpu');
  const result = await call();
  const after = await remote.call('cpu');
  return { result, spent: after.user - before.user + after.system - before.system };
}

/** Sends to one server, and measures that server's processor time meanwhile. */
export async function takeSlice(
  client: Client,
  server: Server,
  slice: Omit<ClientSlice, 'port'>,
  problems: Problems,
): Promise<Readonly<Record<Part, number>>> {
  const send = () => client.call('send', { ...slice, port: server.port });
  const { result, spent } = await processorTime(server, send);
  const { answered, elapsedMs, total, p99 } = result;
  const none = answered === 0 && { 'a slice without a response': 1 };
  for (const [problem, count] of Object.entries({ ...result.problems, ...none })) {
    const key = `${slice.requests}: ${problem}`;
    problems[key] = (problems[key] ?? 0) + count;
  }
  return { µs: spent / total, 'per second': (answered / elapsedMs) * 1_000, 'p99 ms': p99 };
}

export function ratioName(label: string, above: string, below: string, part: Part = 'µs'): string {
  return `${label}, ${part === 'µs' ? 'processor time' : part} of ${above} over ${below}`;
}

/** Compares the blocks of two sides. */
export function ratio(label: string, blocks: Blocks<Part>, above: string, below: string, part: Part = 'µs'): Figures {
  const read = (name: string) => (blocks[name] ?? []).map((block) => block[part]);
  return { [ratioName(label, above, below, part)]: ratioOf(read(above), read(below)) };
}

/** Returns the figures of all sides, with the ratio of each processor time to that of the reference. */
export function figuresOf(label: string, blocks: Blocks<Part>, reference: string): Figures {
  const figures: Record<string, Quartiles> = {};
  for (const [name, all] of Object.entries(blocks)) {
    for (const part of ['µs', 'per second', 'p99 ms'] as const) {
      figures[`${label}, ${name}: ${part}`] = quartilesOf(all.map((block) => block[part]));
    }
    Object.assign(figures, ratio(label, blocks, name, name === CONTROL ? BARE : reference));
  }
  return figures;
}

const controlsOf = (figures: Figures) =>
  Object.entries(figures).filter(([name]) => name.includes(`processor time of ${CONTROL}`));

/**
 * Returns the ratios of bare Express to itself that show that other programs disturbed the measurement. At a fixed rate,
 * processor time depends on how the requests fall together, so that control decides nothing.
 */
export function disturbedControls(figures: Figures): string[] {
  return controlsOf(figures)
    .filter(([name]) => !name.includes(' offered, '))
    .filter(([, { lower, upper }]) => !(lower >= 1 - ALLOWED && upper <= 1 + ALLOWED))
    .map(([name, value]) => `${name}: ${spread(value)}`);
}

/** A line of a table: its first cells, and the side whose figures it shows for each label. */
export interface Line {
  readonly cells: readonly string[];
  readonly name: string;
  readonly labels: readonly string[];
}

/** Makes a table with four columns for each title. */
export function tableOf(
  head: readonly string[],
  titles: readonly string[],
  reference: string,
  lines: readonly Line[],
  figures: Figures,
): string {
  const cellsOf = (label: string, name: string) => {
    const read = (part: Part) => figures[`${label}, ${name}: ${part}`];
    const cost = read('µs');
    if (cost === undefined) return [NOT_MEASURED, '-', '-', '-'];
    const times = figures[ratioName(label, name, reference)];
    return [medianText(cost), spread(times), medianText(read('per second')), medianText(read('p99 ms'))];
  };
  return markdownTable(
    [...head, ...titles.flatMap((title) => [`${title}, µs`, `times ${reference}`, 'per second', 'p99 ms'])],
    lines.map(({ cells, name, labels }) => [...cells, ...labels.flatMap((label) => cellsOf(label, name))]),
  );
}

import { collect, named, type Problems } from '../harness/problems.js';
import { spreadOf, type Spread } from '../harness/statistics.js';
import type { GuardLoad, GuardServer } from './processes.js';
import { MERCHANTS, type Variety, type Wanted } from './requests.js';

/** What one turn of one server showed. */
export interface Turn {
  readonly requestsPerSecond: number;
  /** What the server's threads worked, in microseconds for each request. */
  readonly cpuMicroseconds: number;
  readonly problems: Problems;
}

/** How long turns are, and how many. */
export interface Pace {
  readonly rounds: number;
  readonly sliceMs: number;
}

/** A server that takes turns with others. */
export interface Contender<Name extends string> {
  readonly name: Name;
  readonly server: GuardServer;
  /** What all its answers are to be. */
  readonly status: number;
}

export type Turns<Name extends string> = Readonly<Record<Name, readonly Turn[]>>;

/** Sent at the beginning of each turn without being counted, in milliseconds. */
const SETTLE_MS = 60;
/** In which the slowest server has answered each token once. */
const LONG_MS = 60_000;
/** More requests than any server here answers in a second. */
const MOST_PER_SECOND = 20_000;

/** Sends to one server for a while, and counts. */
export async function takeTurn(
  load: GuardLoad,
  { name, server: { remote, port }, status }: Contender<string>,
  { ms, repeats }: { readonly ms: number; readonly repeats: boolean },
): Promise<Turn> {
  const before = await remote.call('cpuTime');
  const turn = { name, port, status, ms, repeats, settleMs: SETTLE_MS };
  const { answered, elapsedMs, total, problems } = await remote.whileAlive(load.call('send', turn));
  const after = await remote.call('cpuTime');
  return {
    requestsPerSecond: (answered / elapsedMs) * 1000,
    cpuMicroseconds: ((after - before) * 1000) / total,
    problems: { ...problems, ...(answered === 0 && { 'a turn without an answer': 1 }) },
  };
}

/**
 * Lets servers take turns with the same requests.
 * @param wanted with `variety` `new`, made anew for each round, so that no server has seen one of its tokens; with
 *   `rotation` every server sees all of them once before it is counted
 */
export async function takeTurns<Name extends string>(
  load: GuardLoad,
  contenders: readonly Contender<Name>[],
  { variety, ...wanted }: Omit<Wanted, 'count'> & { readonly variety: Variety },
  pace: Pace,
): Promise<Turns<Name>> {
  const names = contenders.map(({ name }) => name);
  const newOnes = Math.ceil(((pace.sliceMs + SETTLE_MS) / 1000) * MOST_PER_SECOND);
  const count = { repeated: 1, rotation: MERCHANTS, new: newOnes }[variety];
  const prepare = () => load.call('prepare', { names, wanted: { ...wanted, count } });

  if (variety !== 'new') await prepare();
  if (variety === 'rotation') {
    for (const contender of contenders) await takeTurn(load, contender, { ms: LONG_MS, repeats: false });
  }
  return alternate(contenders, pace, async (contender, isFirst) => {
    if (variety === 'new' && isFirst) await prepare();
    return takeTurn(load, contender, { ms: pace.sliceMs, repeats: variety !== 'new' });
  });
}

/** All contenders in each round, another one first each time, so that none is always the one after the same other. */
export async function alternate<Name extends string, Entry extends { readonly name: Name }, Result>(
  entries: readonly Entry[],
  { rounds }: Pick<Pace, 'rounds'>,
  measure: (entry: Entry, isFirst: boolean) => Promise<Result>,
): Promise<Readonly<Record<Name, readonly Result[]>>> {
  const results = Object.fromEntries(entries.map(({ name }) => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (let round = 0; round < rounds; round += 1) {
    const first = round % entries.length;
    const order = [...entries.slice(first), ...entries.slice(0, first)];
    for (const [place, entry] of order.entries()) results[entry.name].push(await measure(entry, place === 0));
  }
  return results;
}

/** How much a server does beside another one, of the same round each: above 1 the first is the better one. */
export interface Ratio {
  /** Of the requests per second. */
  readonly rate: Spread;
  /** Of the requests for each second of processor time. */
  readonly cpu: Spread;
}

export function ratioOf(above: readonly Turn[], below: readonly Turn[]): Ratio {
  const over = (read: (turn: Turn) => number) =>
    spreadOf(above.map((turn, round) => read(turn) / read(below[round] ?? turn)));
  return {
    rate: over(({ requestsPerSecond }) => requestsPerSecond),
    cpu: over(({ cpuMicroseconds }) => 1 / cpuMicroseconds),
  };
}

/** What went wrong, and how often. */
export function problemsOf(turns: Turns<string>): Problems {
  const problems: Record<string, number> = {};
  for (const [name, all] of Object.entries(turns)) {
    for (const turn of all) collect(problems, named(name, turn.problems));
  }
  return problems;
}

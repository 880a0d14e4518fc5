import { openConnections, type Prepared, sendFor } from './connections.js';
import { ALL_CORES, keepOn, type Program, SECOND_CORE, startServer } from './processes.js';
import { alternate, type Blocks } from './statistics.js';

export const BARE = 'bare Express';
/** A second side with the server of bare Express. Its ratio differs from 1 only when the machine is busy. */
export const CONTROL = 'bare Express again';

const WARM_UP_BLOCKS = 3;

/** A server, and the requests that it gets in turn. Sides with the same program share a server. */
export interface Side {
  readonly program: Program;
  readonly requests: readonly Prepared[];
}

/** Sides that take turns. */
export interface Comparison {
  readonly bare: Side;
  readonly sides: Readonly<Record<string, Side>>;
  readonly connections: number;
  /** The length of a turn. */
  readonly ms: number;
}

export interface Run {
  /** The executable that runs the servers. */
  readonly node: string;
  /** The number of blocks of each set of processes. */
  readonly blocks: number;
}

/**
 * Measures the processor time of a request in microseconds. It starts two sets of processes one after the other, because
 * the speed of a process depends on its luck with memory and compilation.
 */
export async function measure(comparison: Comparison, run: Run): Promise<Blocks> {
  const [first, second] = [await measureSet(comparison, run), await measureSet(comparison, run)];
  return Object.fromEntries(
    Object.entries(first).map(([name, values]) => [name, [...values, ...(second[name] ?? [])]]),
  );
}

async function measureSet({ bare, sides, connections, ms }: Comparison, { node, blocks }: Run): Promise<Blocks> {
  const all: Readonly<Record<string, Side>> = { [BARE]: bare, [CONTROL]: bare, ...sides };
  const servers = new Map<Program, Awaited<ReturnType<typeof openServer>>>();
  try {
    const turns = new Map<string, () => Promise<number>>();
    for (const [name, { program, requests }] of Object.entries(all)) {
      const server = servers.get(program) ?? (await openServer(program, node, connections));
      servers.set(program, server);
      turns.set(name, takingTurns(server, requests, ms));
    }
    keepOn(SECOND_CORE);
    await alternate(turns, WARM_UP_BLOCKS);
    return await alternate(turns, blocks);
  } finally {
    keepOn(ALL_CORES);
    await Promise.all([...servers.values()].map(({ end }) => end()));
  }
}

async function openServer(program: Program, node: string, connections: number) {
  const server = await startServer(program, node);
  return { ...server, sockets: await openConnections(server.port, connections) };
}

/** Returns a function that sends for `ms`, and returns the processor time of a request. */
function takingTurns(
  { processorTime, sockets }: Awaited<ReturnType<typeof openServer>>,
  requests: readonly Prepared[],
  ms: number,
): () => Promise<number> {
  const supply = repeat(requests);
  return async () => {
    const before = await processorTime();
    const total = await sendFor(ms, sockets, () => supply.next().value);
    return ((await processorTime()) - before) / total;
  };
}

function* repeat(requests: readonly Prepared[]): Generator<Prepared, never> {
  for (;;) yield* requests;
}

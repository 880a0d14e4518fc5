import path from 'node:path';
import type { Prepared } from '../harness/connections.js';
import { Remote } from '../harness/processes.js';
import type { Run } from '../harness/rows.js';
import { BARE, CONTROL, type Part, type Server, startClient, takeSlice } from '../harness/sides.js';
import { alternate, type Blocks } from '../harness/statistics.js';
import type { Setup } from './applications.js';
import { type Key, verifyingHalf } from './keys.js';
import type { GuardServerCommands } from './server.js';

/** Closed loops, in which each connection waits for its response, or an open loop with a fixed rate. */
export interface Load {
  readonly connections: number;
  readonly perSecond?: number;
  /** The time that a slice counts. Default: 120. */
  readonly ms?: number;
}

const USUAL: Load = { connections: 32 };
const MOST_CONNECTIONS = 256;
const SLICE_MS = 120;
const SETTLE_MS = 30;
const WARM_UP_BLOCKS = 3;

/** A server, and the requests that it gets. */
export interface Side {
  readonly server: string;
  readonly requests: string;
}

/** Servers that take turns, and the client that sends to them. */
export interface Stand {
  /** Gives requests a name. */
  readonly prepare: (name: string, requests: readonly Prepared[]) => Promise<void>;
  readonly slice: (side: Side, load?: Load) => Promise<Readonly<Record<Part, number>>>;
  /** Measures all sides, bare Express and its control. */
  readonly compare: (sides: Readonly<Record<string, Side>>, load?: Load) => Promise<Blocks<Part>>;
  /** Does the same, and keeps no figures, so that the servers compile the code for this load. */
  readonly warmUp: (sides: Readonly<Record<string, Side>>, load?: Load) => Promise<unknown>;
}

/** Starts a process for each server, for bare Express and for the client, runs `measure`, and ends the processes. */
export async function withServers<Result>(
  { node, blocks, problems }: Run,
  key: Key,
  setups: Readonly<Record<string, Omit<Setup, 'key'>>>,
  measure: (stand: Stand) => Promise<Result>,
): Promise<Result> {
  const client = startClient('client');
  const servers: Record<string, Server & { readonly remote: Remote<GuardServerCommands> }> = {};
  const slice: Stand['slice'] = ({ server: name, requests }, load = USUAL) => {
    const server = servers[name];
    if (server === undefined) throw new Error(`No server "${name}" was started.`);
    return takeSlice(client, server, { ms: SLICE_MS, ...load, requests, settleMs: SETTLE_MS }, problems);
  };
  const compareIn = (times: number, sides: Readonly<Record<string, Side>>, load?: Load) => {
    const requests = Object.values(sides)[0]?.requests ?? '';
    const all: Readonly<Record<string, Side>> = {
      [BARE]: { server: BARE, requests },
      [CONTROL]: { server: BARE, requests },
      ...sides,
    };
    return alternate(Object.keys(all), times, (name) => slice(all[name] ?? { server: name, requests }, load));
  };
  try {
    for (const [name, setup] of Object.entries({ [BARE]: { guard: BARE } as const, ...setups })) {
      const remote = new Remote<GuardServerCommands>(path.join(__dirname, 'server.js'), {
        node: node.path,
        core: 'server',
      });
      servers[name] = { remote, port: 0 };
      const port = await remote.call('listen', { ...setup, key: verifyingHalf(key) });
      servers[name] = { remote, port };
      await client.call('open', { port, count: MOST_CONNECTIONS });
    }
    return await measure({
      prepare: (name, requests) => client.call('prepare', { name, requests }),
      slice,
      compare: (sides, load) => compareIn(blocks, sides, load),
      warmUp: (sides, load) => compareIn(WARM_UP_BLOCKS, sides, load),
    });
  } finally {
    await Promise.all([client.end(), ...Object.values(servers).map(({ remote }) => remote.end())]);
  }
}

/**
 * Measures half of the blocks, and the other half with new processes, because the speed of a process depends on its luck
 * with memory and compilation.
 */
export async function inTwoSets(
  run: Run,
  measure: (run: Run) => Promise<Readonly<Record<string, Blocks<Part>>>>,
): Promise<Readonly<Record<string, Blocks<Part>>>> {
  const half = { ...run, blocks: Math.ceil(run.blocks / 2) };
  const [first, second] = [await measure(half), await measure(half)];
  const merged = Object.entries(first).map(([label, blocks]) => {
    const sides = Object.entries(blocks).map(
      ([name, all]) => [name, [...all, ...(second[label]?.[name] ?? [])]] as const,
    );
    return [label, Object.fromEntries(sides)] as const;
  });
  return Object.fromEntries(merged);
}

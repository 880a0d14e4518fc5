import path from 'node:path';
import type { ClientTurn } from '../harness/client.js';
import type { Prepared } from '../harness/connections.js';
import { Remote } from '../harness/processes.js';
import type { Run } from '../harness/rows.js';
import { alternate } from '../harness/statistics.js';
import { startClient, takeTurn, type Turn, type Turns } from '../harness/turns.js';
import type { Setup } from './applications.js';
import { verifyingHalf } from './keys.js';
import type { GuardServerCommands } from './server.js';

/** The connections of a turn, where a row does not say otherwise. */
export const CONNECTIONS = 32;
const MOST_CONNECTIONS = 256;
/** The time that a turn counts, and the time before that. */
export const TURN_MS = 200;
const SETTLE_MS = 50;
/** The rounds before those that count. */
export const WARM_UP_ROUNDS = 3;

type Sending = Pick<ClientTurn, 'requests' | 'once' | 'perSecond'> & { readonly connections?: number };

/** Servers that take turns, and the client that sends to them. */
export interface Stand {
  /** Gives requests a name. */
  readonly prepare: (name: string, requests: readonly Prepared[]) => Promise<void>;
  readonly turn: (server: string, sending: Sending) => Promise<Turn>;
  /** Lets all servers take turns with the same requests. */
  readonly turns: (sending: Sending, rounds?: number) => Promise<Turns>;
}

/** Puts something in front of servers. Calls `use` with other ports, in the order of the servers. */
export type Front = <Result>(
  ports: readonly number[],
  use: (fronts: readonly number[]) => Promise<Result>,
) => Promise<Result>;

const nothing: Front = (ports, use) => use(ports);

/** Starts a process for each server and one for the client, runs `measure`, and ends the processes. */
export async function withServers<Result>(
  { node, rounds, problems, front = nothing }: Run & { readonly front?: Front | undefined },
  setups: Readonly<Record<string, Setup>>,
  measure: (stand: Stand) => Promise<Result>,
): Promise<Result> {
  const client = startClient('client');
  const servers: Record<string, { readonly remote: Remote<GuardServerCommands>; port: number }> = {};
  const turn = (name: string, sending: Sending) => {
    const server = servers[name];
    if (server === undefined) throw new Error(`No server "${name}" was started.`);
    const slice = { connections: CONNECTIONS, ...sending, settleMs: SETTLE_MS, ms: TURN_MS };
    return takeTurn(client, server, slice, problems);
  };
  try {
    for (const [name, setup] of Object.entries(setups)) {
      const file = path.join(__dirname, 'server.js');
      const remote = new Remote<GuardServerCommands>(file, { node: node.path, core: 'server' });
      const server = (servers[name] = { remote, port: 0 });
      server.port = await remote.call('listen', { ...setup, key: verifyingHalf(setup.key) });
    }
    const all = Object.values(servers);
    const ports = all.map(({ port }) => port);
    return await front(ports, async (fronts) => {
      for (const [place, port] of fronts.entries()) {
        Object.assign(all[place] ?? {}, { port });
        await client.call('open', { port, count: MOST_CONNECTIONS });
      }
      return measure({
        prepare: (name, requests) => client.call('prepare', { name, requests }),
        turn,
        turns: (sending, times = rounds) => alternate(Object.keys(setups), times, (name) => turn(name, sending)),
      });
    });
  } finally {
    await Promise.all([client.end(), ...Object.values(servers).map(({ remote }) => remote.end())]);
  }
}

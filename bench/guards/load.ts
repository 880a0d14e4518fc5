import { obey } from '../harness/remote.js';
import { Connections, type NextRequest, type Slice } from './connections.js';
import { type Prepared, prepareRequests, type Wanted } from './requests.js';

// The process that sends.

/** A slice for one server. */
interface Turn extends Slice {
  readonly name: string;
  readonly port: number;
  /** Whether to begin anew when all requests were sent. */
  readonly repeats: boolean;
}

/** What is sent in somebody's turns. */
interface Supply {
  readonly requests: readonly Prepared[];
  /** How many of them were. */
  sent: number;
}

const connections = new Map<number, Connections>();
/** By who takes turns with it. */
const supplies = new Map<string, Supply>();

const commands = {
  async open({ port, count }: { readonly port: number; readonly count: number }) {
    connections.set(port, await Connections.open(port, count));
  },
  close({ port }: { readonly port: number }) {
    connections.get(port)?.close();
    connections.delete(port);
  },
  /** Makes what is sent from now on in the turns of these, the same for all of them. */
  prepare({ names, wanted }: { readonly names: readonly string[]; readonly wanted: Wanted }) {
    const requests = prepareRequests(wanted);
    for (const name of names) supplies.set(name, { requests, sent: 0 });
  },
  send({ name, port, repeats, ...slice }: Turn) {
    const open = connections.get(port);
    const supply = supplies.get(name);
    if (open === undefined || supply === undefined) throw new Error('send before open and prepare');
    return open.send(nextOf(supply, repeats), slice);
  },
};

function nextOf(supply: Supply, repeats: boolean): NextRequest {
  return () => {
    const number = supply.sent++;
    return supply.requests[repeats ? number % supply.requests.length : number];
  };
}

export type GuardLoadCommands = typeof commands;
obey(commands);

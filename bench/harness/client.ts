import type { Socket } from 'node:net';
import { openConnections, type Prepared, sendOver, type Slice } from './connections.js';
import { obey } from './processes.js';

// The process that sends requests.

/** A slice for one server. */
export interface ClientSlice extends Slice {
  readonly port: number;
  /** The name of the requests. The client begins again when all were sent. */
  readonly requests: string;
}

const connections = new Map<number, readonly Socket[]>();
const supplies = new Map<string, { readonly requests: readonly Prepared[]; sent: number }>();

const commands = {
  async open({ port, count }: { readonly port: number; readonly count: number }) {
    connections.set(port, await openConnections(port, count));
  },
  prepare({ name, requests }: { readonly name: string; readonly requests: readonly Prepared[] }) {
    supplies.set(name, { requests, sent: 0 });
  },
  send({ port, requests: name, ...slice }: ClientSlice) {
    const [open, supply] = [connections.get(port), supplies.get(name)];
    if (open === undefined || supply === undefined) throw new Error('send before open and prepare');
    const { requests } = supply;
    return sendOver(open, () => requests[supply.sent++ % requests.length], slice);
  },
};

export type ClientCommands = typeof commands;
obey(commands);

import { Agent } from 'node:http';
import { type Loop, startOpenLoop } from '../harness/loops.js';
import { postJson } from '../harness/post-json.js';
import { obey } from '../harness/remote.js';

// The process that sends guarded requests: one of its own, so that it never waits behind the flood that it watches.

export interface Watching {
  readonly port: number;
  readonly token: string;
  readonly referencl: string;
  readonly perSecond: number;
}

const WITHIN_MS = 30_000;
/** Opened in advance, since merchants' servers keep theirs; and the login flood may fill the queue for new ones. */
const CONNECTIONS = 32;

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, maxFreeSockets: CONNECTIONS });
let loop: Loop | undefined;

async function send({ port, token, referencl }: Watching): Promise<void> {
  const body = { refercence_cl: referencl, amount: 1500, currency: 'XOF' };
  const { status } = await postJson(agent, { port, path: '/v1/transactions', token, body, withinMs: WITHIN_MS });
  if (status !== 201) throw new Error(`status ${status}`);
}

const commands = {
  async start(watching: Watching) {
    await Promise.all(Array.from({ length: CONNECTIONS }, () => send(watching)));
    loop = startOpenLoop(watching.perSecond, () => send(watching));
  },
  stop() {
    if (loop === undefined) throw new Error('stop before start');
    return loop.stop();
  },
};

export type GuardedCommands = typeof commands;
obey(commands);

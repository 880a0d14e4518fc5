import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpuTime } from '../harness/cpu-time.js';
import { obey } from '../harness/remote.js';
import { createApp, type ExpressMajor, type GuardName, type Setup } from './guards.js';

// The process that serves one guarded application.

/** What a server is to be. */
export interface Guarding extends Setup {
  readonly guard: GuardName;
  readonly major: ExpressMajor;
}

const commands = {
  async listen({ major, guard, ...setup }: Guarding) {
    const server = createServer(await createApp(major, guard, setup));
    // The connections stay open while other servers have their turns, also those that nothing was sent on yet.
    server.keepAliveTimeout = server.headersTimeout = server.requestTimeout = 0;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },
  cpuTime,
};

export type GuardServerCommands = typeof commands;
obey(commands);

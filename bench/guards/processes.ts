import path from 'node:path';
import { CORE, keepOnCore } from '../harness/cores.js';
import { Remote } from '../harness/remote.js';
import { verifyingHalves } from './keys.js';
import type { GuardLoadCommands } from './load.js';
import type { Guarding, GuardServerCommands } from './server.js';

export type GuardLoad = Remote<GuardLoadCommands>;

/** A server that listens, and that the load has its connections to. */
export interface GuardServer {
  readonly remote: Remote<Pick<GuardServerCommands, 'cpuTime'>>;
  readonly port: number;
}

/** How many requests are under way at a time. */
const CONNECTIONS = 32;

const file = (name: string) => path.join(__dirname, `${name}.js`);

export async function startGuardServer(load: GuardLoad, guarding: Guarding, nodeFlags: readonly string[] = []) {
  const remote = new Remote<GuardServerCommands>(`${guarding.guard} server`, file('server'), nodeFlags);
  keepOnCore(CORE.server, remote.pid);
  const port = await remote.call('listen', { ...guarding, keys: verifyingHalves(guarding.keys) });
  await load.call('open', { port, count: CONNECTIONS });
  return { remote, port } satisfies GuardServer;
}

export async function endGuardServer(load: GuardLoad, { remote, port }: GuardServer): Promise<void> {
  // The load may be what has died; the servers must end all the same.
  await load.call('close', { port }).catch(() => undefined);
  await remote.end();
}

export function startGuardLoad(): GuardLoad {
  const load = new Remote<GuardLoadCommands>('load', file('load'));
  keepOnCore(CORE.load, load.pid);
  return load;
}

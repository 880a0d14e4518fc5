import path from 'node:path';
import { Remote } from '../harness/remote.js';
import type { GuardedCommands, Watching } from './guarded.js';
import type { LoadCommands } from './load.js';
import type { LoginKind, ServerCommands } from './server.js';

export type Load = Remote<LoadCommands>;
export type GuardedClient = Remote<GuardedCommands>;

/** A server that listens, and what a client needs to know of it. */
export interface Served {
  readonly remote: Remote<ServerCommands>;
  readonly port: number;
  readonly watching: Omit<Watching, 'perSecond'>;
}

const file = (name: string) => path.join(__dirname, `${name}.js`);

/** @param maxConcurrentHashes of bounded hashing; 0 for the package's default */
export async function startServer(kind: LoginKind, maxConcurrentHashes = 0): Promise<Served> {
  const args = [kind, String(maxConcurrentHashes)];
  const remote = new Remote<ServerCommands>(`${kind} server`, file('server'), ['--expose-gc'], args);
  const watching = await remote.call('listen');
  return { remote, port: watching.port, watching };
}

export function startLoad(): Load {
  return new Remote<LoadCommands>('load', file('load'));
}

export function startGuardedClient(): GuardedClient {
  return new Remote<GuardedCommands>('guarded', file('guarded'));
}

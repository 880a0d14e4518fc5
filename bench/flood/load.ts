import { cpuTime } from '../harness/cpu-time.js';
import { obey } from '../harness/remote.js';
import { Burst } from './burst.js';
import { Callers } from './callers.js';

// The process that logs in.

let callers: Callers | undefined;
let burst: Burst | undefined;

const commands = {
  cpuTime,
  startFlood({ port, count }: { readonly port: number; readonly count: number }) {
    callers = new Callers(port, count);
  },
  /** Begins to count anew. @returns what was counted until now; `null` when there is no flood */
  recountFlood: () => callers?.recount() ?? null,
  async endFlood() {
    await callers?.end();
    callers = undefined;
  },
  connectBurst({ port, logins }: { readonly port: number; readonly logins: number }) {
    burst = new Burst(port);
    return burst.connect(logins);
  },
  offerBurst({ withinMs }: { readonly withinMs: number }) {
    if (burst === undefined) throw new Error('offerBurst before connectBurst');
    return burst.offer(withinMs);
  },
};

export type LoadCommands = typeof commands;
obey(commands);

import { cpuTime } from '../harness/cpu-time.js';
import { obey } from '../harness/remote.js';
import { type Arrivals, startArrivals } from './arrivals.js';
import { Burst } from './burst.js';
import { Callers } from './callers.js';
import type { Pattern } from './merchants.js';

// The process that logs in.

interface Flood {
  readonly port: number;
  /** The number of callers. */
  readonly count: number;
  /** Default: each caller has its own account, and all come from one source. */
  readonly pattern?: Pattern;
}

interface Arriving {
  readonly port: number;
  readonly perSecond: number;
  readonly pattern: Pattern;
}

let callers: Callers | undefined;
let arrivals: Arrivals | undefined;
let burst: Burst | undefined;

const commands = {
  cpuTime,
  startFlood({ port, count, pattern = 'one source' }: Flood) {
    callers = new Callers(port, count, pattern);
  },
  /** Begins to count anew. Returns the answers until now, or `null` when there is no flood. */
  recountFlood: () => callers?.recount() ?? null,
  async endFlood() {
    await callers?.end();
    callers = undefined;
  },
  startArrivals({ port, perSecond, pattern }: Arriving) {
    arrivals = startArrivals(port, perSecond, pattern);
  },
  endArrivals() {
    if (arrivals === undefined) throw new Error('endArrivals before startArrivals');
    return arrivals.end();
  },
  connectBurst({ port, logins }: { readonly port: number; readonly logins: number }) {
    burst = new Burst(port);
    return burst.connect(logins);
  },
  offerBurst({ pattern }: { readonly pattern: Pattern }) {
    if (burst === undefined) throw new Error('offerBurst before connectBurst');
    return burst.offer(pattern);
  },
  endBurst: () => burst?.end(),
};

export type LoadCommands = typeof commands;
obey(commands);

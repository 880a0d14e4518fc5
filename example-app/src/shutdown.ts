import type { Server } from 'node:http';
import { constants } from 'node:os';
import { createDrain } from './drain.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** A terminal or a service manager signals both npm and this process, and npm passes on what it got. */
const ECHO_MS = 250;

/**
 * Ends the process well when it is told to stop: with nothing left to do it exits by itself, with 0. A second signal
 * means now.
 */
export function drainOnSignals(server: Server): void {
  const drain = createDrain(server);
  let drainingSince: number | undefined;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (drainingSince === undefined) {
        drainingSince = performance.now();
        drain();
      } else if (performance.now() - drainingSince > ECHO_MS) {
        process.exit(128 + constants.signals[signal]);
      }
    });
  }
}

import type { Server } from 'node:http';
import { constants } from 'node:os';
import { createDrain } from './drain.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Ignores a second signal within this time, in milliseconds. Ctrl+C under npm sends each signal twice: npm forwards its own. */
const ECHO_MS = 250;

/** Limits the time to close the services after the last answer, in milliseconds, because a database can hang. */
const CLOSE_MS = 3_000;

interface StopOptions {
  /** The time for which the server still accepts connections, in milliseconds. */
  readonly delayMs: number;
  readonly onStop: (signal: NodeJS.Signals) => void;
  readonly close: () => Promise<void>;
}

/**
 * On SIGTERM and SIGINT, calls `onStop` at once and drains the server after the delay. When the last answer was sent, it calls
 * `close` and the process exits with 0. A second signal ends it at once.
 */
export function drainOnSignals(server: Server, { delayMs, onStop, close }: StopOptions): void {
  const drain = createDrain(server);
  let drainingSince: number | undefined;
  server.once('close', () => {
    close().catch((error: unknown) => {
      console.error(`Cannot close: ${(error as Error).message}`);
    });
    setTimeout(() => process.exit(), CLOSE_MS).unref();
  });
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (drainingSince === undefined) {
        drainingSince = performance.now();
        onStop(signal);
        drain(delayMs);
      } else if (performance.now() - drainingSince > ECHO_MS) {
        process.exit(128 + constants.signals[signal]);
      }
    });
  }
}

import type { Server } from 'node:http';
import { constants } from 'node:os';
import { createDrain } from './drain.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** A terminal or a service manager signals both npm and this process, and npm passes on what it got. */
const ECHO_MS = 250;

/** How long a database that hangs may keep the process alive after the last answer, in milliseconds. */
const CLOSE_MS = 3_000;

type StopHooks = Readonly<{ onStop: (signal: NodeJS.Signals) => void; close: () => Promise<void> }>;

/**
 * Drains the server on SIGTERM and SIGINT: calls `onStop`, and `close` when the last answer is out. With nothing left to
 * do, the process exits by itself, with 0. A second signal ends it at once.
 */
export function drainOnSignals(server: Server, { onStop, close }: StopHooks): void {
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
        drain();
      } else if (performance.now() - drainingSince > ECHO_MS) {
        process.exit(128 + constants.signals[signal]);
      }
    });
  }
}

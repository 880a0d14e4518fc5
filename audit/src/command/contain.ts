import { Server } from 'node:http';
import { Server as TlsServer } from 'node:https';

/** Events of the host's app, which the command survives. */
export type Contained = ReturnType<typeof contain>;

/** Keeps an app from ending the process, from opening its port and, without `noise`, from printing. */
export function contain(noise: boolean) {
  // The lines of handlers are those of TypeScript.
  process.setSourceMapsEnabled(true);
  const contained = {
    /** The functions that the app gave to its servers. */
    listeners: [] as unknown[],
    faults: new Set<string>(),
    exitCode: undefined as string | number | undefined,
  };
  Object.assign(process, { exit: (code?: string | number) => (contained.exitCode ??= code ?? 0) });
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (error: unknown) => contained.faults.add(firstLineOf(error)));
  if (!noise) for (const stream of [process.stdout, process.stderr]) stream.write = () => true;
  const listen = Reflect.get(Server.prototype, 'listen') as (...args: unknown[]) => Server;
  function listenOnLoopback(this: Server, ...args: unknown[]): unknown {
    contained.listeners.push(...this.listeners('request'));
    return Reflect.apply(listen, this, [0, '127.0.0.1', ...args.filter((one) => typeof one === 'function')]);
  }
  for (const { prototype } of [Server, TlsServer]) Object.assign(prototype, { listen: listenOnLoopback });
  return contained;
}

/** Skips empty lines, and adds the next line to one that ends with a colon. */
export function firstLineOf(error: unknown): string {
  const text = String(error instanceof Error ? error.message || error.name : error);
  const lines = text.split('\n').map((line) => line.trim());
  const filled = lines.filter((line) => line !== '');
  const end = filled.findIndex((line) => !line.endsWith(':'));
  return filled.slice(0, Math.max(end, 0) + 1).join(' ');
}

/** Returns text that goes behind a sentence. */
export function eventsOf({ faults, exitCode }: Contained): string {
  const events = [...faults].slice(0, 2).map((fault) => `; the app failed: ${fault}`);
  if (exitCode !== undefined) events.push(`; it wanted to exit with ${exitCode}`);
  return events.join('');
}

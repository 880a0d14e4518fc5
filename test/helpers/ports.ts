import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Returns a port of loopback that nobody uses, for a program that cannot choose one itself. It is below the ports that the
 * system gives to connections and to servers, so that nobody gets it in the meantime.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 30_000);
  return (await connects('127.0.0.1', port)) ? freePort() : port;
}

export async function connects(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Says which variable fixes an error. */
const FIXES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'PORT to another port',
  EACCES: 'PORT to another port',
  EADDRNOTAVAIL: 'HOST to an address of this machine',
  ENOTFOUND: 'HOST to an address of this machine',
};

const LOCAL = ['127.0.0.1', '0.0.0.0', '::1', '::'];

/**
 * Starts to listen, and returns the URL by which a caller on this machine reaches the server.
 * @param prefix of the variables that the message of an error names, as in `METRICS_`
 */
export async function listen(server: Server, port: number, host: string, prefix = ''): Promise<string> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { message, code = '' } = error as NodeJS.ErrnoException;
    const fix = FIXES[code];
    throw fix === undefined ? error : new Error(`${message}. Set ${prefix}${fix}.`, { cause: error });
  }
  const { port: chosen, family } = server.address() as AddressInfo;
  const name = family === 'IPv6' && host.includes(':') ? `[${host}]` : host;
  return `http://${LOCAL.includes(host) ? 'localhost' : name}:${chosen}`;
}

import type { IncomingMessage } from 'node:http';

export type Connection = IncomingMessage['socket'];

/** Reads the address of the peer now. Node.js keeps it, so that it is known even after the caller has left. */
export function cachePeerAddress({ socket }: IncomingMessage): string | undefined {
  return (socket as Connection | undefined)?.remoteAddress;
}

/**
 * Returns true when the caller of a connection has left. After a reset, TCP has no remote address, but Node.js destroys
 * the socket only when it reads. A Unix socket never has an address.
 */
export function hasLeft(connection: Connection): boolean {
  return connection.destroyed || (connection.remoteAddress === undefined && connection.localAddress !== undefined);
}

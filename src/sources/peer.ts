import type { IncomingMessage } from 'node:http';

type Connection = IncomingMessage['socket'];

/**
 * Reads the address of the peer, which Node.js then keeps. Otherwise, a caller that leaves while the store is read has
 * no address any more, and an allowed one would be reported as refused.
 */
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

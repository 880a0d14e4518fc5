import type { IncomingMessage } from 'node:http';

export type Connection = IncomingMessage['socket'];

/** Node.js keeps the address once it was read, so it is known even after the caller has left. */
export function cachePeerAddress({ socket }: IncomingMessage): string | undefined {
  return (socket as Connection | undefined)?.remoteAddress;
}

/**
 * After a reset, TCP has no remote address, but Node.js destroys the socket only when it reads. A Unix socket never has
 * an address.
 */
export function hasLeft(connection: Connection): boolean {
  return connection.destroyed || (connection.remoteAddress === undefined && connection.localAddress !== undefined);
}

import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** An admitted login waits up to 10 s for its hash, after up to 5 s for the store. */
const DEFAULT_GRACE_MS = 20_000;

/**
 * Prepares a server to be stopped without an answer lost. The returned function stops accepting, announces the close in
 * every answer from then on, ends the idle connections when the last answer is out, and after `graceMs` milliseconds
 * all that are left.
 */
export function createDrain(server: Server, graceMs = DEFAULT_GRACE_MS): () => void {
  const connections = new Set<Socket>();
  const unsent = new Set<ServerResponse>();
  let isDraining = false;

  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });

  // Before the app's own listener, which may answer at once.
  server.prependListener('request', (_req, res: ServerResponse) => {
    unsent.add(res);
    if (isDraining) announceClose(res);
    res.once('close', () => {
      unsent.delete(res);
      endIdleConnections();
    });
  });

  // closeIdleConnections takes a connection for idle whose answer is complete and waits to be sent, and one that has
  // not had its first request for busy.
  function endIdleConnections(): void {
    if (!isDraining || unsent.size > 0) return;
    server.closeIdleConnections();
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  }

  return function drain() {
    isDraining = true;
    // The close of an HTTP server calls closeIdleConnections at once.
    NetServer.prototype.close.call(server);
    unsent.forEach(announceClose);
    endIdleConnections();
    setTimeout(() => server.closeAllConnections(), graceMs).unref();
  };
}

function announceClose(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

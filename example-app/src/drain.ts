import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** Covers a slow login: up to 5 s for its body, 4.5 s for the database and 10 s for the hash computation to start. */
const GRACE_MS = 20_000;

/**
 * Returns a function that stops the server without losing an answer:
 * - Each answer carries `Connection: close`. For `delayMs` milliseconds all else stays, so that a load balancer sees the
 *   503 of `/readyz` and sends its requests elsewhere.
 * - The server accepts no more connections.
 * - When the last answer was sent, the idle connections are closed.
 * - After 20 seconds, all other connections are closed too.
 */
export function createDrain(server: Server): (delayMs: number) => void {
  const connections = new Set<Socket>();
  const unsent = new Set<ServerResponse>();
  let isStopping = false;
  let isDraining = false;

  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });

  // This listener must run before the app's own listener, which may answer at once.
  server.prependListener('request', (_req, res: ServerResponse) => {
    unsent.add(res);
    if (isStopping) announceClose(res);
    res.once('close', () => {
      unsent.delete(res);
      endIdleConnections();
    });
  });

  // closeIdleConnections also closes a connection whose answer is complete but not sent yet, so wait for all answers.
  // It keeps a connection that has not sent a request yet, so destroy that one here.
  function endIdleConnections(): void {
    if (!isDraining || unsent.size > 0) return;
    server.closeIdleConnections();
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  }

  function stopAccepting(): void {
    isDraining = true;
    // server.close() of an HTTP server would call closeIdleConnections at once.
    NetServer.prototype.close.call(server);
    endIdleConnections();
    setTimeout(() => server.closeAllConnections(), GRACE_MS).unref();
  }

  return function drain(delayMs) {
    isStopping = true;
    unsent.forEach(announceClose);
    if (delayMs === 0) stopAccepting();
    else setTimeout(stopAccepting, delayMs);
  };
}

function announceClose(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

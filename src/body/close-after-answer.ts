import type { IncomingMessage, ServerResponse } from 'node:http';

const MAX_DROPPED_BYTES = 1_000_000;
const MAX_DROP_MS = 1_000;

/**
 * Closes the connection although the client still sends. Drops its data for a short time before that, because a client
 * whose connection is reset loses the answer. On HTTP/2, Node.js closes the stream.
 */
export function closeAfterAnswer(req: IncomingMessage, res: ServerResponse): void {
  if (req.httpVersionMajor > 1 || res.headersSent) return;
  const { socket } = req;
  const close = () => socket.destroy();
  let dropped = 0;
  res.setHeader('Connection', 'close');
  req.on('data', (chunk: Uint8Array) => {
    dropped += chunk.length;
    if (dropped > MAX_DROPPED_BYTES && res.writableEnded) close();
  });
  req.resume();
  // Node.js calls `destroySoon` after the answer, and would reset a connection with unread data.
  socket.destroySoon = () => {
    socket.end();
    setTimeout(close, MAX_DROP_MS).unref();
  };
}

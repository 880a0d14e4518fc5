import { type EventEmitter, setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';

type Connection = IncomingMessage['socket'];

/**
 * Holds one signal for each connection, because pipelined requests would otherwise add too many listeners to the
 * connection. Holds the signal for each request too, because on HTTP/2 `req.socket` is another object when the stream
 * has closed.
 */
const signals = new WeakMap<EventEmitter, AbortSignal>();

/**
 * Limits the listeners of a signal, to which each login in progress on its connection adds one. Node.js warns of a leak
 * beyond this limit. The default limit is ten, which pipelined requests reach.
 */
const MAX_LISTENERS = 2_000;

/**
 * Returns a signal that aborts when the caller disconnects. The signal follows the socket, because `req` itself closes
 * as soon as a parser has read the body. On HTTP/2, the events of `req.socket` are those of the stream.
 */
export function disconnectSignal(req: IncomingMessage): AbortSignal {
  const signal = signalOfConnection(req);
  signals.set(req, signal);
  return signal;
}

function signalOfConnection(req: IncomingMessage): AbortSignal {
  // Serverless adapters give requests without a real socket.
  const connection = req.socket as Connection | undefined;
  const known = connection && signals.get(connection);
  if (known) return known;
  const controller = new AbortController();
  if (typeof connection?.once !== 'function') return controller.signal;
  if (hasLeft(connection)) controller.abort();
  else connection.once('close', () => controller.abort());
  setMaxListeners(MAX_LISTENERS, controller.signal);
  signals.set(connection, controller.signal);
  return controller.signal;
}

/**
 * Returns true when the caller of a connection has left. After a reset, TCP has no remote address, but Node.js destroys
 * the socket only when it reads. A Unix socket never has an address.
 */
export function hasLeft(connection: Connection): boolean {
  return connection.destroyed || (connection.remoteAddress === undefined && connection.localAddress !== undefined);
}

/**
 * Returns true for the `AbortError` of the signal of this request. An `AbortError` of the host is another object, and
 * its caller can be waiting for an answer.
 */
export function isDisconnect(error: unknown, req: IncomingMessage): boolean {
  const signal = signals.get(req) ?? signals.get(req.socket);
  return signal?.aborted === true && signal.reason === error;
}

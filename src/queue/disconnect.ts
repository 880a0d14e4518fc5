import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Connection, hasLeft } from '../sources/peer.js';

/** Not an `AbortSignal`, because test environments replace `AbortController`. */
export class Caller {
  /** An `AbortError`. `undefined` while the caller is there. */
  left: Error | undefined;

  readonly onLeave = new Set<() => void>();

  requirePresence(): void {
    if (this.left) throw this.left;
  }

  leave(reason = 'The caller has disconnected.'): void {
    this.left ??= Object.assign(new Error(reason), { name: 'AbortError', code: 'ABORT_ERR' });
    for (const listener of this.onLeave) listener();
  }
}

/**
 * By connection, because pipelined requests would add too many listeners to it. By request too, because on HTTP/2
 * `req.socket` is another object when the stream has closed.
 */
const callers = new WeakMap<EventEmitter, Caller>();

/**
 * Follows the socket: `req` itself closes as soon as a parser has read the body. On HTTP/2, the events of `req.socket`
 * are those of the stream.
 */
export function callerOf(req: IncomingMessage): Caller {
  // Serverless adapters give requests without a real socket.
  const connection = req.socket as Connection | undefined;
  const known = connection && callers.get(connection);
  const caller = known ?? new Caller();
  callers.set(req, caller);
  if (known !== undefined || typeof connection?.once !== 'function') return caller;
  callers.set(connection, caller);
  if (hasLeft(connection)) caller.leave();
  else connection.once('close', () => caller.leave());
  return caller;
}

/**
 * Returns `undefined` for a request that is not of Express or not answered. The caller of the connection stays, because
 * further requests can follow.
 */
export function abortIfAnswered(req: IncomingMessage): Error | undefined {
  if (!(req as { res?: ServerResponse }).res?.headersSent) return undefined;
  const answered = new Caller();
  answered.leave('The request has been answered.');
  callers.set(req, answered);
  return answered.left;
}

/** An `AbortError` of the host's code is not a disconnect: the caller can still wait for an answer. */
export function isDisconnect(error: unknown, req: IncomingMessage): boolean {
  const left = (callers.get(req) ?? callers.get(req.socket))?.left;
  return left !== undefined && left === error;
}

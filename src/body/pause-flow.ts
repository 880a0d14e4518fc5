import type { IncomingMessage } from 'node:http';
import { hasArrived } from './await-stream.js';

/**
 * Pauses a stream that flows already, so that no byte is lost while the guard waits for the store. A stream flows when
 * an earlier middleware added a `data` listener. A stream that a parser has begun to read is not paused, because the
 * guard waits for its end.
 * @returns a function that resumes the stream, whose data comes in a later turn of the event loop
 */
export function pauseFlow(req: IncomingMessage): () => void {
  if (req.readableFlowing !== true || req.readableDidRead) return () => undefined;
  const read = req.read.bind(req);
  req.pause();
  // Node.js calls `read(0)` once after a listener is added. At the end of an empty body, that call would trigger `end`
  // before a handler can listen. The override can go when Node.js makes no such call for a paused stream.
  req.read = (size?: number): unknown => {
    const isEmpty = req.readableLength === 0 && hasArrived(req);
    return size === 0 && isEmpty && req.isPaused() ? null : read(size);
  };
  return () => {
    req.read = read;
    req.resume();
  };
}

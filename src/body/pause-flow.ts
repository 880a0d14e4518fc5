import type { IncomingMessage } from 'node:http';
import { hasBytesNow } from './has-bytes.js';

/**
 * Pauses a stream with a `data` listener of an earlier middleware, whose data would be lost while the guard waits.
 * @returns a function that resumes the stream, whose data comes in a later turn of the event loop
 */
export function pauseFlow(req: IncomingMessage): () => void {
  if (req.readableFlowing !== true || req.readableDidRead) return () => undefined;
  const read = req.read.bind(req);
  req.pause();
  // Node.js calls `read(0)` once after a listener is added, which would trigger the `end` of an empty body before a
  // handler can listen. The override can go when Node.js makes no such call for a paused stream.
  req.read = (size?: number): unknown =>
    size === 0 && req.isPaused() && hasBytesNow(req) === false ? null : read(size);
  return () => {
    req.read = read;
    req.resume();
  };
}

import type { IncomingMessage } from 'node:http';

/**
 * Pauses a stream that flows already, so that no byte is lost while the guard waits for the store. A stream flows when
 * an earlier middleware added a `data` listener.
 * @returns a function that resumes the stream. The data comes in a later turn of the event loop
 */
export function pauseFlow(req: IncomingMessage): () => void {
  const isFlowing = req.readableFlowing === true;
  if (isFlowing) req.pause();
  return () => {
    if (isFlowing) req.resume();
  };
}

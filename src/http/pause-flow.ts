import type { IncomingMessage } from 'node:http';

/**
 * Pauses a stream that a middleware in front set flowing with a `data` listener, so that no byte is lost while the guard
 * waits for the store.
 * @returns a function that lets it flow again. The data comes after the code that runs then
 */
export function pauseFlow(req: IncomingMessage): () => void {
  const isFlowing = req.readableFlowing === true;
  if (isFlowing) req.pause();
  return () => {
    if (isFlowing) req.resume();
  };
}

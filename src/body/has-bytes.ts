import type { IncomingMessage } from 'node:http';
import { nextTick } from 'node:process';
import { invalidBody } from './parser-failures.js';

/**
 * Returns `undefined` while nobody can know. Only the internal state `ended` tells: adapters set `complete` too early,
 * headers can announce an empty body, and a listener would trigger `end` before a handler waits for it. This use can go
 * when Node.js makes the state public.
 */
export function hasBytesNow(req: IncomingMessage): boolean | undefined {
  const { readableLength, _readableState: state } = req as IncomingMessage & {
    readonly _readableState?: { readonly ended: boolean };
  };
  if (readableLength > 0) return true;
  return state?.ended === false ? undefined : false;
}

/**
 * Resolves to false at the end of an empty body. Leaves the stream unread, including its end: a handler can wait for
 * `end`.
 * @throws AuthError when the caller disconnects
 */
export function hasBytes(req: IncomingMessage): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const isPaused = req.isPaused();
    const end = () => {
      req.off('readable', onReadable).off('error', onBroken).off('close', onBroken);
    };
    const onReadable = () => {
      end();
      const found = req.readableLength > 0 || req.readableDidRead;
      // Node.js resumes a stream with a data listener when its last readable listener is removed.
      nextTick(() => {
        if (isPaused) req.pause();
        resolve(found);
      });
    };
    const onBroken = (cause?: unknown) => {
      end();
      reject(invalidBody('request.aborted', cause));
    };
    if (req.destroyed) onBroken();
    else req.on('readable', onReadable).on('error', onBroken).on('close', onBroken);
  });
}

import type { IncomingMessage } from 'node:http';
import { nextTick } from 'node:process';
import type { Readable } from 'node:stream';
import { invalidBody } from './parser-failures.js';

/** Limits the time without data for a stream that a parser reads, in milliseconds. */
const MAX_SILENCE_MS = 1_000;

/**
 * Resolves to true at the first byte of a body, and to false at the end of an empty body. Leaves the stream unread,
 * including its end, because a handler can wait for the event `end`.
 */
export function hasBytes(req: IncomingMessage): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const isPaused = req.isPaused();
    const end = () => {
      req.off('readable', onReadable).off('error', onBroken).off('close', onBroken);
    };
    const onReadable = () => {
      end();
      // Node.js emits this event without bytes at the end of the stream, or when another listener has read the bytes.
      const isEmpty = req.readableLength === 0 && !req.readableDidRead;
      // Node.js resumes a stream with a data listener when its last readable listener is removed.
      nextTick(() => {
        if (isPaused) req.pause();
        resolve(!isEmpty);
      });
    };
    const onBroken = (cause?: unknown) => {
      end();
      reject(invalidBody('request.aborted', cause));
    };
    if (req.destroyed) onBroken();
    else if (req.readableLength > 0) resolve(true);
    // A readable listener would trigger the event `end` now.
    else if (hasArrived(req)) resolve(false);
    else req.on('readable', onReadable).on('error', onBroken).on('close', onBroken);
  });
}

/** Returns true when the end of the body has arrived, read or not. */
export function hasArrived(req: IncomingMessage & { readonly stream?: Readable }): boolean {
  // On HTTP/2, `complete` is true only when the end was read.
  return req.stream === undefined ? req.complete : req.stream.readableEnded;
}

/** Returns true for a stream that a parser has begun to read, and that has not ended. */
export function isBeingRead(req: IncomingMessage): boolean {
  // Serverless adapters give requests without these members.
  return req.readableDidRead && (req.readableEnded as boolean | undefined) === false;
}

/**
 * Waits for the end of a stream that a parser reads. Resolves to false when no data has arrived for a second, for
 * example because the parser waits for the handler.
 * @throws AuthError `invalid_body` when the caller disconnects
 */
export function hasEnd(req: IncomingMessage): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const end = (result: boolean) => {
      clearTimeout(timer);
      req.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      resolve(result);
    };
    const startTimer = () => setTimeout(() => end(false), MAX_SILENCE_MS);
    let timer = startTimer();
    const onData = () => {
      clearTimeout(timer);
      timer = startTimer();
    };
    const onEnd = () => end(true);
    const onBroken = (cause?: unknown) => {
      reject(invalidBody('request.aborted', cause));
      end(false);
    };
    if (req.destroyed) onBroken();
    // A data listener would take the data of a parser that calls `read`.
    else if (req.readableFlowing === null) end(false);
    else req.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
}

import { createConnection, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Answer } from '../harness/post-json.js';
import type { Kind, Login } from './merchants.js';

// Logins are sent over bare sockets, because node's own client costs as much for a request as Express does. The client
// shares the cores with the hashes here; the client of a merchant does not.

/** A login that ended. */
export interface Outcome {
  readonly kind: Kind;
  /** The time from the login to its answer. */
  readonly milliseconds: number;
  /** The reason when there was no whole answer. */
  readonly answer: Answer | Error;
}

/** Longer than any login may take: 5 s for the body, 5 s for the store and 10 s for a slot. */
const WITHIN_MS = 30_000;

/** Opens a connection. A failure shows when something is sent. */
export function connect(port: number): Socket {
  return createConnection({ host: '127.0.0.1', port, noDelay: true }).on('error', () => undefined);
}

/** Logs in on a connection that nobody else uses meanwhile. */
export async function logIn(socket: Socket, { kind, request }: Login): Promise<Outcome> {
  const startedAt = performance.now();
  const answer = await exchange(socket, request).catch((error: unknown) => error as Error);
  return { kind, milliseconds: performance.now() - startedAt, answer };
}

function exchange(socket: Socket, request: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (socket.destroyed) {
      reject(new Error(`not connected: ${socket.errored?.message ?? 'closed'}`));
      return;
    }
    let received = '';
    const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${WITHIN_MS} ms`)), WITHIN_MS);
    const end = () => {
      clearTimeout(timer);
      socket.off('data', onData).off('error', onError).off('close', onClose);
    };
    const onData = (part: string) => {
      received += part;
      const answer = parseAnswer(received);
      if (answer === undefined) return;
      end();
      resolve(answer);
    };
    const onError = (error: Error) => {
      end();
      reject(error);
    };
    const onClose = () => onError(new Error('closed without a whole answer'));
    socket.on('data', onData).on('error', onError).on('close', onClose);
    socket.setEncoding('utf8').write(request);
  });
}

/** Parses an answer with a Content-Length, which all of the package's have. Returns `undefined` unless it is whole. */
function parseAnswer(received: string): Answer | undefined {
  const end = received.indexOf('\r\n\r\n');
  const head = received.slice(0, Math.max(0, end));
  const text = received.slice(end + 4);
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1];
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (status === undefined || Number(length) !== Buffer.byteLength(text)) return undefined;
  return { status: Number(status), contentType: /\r\ncontent-type: ([^\r]+)/i.exec(head)?.[1] ?? '', text };
}

import type { Socket } from 'node:net';
import type { Answer } from '../harness/post-json.js';
import type { Login } from './merchants.js';

// Logins are sent over bare sockets: node's own client works as long on a request as Express does, on the cores that the
// hashes are computed on, and a merchant's server has cores of its own.

/** A login as it is sent. */
export function loginRequest({ body }: Login, connection: 'keep-alive' | 'close'): string {
  const json = JSON.stringify(body);
  const head = [
    'POST /v1/login HTTP/1.1',
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(json)}`,
    `Connection: ${connection}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${json}`;
}

/** Sends one request on a connection that nobody else uses meanwhile. Rejects when there is no whole answer in time. */
export function exchange(socket: Socket, request: string, withinMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (socket.destroyed) {
      reject(new Error(`not connected: ${socket.errored?.message ?? 'closed'}`));
      return;
    }
    let received = '';
    const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${withinMs} ms`)), withinMs);
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

/** An answer with a Content-Length, which all of the package's have; `undefined` unless it is whole. */
function parseAnswer(received: string): Answer | undefined {
  const end = received.indexOf('\r\n\r\n');
  const head = received.slice(0, Math.max(0, end));
  const text = received.slice(end + 4);
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1];
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (status === undefined || Number(length) !== Buffer.byteLength(text)) return undefined;
  return { status: Number(status), contentType: /\r\ncontent-type: ([^\r]+)/i.exec(head)?.[1] ?? '', text };
}

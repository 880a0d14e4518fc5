import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { App } from './express-types.js';
import type { Answer, Asked, Trail } from './trail.js';

/** The longest start of an answer that is read. */
const TEXT = 1_000;

export interface Loopback {
  readonly ask: (asked: Asked, body: string | undefined) => Promise<Answer>;
  readonly asked: () => number;
  readonly close: () => void;
}

/** Serves an app on loopback for requests that are noted, and for no others. */
export async function serve(
  app: App,
  trails: WeakMap<IncomingMessage, Trail>,
  { headers, timeoutMs }: { readonly headers: Readonly<Record<string, string>>; readonly timeoutMs: number },
): Promise<Loopback> {
  const waiting = new Map<string, Trail>();
  let count = 0;
  const server = createServer((req, res) => {
    const trail = waiting.get(String(req.headers['x-audit']));
    if (!trail) {
      res.destroy();
      return;
    }
    delete req.headers['x-audit'];
    trail.ran.length = 0;
    trails.set(req, trail);
    tellEnd(res, trail);
    app(req, res);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });

  function ask(asked: Asked, body: string | undefined): Promise<Answer> {
    const key = String((count += 1));
    return new Promise((resolve) => {
      const end: Trail['end'] = (status, text = '', location) => {
        if (trail.isOver) return;
        trail.isOver = true;
        waiting.delete(key);
        clearTimeout(timer);
        resolve({ ...asked, ran: trail.ran, reached: trail.reached, status, text, location });
        if (status === 0) sent.destroy();
      };
      const timer = setTimeout(() => end(0), timeoutMs);
      const trail: Trail = { ...asked, ran: [], reached: undefined, isOver: false, end, close: () => undefined };
      waiting.set(key, trail);
      const type = body && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
      const { method, path } = asked;
      const options = { port, host: '127.0.0.1', method: method.toUpperCase(), path, agent };
      const send = (tries: number): ReturnType<typeof request> =>
        request({ ...options, headers: { accept: 'application/json', 'x-audit': key, ...type, ...headers } }, (res) => {
          res.resume();
        })
          // An app can end a connection after an answer, so that the next request on it is lost.
          .on('error', () => !trail.isOver && (tries > 0 ? (sent = send(tries - 1)) : end(0)))
          .end(body);
      let sent = send(2);
    });
  }

  return {
    ask,
    asked: () => count,
    close: () => {
      agent.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A session writes to its store before it ends the response: the outermost `end` has the answer, however long that takes. */
function tellEnd(res: ServerResponse, trail: Trail): void {
  let end = Reflect.get(res, 'end') as (this: ServerResponse, ...parameters: unknown[]) => unknown;
  const close = end;
  trail.close = (of) => close.call(of);
  Object.defineProperty(res, 'end', {
    configurable: true,
    set: (value: typeof end) => {
      end = value;
    },
    get: () => {
      const outer = end;
      return function (this: ServerResponse, ...parameters: unknown[]) {
        const [text] = parameters;
        const isText = typeof text === 'string' || Buffer.isBuffer(text);
        trail.end(res.statusCode, isText ? text.toString().slice(0, TEXT) : '', res.getHeader('location'));
        return outer.apply(this, parameters);
      };
    },
  });
}

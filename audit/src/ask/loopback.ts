import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { App } from './express-types.js';
import type { Trail } from './listen-in.js';
import { listen } from './while-served.js';

type About = Pick<Trail, 'method' | 'path' | 'aim' | 'order' | 'leftOut' | 'runsHandler'>;

export interface Requests {
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly bodyOf?: () => string;
  /** With its question mark. */
  readonly query?: string;
}

/** Requests at a time. With more, the answers of a busy app come too late. */
const LANES = 24;
/** The longest wait for an async function that has answered. */
const LATEST_MS = 250;
/** An address of a documentation network (RFC 5737). */
const STRANGER = '203.0.113.7';
/** Every browser behind a proxy sends these. */
const BROWSER = { accept: 'application/json', 'user-agent': 'Mozilla/5.0', 'x-forwarded-proto': 'https' };

export type Loopback = Awaited<ReturnType<typeof serve>>;

/** Serves an app on loopback, for its own requests only. */
export async function serve(app: App, { headers, timeoutMs = 2_000, bodyOf = () => '{}', query = '' }: Requests) {
  const trails = new Map<IncomingMessage, Trail>();
  const waiting = new Map<string, Trail>();
  const lanes: Promise<unknown>[] = [];
  let asked = 0;
  const server = await listen((req, res) => {
    const trail = waiting.get(String(req.headers['x-audit']));
    if (trail) {
      delete req.headers['x-audit'];
      // Some functions trust the machine itself.
      Object.defineProperty(req.socket, 'remoteAddress', { configurable: true, value: STRANGER });
      trails.set(req, trail);
      tellEnd(res, trail);
      app(req, res);
    } else res.destroy();
  });
  const agent = new Agent({ keepAlive: true });

  const send = (about: About, key: string, more: object) =>
    new Promise<Trail>((resolve) => {
      const end: Trail['end'] = (status, text = '', location) => {
        if (trail.isOver) return;
        clearTimeout(timer);
        waiting.delete(key);
        const by = trail.reached ? undefined : trail.ran.find(({ passed }) => !passed);
        Object.assign(trail, { isOver: true, isStopped: status === 0, status, text, location, by });
        // Meanwhile a function without a `return` can go on.
        setImmediate(
          () =>
            void Promise.race([endOf(trail), wait(LATEST_MS, undefined, { ref: false })]).then(() => resolve(trail)),
        );
      };
      const trail: Trail = { ...about, ran: [], status: 0, text: '', isOver: false, isStopped: false, end };
      waiting.set(key, trail);
      const body = /^(?:post|put|patch)$/.test(about.method) ? bodyOf() : '';
      const type = body !== '' && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      };
      const path = about.path.includes('?') ? about.path + query.replace('?', '&') : about.path + query;
      const referer = `http://127.0.0.1:${server.port}${about.path}`;
      const all = { ...BROWSER, referer, ...type, ...headers, ...more, 'x-audit': key };
      const to = { port: server.port, host: '127.0.0.1', agent, headers: all, path };
      const sent = request({ ...to, method: about.method.toUpperCase() }, (res) => void res.resume());
      const timer = setTimeout(() => end(0), timeoutMs);
      sent.on('error', () => end(0)).end(body);
    });

  return {
    ask: (about: About, more = {}): Promise<Trail> => {
      const lane = (asked += 1) % LANES;
      const key = String(asked);
      const answer = Promise.resolve(lanes[lane]).then(() => send(about, key, more));
      lanes[lane] = answer;
      return answer;
    },
    trailOf: (req: IncomingMessage) => trails.get(req),
    asked: () => asked,
    close() {
      for (const [req, trail] of trails) {
        trail.isStopped = true;
        // A router finds no route for it.
        if (trail.status === 0) req.url = '';
      }
      agent.destroy();
      server.close();
    },
  };
}

/** Waits for an async function that has answered, and for those that run if it goes on. */
async function endOf({ ran, by }: Trail): Promise<void> {
  for (let at = by ? ran.indexOf(by) : ran.length; at < ran.length; at += 1) {
    const { returned } = ran[at] ?? {};
    // Awaiting a query builder, which is not a promise, would run its query.
    if (returned instanceof Promise) await Promise.allSettled([returned]);
  }
}

/** The outermost `end` has the answer: before the inner one, a session writes to its store. */
function tellEnd(res: ServerResponse, trail: Trail): void {
  let end = Reflect.get(res, 'end') as (...parameters: unknown[]) => unknown;
  Object.defineProperty(res, 'end', {
    configurable: true,
    set: (value: typeof end) => {
      end = value;
    },
    get: () => {
      const inner = end;
      return (...parameters: unknown[]) => {
        const [text] = parameters;
        const shown = typeof text === 'string' || Buffer.isBuffer(text) ? text.toString().slice(0, 1_000) : '';
        // Express writes "Cannot GET /auth", which asks nobody to log in.
        const [path = ''] = trail.path.split('?');
        trail.end(res.statusCode, shown.replaceAll(path, ''), targetOf(res, trail.path));
        return inner.apply(res, parameters);
      };
    },
  });
}

function targetOf(res: ServerResponse, path: string): URL | undefined {
  const location = String(res.getHeader('location') ?? '');
  const base = `http://host${path}`;
  const isRedirect = res.statusCode >= 300 && res.statusCode < 400 && location !== '';
  return isRedirect && URL.canParse(location, base) ? new URL(location, base) : undefined;
}

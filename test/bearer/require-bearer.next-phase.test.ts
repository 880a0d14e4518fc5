import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express';
import type { MerchantAccount, UserStore } from '../../src/index.js';
import { AWA, KOFI } from '../helpers/accounts.js';
import { expectNothingUnhandled } from '../helpers/faults.js';
import { bearer, type Client, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { until } from '../helpers/until.js';
import { collectWarnings } from '../helpers/warnings.js';

type FindById = (id: string) => Promise<MerchantAccount | null>;

/** Sends requests in one piece over one connection, so that the server parses them together. */
async function pipelined({ port }: Client, requests: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let received = '';
  socket.on('data', (text: string) => (received += text));
  socket.write(requests.map((request, place) => withHost(request, place === requests.length - 1)).join(''));
  await once(socket, 'close');
  return received;
}

function withHost(request: string, isLast: boolean): string {
  return `${request}\r\nHost: localhost\r\n${isLast ? 'Connection: close\r\n' : ''}\r\n`;
}

onEachExpress('the next phase of a guarded request', ({ major, auth, express }) => {
  const tokens = auth.createTokens();
  const awa = bearer(tokens.issue(AWA));
  const get = (path: string, account = AWA) => {
    return `GET ${path} HTTP/1.1\r\nAuthorization: ${bearer(tokens.issue(account)).Authorization}`;
  };

  function hostOf(findById: FindById, before: readonly RequestHandler[] = []): Express {
    const userStore: UserStore = { findCredentials: () => Promise.resolve(null), findById };
    const app = express();
    for (const middleware of before) app.use(middleware);
    app.use(auth.requireBearer({ userStore, tokens, reference: 'unchecked' }));
    return app;
  }
  const findAtOnce: FindById = (id) => Promise.resolve(id === AWA.id ? AWA : KOFI);

  it('begins when all requests that arrived together are parsed and checked', async () => {
    const order: string[] = [];
    const app = hostOf(async (id) => {
      order.push(`lookup ${id}`);
      // The second account takes longer, so its check ends after the first one.
      for (let turn = 0; turn < 50 && id === KOFI.id; turn += 1) await Promise.resolve();
      const account = id === AWA.id ? AWA : KOFI;
      return Object.defineProperty({ ...account }, 'disabled', { get: () => order.push(`check ${id}`) < 0 });
    });
    app.get('/', (req, res) => {
      const { id } = auth.merchantOf(req);
      order.push(`handler ${id}`);
      res.end(`answer ${id}`);
    });
    const received = await pipelined(await serve(app), [get('/'), get('/', KOFI), get('/')]);
    const each = (step: string, ...ids: string[]) => ids.map((id) => `${step} ${id}`);
    expect(order).to.deep.equal([
      ...each('lookup', '1', '2', '1'),
      ...each('check', '1', '1', '2'),
      ...each('handler', '1', '1', '2'),
    ]);
    expect(received.match(/answer \d/g)).to.deep.equal(each('answer', '1', '2', '1'));
  });

  it('keeps the AsyncLocalStorage of each request, in the handler and after each await', async () => {
    const storage = new AsyncLocalStorage<string>();
    const app = hostOf(findAtOnce, [(req, _res, next) => storage.run(req.url, next)]);
    const seen: Record<string, unknown[]> = {};
    let waiting = 0;
    app.get('/:name', (req, res, next) => {
      const record = () => (seen[req.url] ??= []).push(storage.getStore());
      const handle = async () => {
        record();
        waiting += 1;
        await until(() => waiting === 2);
        record();
        await nextTurn();
        record();
        res.end();
      };
      handle().catch(next);
    });
    await pipelined(await serve(app), [get('/one'), get('/two', KOFI)]);
    expect(seen).to.deep.equal({ '/one': ['/one', '/one', '/one'], '/two': ['/two', '/two', '/two'] });
  });

  const onError: ErrorRequestHandler = (error: { message: string }, _req, res, _next) => {
    res.status(418).json({ message: error.message });
  };
  const failure = new Error('short and stout');
  const fail: RequestHandler = () => {
    throw failure;
  };
  const failures: Readonly<Record<string, RequestHandler>> = {
    throws: fail,
    'passes its error on': (_req, _res, next) => next(failure),
    // Express 4 does not wait for the promise of a handler.
    ...(major === 5 && { rejects: () => Promise.reject(failure) }),
  };
  for (const [title, handler] of Object.entries(failures)) {
    it(`gives the error of a handler that ${title} to the error handler of the host`, async () => {
      const guarded = hostOf(findAtOnce);
      guarded.get('/failing', handler);
      guarded.get('/good', (_req, res) => void res.json({}));
      const client = await serve(express().use('/mounted', guarded).use(onError));
      await expectNothingUnhandled(async () => {
        const answer = await client.send('GET', '/mounted/failing', { headers: awa });
        expect([answer.status, answer.json]).to.deep.equal([418, { message: 'short and stout' }]);
        expect((await client.send('GET', '/mounted/good', { headers: awa })).status).to.equal(200);
      });
    });
  }

  it('leaves next("route") and next("router") to Express', async () => {
    const guard = auth.requireBearer({ tokens });
    const router = express.Router();
    router.get('/route', guard, (_req, _res, next) => next('route'), fail);
    router.get('/route', (req, res) => void res.json({ route: auth.merchantOf(req).id }));
    router.get('/router', guard, (_req, _res, next) => next('router'), fail);
    router.get('/router', fail);
    const app = express().use('/mounted', router);
    app.get('/mounted/router', (req, res) => void res.json({ behind: req.originalUrl }));
    const client = await serve(app.use(onError));
    const ask = async (path: string) => (await client.send('GET', path, { headers: awa })).json;
    expect(await ask('/mounted/route')).to.deep.equal({ route: AWA.id });
    expect(await ask('/mounted/router')).to.deep.equal({ behind: '/mounted/router' });
  });

  describe('of a request that the client aborts', () => {
    const POST = `POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${awa.Authorization}\r\nContent-Length: 9\r\n\r\n`;

    /** Sends a request without its whole body. Returns what the handler saw, and the errors that were passed on. */
    async function abort(when: 'before' | 'between' | 'during'): Promise<unknown[]> {
      const seen: unknown[] = [];
      const untilGone: RequestHandler = (req, _res, next) => {
        socket.destroy();
        req.once('close', next);
      };
      let close = (): void => undefined;
      const find: FindById = async (id) => {
        if (when === 'between') close();
        return findAtOnce(id);
      };
      const app = hostOf(find, [
        (req, _res, next) => {
          // Ends the request itself, because the close of a connection can come later.
          close = () => void req.destroy();
          next();
        },
        ...(when === 'before' ? [untilGone] : []),
      ]);
      app.post('/', (req, res, next) => {
        seen.push({ destroyed: req.destroyed, closed: req.closed });
        if (when === 'during') socket.destroy();
        else res.json({ written: 'to nobody' });
        pipeline(req, new PassThrough().resume()).catch(next);
      });
      const onError: ErrorRequestHandler = (error: { code: string }, _req, _res, _next) => void seen.push(error.code);
      app.use(onError);
      const client = await serve(app);
      const socket = connect(client.port, '127.0.0.1').on('error', () => undefined);
      socket.write(`${POST}part`);
      await until(() => seen.length === 2);
      return seen;
    }

    const gone = { destroyed: true, closed: true };
    const cases = [
      ['before', 'before the check', gone],
      ['between', 'between the check and the handler', gone],
      ['during', 'while the handler reads the body', { destroyed: false, closed: false }],
    ] as const;
    for (const [when, title, expected] of cases) {
      it(`${title}, is handled without a crash, a warning or an error that nobody handles`, async () => {
        const warnings = collectWarnings();
        await expectNothingUnhandled(async () => {
          const [seen, code] = await abort(when);
          expect(seen).to.deep.equal(expected);
          expect(code).to.be.oneOf(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);
        });
        expect(warnings).to.deep.equal([]);
      });
    }
  });

  it('also comes for an app that is called without a socket', async () => {
    const app = hostOf(findAtOnce);
    app.get('/', (req, res) => void res.json(auth.merchantOf(req).id));
    const headers = { authorization: awa.Authorization };
    const req = Object.assign(new IncomingMessage(null as never), { method: 'GET', url: '/', headers });
    const res = new ServerResponse(req);
    const answer = await new Promise((resolve) => {
      res.end = resolve as never;
      app(req as Request, res as Response);
    });
    expect(String(answer)).to.equal(JSON.stringify(AWA.id));
  });
});

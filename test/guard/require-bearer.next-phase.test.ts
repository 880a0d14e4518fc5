import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Express, RequestHandler } from 'express';
import type { MerchantAccount, UserStore } from '../../src/index.js';
import { AWA, KOFI } from '../helpers/accounts.js';
import { bearer, type Client, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { until } from '../helpers/until.js';

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

onEachExpress('the next phase of a guarded request', ({ auth, express }) => {
  const tokens = auth.createTokens();
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
});

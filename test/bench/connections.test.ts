import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import { openConnections, sendOver, type Slice } from '../../bench/harness/connections.js';
import { postBytes } from '../../bench/harness/http.js';

const UNTIL_THE_REQUESTS_RUN_OUT = 60_000;

describe('the connections of the benchmarks', () => {
  let server: http.Server;
  let sockets: Socket[];
  let seen: string[];

  beforeEach(async () => {
    seen = [];
    server = http.createServer((req, res) => {
      const path = req.url ?? '';
      seen.push(path);
      if (path === '/lost') req.socket.destroy();
      res.statusCode = path === '/refused' ? 401 : 200;
      res.end(JSON.stringify({ path: path === '/other' ? '/another' : path }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    sockets = await openConnections((server.address() as AddressInfo).port, 4);
  });

  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const send = (paths: readonly string[], slice: Partial<Slice> = {}) => {
    const requests = paths.map((path) => ({ bytes: postBytes(path, {}), status: 200, end: `"${path}"}` }));
    const whole = { connections: 4, settleMs: 0, ms: UNTIL_THE_REQUESTS_RUN_OUT, ...slice };
    return sendOver(sockets, () => requests.shift(), whole);
  };
  const many = Array.from({ length: 50 }, (_, number) => `/${number}`);

  it('send each request once, until there are no more', async () => {
    const { answered, total, problems, p99 } = await send(many);
    expect(seen).to.have.length(50).and.have.members(many);
    expect({ total, problems }).to.deep.equal({ total: 50, problems: {} });
    expect(answered).to.be.within(0, total);
    expect(p99).to.be.above(0);
  });

  it('use only as many connections as asked for', async () => {
    let open = 0;
    let most = 0;
    server.on('request', (_req, res: http.ServerResponse) => {
      most = Math.max(most, ++open);
      res.once('close', () => (open -= 1));
    });
    await send(many, { connections: 1 });
    expect([most, seen.length]).to.deep.equal([1, 50]);
  });

  it('send at a fixed rate', async () => {
    // 2,000 a second for 20 ms are 40, or 39 when the product is rounded down.
    const { total } = await send(many, { perSecond: 2_000, ms: 20 });
    expect(total).to.be.within(39, 40);
    expect(seen).to.have.members(many.slice(0, total));
  });

  it('report another status and another body', async () => {
    const { problems } = await send(['/refused', '/other', '/other', '/fine']);
    expect(problems).to.deep.equal({ 'expected 200: HTTP/1.1 401': 1, 'another response body': 2 });
  });

  it('fail when a connection is lost, then and later', async () => {
    const reasonOf = async (paths: string[]) => send(paths).then(String, String);
    expect(await reasonOf(['/fine', '/lost'])).to.equal('Error: a connection was lost');
    expect(await reasonOf(['/fine'])).to.equal('Error: a connection was lost');
  });
});

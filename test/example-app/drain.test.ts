import { once } from 'node:events';
import http, { type RequestListener, type ServerResponse } from 'node:http';
import net, { type Socket } from 'node:net';
import { expect } from 'chai';
import { createDrain } from '../../example-app/src/drain.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { start } from '../helpers/http.js';
import { settle, until } from '../helpers/until.js';

/** Starts a server whose idle connections stay open until one side closes them. */
async function listen(listener: RequestListener) {
  const server = http.createServer({ keepAliveTimeout: 0 }, listener);
  const drain = createDrain(server);
  const { port } = await start(server);
  return { server, drain, port, closed: once(server, 'close') };
}

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

async function connect(port: number, sent = ''): Promise<Socket> {
  const socket = net.connect(port, '127.0.0.1').setEncoding('utf8');
  await once(socket, 'connect');
  socket.write(sent);
  return socket;
}

/** Resolves to everything that the server sends until it closes the connection. */
async function received(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += chunk as string;
  return text;
}

describe('example-app: createDrain', () => {
  it('closes idle connections, and those that had no request yet', async () => {
    const { server, drain, port, closed } = await listen((_req, res) => res.end('done'));
    const unused = net.connect(port, '127.0.0.1');
    await once(server, 'connection');
    const idle = await connect(port, GET);
    const [head] = (await once(idle, 'data')) as [string];
    expect(head).to.match(/^Connection: keep-alive\r$/m);
    drain(0);
    expect(await received(idle)).to.equal('');
    expect(await received(unused)).to.equal('');
    await closed;
  });

  it('answers a request that arrives on an open connection while another is in flight', async () => {
    const { server, drain, port, closed } = await listen((req, res) => {
      if (req.url === '/') res.end('done');
    });
    const open = await connect(port, GET);
    await once(open, 'data');
    const busy = await connect(port, GET.replace('/', '/later'));
    const [, res] = (await once(server, 'request')) as [unknown, ServerResponse];
    drain(0);
    open.write(GET);
    const answer = await received(open);
    expect(answer).to.match(/^Connection: close\r$/m);
    expect(answer).to.match(/\r\n\r\ndone$/);
    res.end('later');
    const later = await received(busy);
    expect(later).to.match(/^Connection: close\r$/m);
    expect(later).to.match(/\r\n\r\nlater$/);
    await closed;
  });

  it('waits for a request whose headers are still arriving', async () => {
    const { server, drain, port, closed } = await listen((_req, res) => res.end('done'));
    const socket = net.connect(port, '127.0.0.1').setEncoding('utf8');
    const [accepted] = (await once(server, 'connection')) as [Socket];
    socket.write(GET.slice(0, 20));
    await until(() => accepted.bytesRead > 0);
    drain(0);
    socket.write(GET.slice(20));
    expect(await received(socket)).to.match(/\r\n\r\ndone$/);
    await closed;
  });

  it('closes a connection after an answer that began before the drain', async () => {
    const { server, drain, port, closed } = await listen((_req, res) => res.writeHead(200).write('first,'));
    const socket = await connect(port, GET);
    const [, res] = (await once(server, 'request')) as [unknown, ServerResponse];
    drain(0);
    res.end('second');
    expect(await received(socket))
      .to.include('first,')
      .and.to.include('second');
    await closed;
  });

  it('sends the whole of a complete answer to a slow reader', async () => {
    const body = 'x'.repeat(20_000_000);
    const { server, drain, port, closed } = await listen((_req, res) => res.end(body));
    const socket = await connect(port, GET);
    await once(server, 'request');
    drain(0);
    const answer = await received(socket);
    expect(answer.slice(answer.indexOf('\r\n\r\n') + 4)).to.have.length(body.length);
    await closed;
  });

  it('first serves all connections for the delay, and announces the close in each answer', async () => {
    const time = freezeTime();
    const { drain, port, closed } = await listen((_req, res) => res.end('done'));
    const [kept, idle] = [await connect(port, GET), await connect(port, GET)];
    await Promise.all([once(kept, 'data'), once(idle, 'data')]);
    drain(5_000);
    time.pass(4);
    for (const socket of [kept, await connect(port)]) {
      socket.write(GET);
      expect(await received(socket)).to.match(/^Connection: close\r$.*\r\n\r\ndone$/ms);
    }
    time.pass(1);
    expect(await received(idle)).to.equal('');
    await closed;
  });

  it('waits longer than the slowest login, which takes 15 s, and then closes what is still open', async () => {
    const time = freezeTime();
    const answers: ServerResponse[] = [];
    const { drain, port, closed } = await listen((_req, res) => void answers.push(res));
    const [slow, endless] = [await connect(port, GET), await connect(port, GET)];
    await until(() => answers.length === 2);
    drain(0);
    time.pass(16);
    await settle();
    answers[0]?.end('done');
    expect(await received(slow)).to.match(/\r\n\r\ndone$/);
    time.pass(10);
    expect(await received(endless).catch(() => '')).to.equal('');
    await closed;
  });
});

import { once } from 'node:events';
import http, { type RequestListener, type ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { expect } from 'chai';
import express from 'express';
import { createDrain } from '../../example-app/src/drain.js';
import { createLoginRouter, createPasswords } from '../../src/index.js';
import { AWA, KOFI, PASSWORD } from '../helpers/accounts.js';
import { setComputationTimes } from '../helpers/computation-times.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { quickAccountStore, quickPasswords } from '../helpers/quick-passwords.js';
import { settle, until } from '../helpers/until.js';

const servers = new Set<http.Server>();

afterEach('stop the servers', () => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  servers.clear();
});

/** Starts a server whose idle connections stay open until one side closes them. */
async function listen(listener: RequestListener, graceMs?: number) {
  const server = http.createServer({ keepAliveTimeout: 0 }, listener);
  const drain = createDrain(server, graceMs);
  server.listen(0, '127.0.0.1');
  servers.add(server);
  await once(server, 'listening');
  return { server, drain, port: (server.address() as AddressInfo).port, closed: once(server, 'close') };
}

async function connect(port: number): Promise<Socket> {
  const socket = net.connect(port, '127.0.0.1').setEncoding('utf8');
  await once(socket, 'connect');
  return socket;
}

/** Resolves to everything that the server sends until it closes the connection. */
async function received(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += chunk as string;
  return text;
}

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

describe('example-app: createDrain', () => {
  it('stops accepting', async () => {
    const { drain, port, closed } = await listen((_req, res) => res.end('done'));
    drain();
    await closed;
    const error: unknown = await connect(port).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'ECONNREFUSED' });
  });

  it('sends no Connection: close before it drains', async () => {
    const { port } = await listen((_req, res) => res.end('done'));
    const socket = await connect(port);
    socket.write(GET);
    const [head] = (await once(socket, 'data')) as [string];
    expect(head).to.match(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).to.match(/^Connection: keep-alive\r$/m);
    socket.destroy();
  });

  it('closes idle connections, and those that had no request yet', async () => {
    const { server, drain, port, closed } = await listen((_req, res) => res.end('done'));
    const unused = net.connect(port, '127.0.0.1');
    await once(server, 'connection');
    const idle = await connect(port);
    idle.write(GET);
    await once(idle, 'data');
    drain();
    expect(await received(idle)).to.equal('');
    expect(await received(unused)).to.equal('');
    await closed;
  });

  it('lets a request in flight finish and announces the close in its answer', async () => {
    const { server, drain, port, closed } = await listen(() => undefined);
    const socket = await connect(port);
    socket.write(GET);
    const [, res] = (await once(server, 'request')) as [unknown, ServerResponse];
    drain();
    res.end('done');
    const answer = await received(socket);
    expect(answer).to.match(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).to.match(/^Connection: close\r$/m);
    expect(answer).to.match(/\r\n\r\ndone$/);
    await closed;
  });

  it('answers a request that arrives on an open connection while another is in flight', async () => {
    const { server, drain, port, closed } = await listen((req, res) => {
      if (req.url === '/') res.end('done');
    });
    const open = await connect(port);
    open.write(GET);
    await once(open, 'data');
    const busy = await connect(port);
    busy.write(GET.replace('/', '/later'));
    const [, res] = (await once(server, 'request')) as [unknown, ServerResponse];
    drain();
    open.write(GET);
    const answer = await received(open);
    expect(answer).to.match(/^Connection: close\r$/m);
    expect(answer).to.match(/\r\n\r\ndone$/);
    res.end('later');
    expect(await received(busy)).to.match(/\r\n\r\nlater$/);
    await closed;
  });

  it('waits for a request whose headers are still arriving', async () => {
    const { server, drain, port, closed } = await listen((_req, res) => res.end('done'));
    const socket = net.connect(port, '127.0.0.1').setEncoding('utf8');
    const [accepted] = (await once(server, 'connection')) as [Socket];
    socket.write(GET.slice(0, 20));
    while (accepted.bytesRead === 0) await new Promise(setImmediate);
    drain();
    socket.write(GET.slice(20));
    expect(await received(socket)).to.match(/\r\n\r\ndone$/);
    await closed;
  });

  it('closes a connection after an answer that began before the drain', async () => {
    const { server, drain, port, closed } = await listen((_req, res) => res.writeHead(200).write('first,'));
    const socket = await connect(port);
    socket.write(GET);
    const [, res] = (await once(server, 'request')) as [unknown, ServerResponse];
    drain();
    res.end('second');
    const answer = await received(socket);
    expect(answer).to.match(/^Connection: keep-alive\r$/m);
    expect(answer).to.include('first,').and.to.include('second');
    await closed;
  });

  it('sends the whole of a complete answer to a slow reader', async () => {
    const body = 'x'.repeat(20_000_000);
    const { server, drain, port, closed } = await listen((_req, res) => res.end(body));
    const socket = await connect(port);
    socket.write(GET);
    await once(server, 'request');
    drain();
    const answer = await received(socket);
    expect(answer.slice(answer.indexOf('\r\n\r\n') + 4)).to.have.length(body.length);
    await closed;
  });

  it('closes the connections that are still open after the grace period', async () => {
    const { server, drain, port, closed } = await listen(() => undefined, 1);
    const socket = await connect(port);
    socket.write(GET);
    await once(server, 'request');
    drain();
    await closed;
    expect(await received(socket).catch(() => '')).to.equal('');
  });

  describe('while logins are in flight', () => {
    const BODIES = [
      { email: AWA.email, password: PASSWORD },
      { email: KOFI.email, password: PASSWORD },
      { email: 'nobody@boutique.example', password: PASSWORD },
    ].map((body) => JSON.stringify(body));

    /** Starts a host with one slot, whose computations last until the test ends them. */
    async function listenForLogins() {
      const quick = quickPasswords(createPasswords, { maxConcurrentHashes: 1 });
      await setComputationTimes(quick.passwords, 0);
      const ends: (() => void)[] = [];
      const { verify } = quick;
      quick.verify = async (password, hash) => {
        await new Promise<void>((resolve) => ends.push(resolve));
        return verify(password, hash);
      };
      const host = { arrived: 0 };
      const app = express();
      app.use((_req, _res, next) => {
        host.arrived += 1;
        next();
      });
      app.use('/v1', createLoginRouter(quickAccountStore(), { passwords: quick.passwords }));
      return { ...(await listen(app)), host, ends, load: () => quick.passwords.load() };
    }

    /** Opens a connection and sends a login without the last bytes of its body. */
    async function startLogin(port: number, body: string, missing = 0): Promise<Socket> {
      const socket = await connect(port);
      const head = `POST /v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json`;
      socket.write(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, body.length - missing)}`);
      return socket;
    }

    it('answers logins that are hashed, that wait for a slot, and whose body is still arriving', async () => {
      const { drain, port, closed, host, ends, load } = await listenForLogins();
      const [one = '', two = '', three = ''] = BODIES;
      const sockets = [await startLogin(port, one)];
      await until(() => load().running === 1);
      sockets.push(await startLogin(port, two));
      await until(() => load().waiting === 1);
      sockets.push(await startLogin(port, three, 5));
      await until(() => host.arrived === 3);
      drain();
      sockets[2]?.write(three.slice(-5));
      await until(() => load().waiting === 2);
      const answers = sockets.map(received);
      for (let ended = 0; ended < 3; ended++) {
        await until(() => ends.length > ended);
        ends[ended]?.();
      }
      const statuses = ['200 OK', '200 OK', '401 Unauthorized'];
      for (const [index, answer] of (await Promise.all(answers)).entries()) {
        expect(answer.split('\r\n')[0]).to.equal(`HTTP/1.1 ${statuses[index]}`);
        expect(answer).to.match(/^Connection: close\r$/m);
        expect(answer).to.match(/\}$/);
      }
      await closed;
    });

    it('has a grace period that is longer than the longest wait of an admitted login and its hash', async () => {
      const time = freezeTime();
      const { drain, port, closed, ends, load } = await listenForLogins();
      const [one = '', two = ''] = BODIES;
      const sockets = [await startLogin(port, one)];
      await until(() => load().running === 1);
      sockets.push(await startLogin(port, two));
      await until(() => load().waiting === 1);
      drain();
      const answers = sockets.map(received);
      for (let second = 0; second < 9; second++) time.pass(1);
      ends[0]?.();
      await until(() => ends.length === 2);
      time.pass(6);
      await settle();
      ends[1]?.();
      for (const answer of await Promise.all(answers)) expect(answer).to.match(/^HTTP\/1\.1 200 OK\r\n/);
      await closed;
    });
  });
});

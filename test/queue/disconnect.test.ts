import { EventEmitter, once } from 'node:events';
import type http from 'node:http';
import http2 from 'node:http2';
import net, { type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { abortIfAnswered, type Caller, callerOf, isDisconnect } from '../../src/queue/disconnect.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { serve } from '../helpers/http.js';
import { settle, until } from '../helpers/until.js';

const REQUEST = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}';

const haveLeft = (callers: Iterable<Caller>) => [...callers].map(({ left }) => left !== undefined);

describe('callerOf', () => {
  const closers = new Set<() => void>();
  afterEach('close the connections', () => {
    for (const close of closers) close();
    closers.clear();
  });

  /** Starts a server, and connects a socket to it. */
  async function connect(handler: http.RequestListener): Promise<net.Socket> {
    const { port } = await serve(handler);
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    closers.add(() => socket.destroy());
    return socket;
  }

  it('notices that the caller disconnects, and not that the body has been read', async () => {
    const callers: Caller[] = [];
    let isBodyRead = false;
    const socket = await connect((req) => {
      callers.push(callerOf(req));
      req.resume();
      req.once('close', () => (isBodyRead = true));
    });
    socket.write(REQUEST);
    await until(() => isBodyRead);
    await settle();
    expect(haveLeft(callers)).to.deep.equal([false]);
    socket.destroy();
    await until(() => callers[0]?.left !== undefined);
    expect(callers[0]?.left).to.include({
      name: 'AbortError',
      code: 'ABORT_ERR',
      message: 'The caller has disconnected.',
    });
    expect(() => callers[0]?.requirePresence()).to.throw(callers[0]?.left as never);
  });

  it('notices nothing at the end of a request, when the connection is used again', async () => {
    const callers: Caller[] = [];
    const socket = await connect((req, res) => {
      const caller = callerOf(req);
      callers.push(caller);
      req.resume();
      if (callers.length < 3) res.end(`left: ${caller.left !== undefined}`);
    });
    let answers = '';
    socket.on('data', (bytes) => (answers += String(bytes)));
    for (const count of [1, 2]) {
      socket.write(REQUEST);
      await until(() => (answers.match(/left: false/g) ?? []).length === count);
    }
    socket.write(REQUEST);
    await until(() => callers.length === 3);
    await settle();
    expect(haveLeft(callers)).to.deep.equal([false, false, false]);
    socket.destroy();
    await until(() => callers[2]?.left !== undefined);
  });

  it('adds one listener to a connection with many pipelined requests', async () => {
    const warnings = collectWarnings();
    const requests: http.IncomingMessage[] = [];
    const socket = await connect((req) => requests.push(req));
    socket.write(REQUEST.repeat(50));
    await until(() => requests.length === 50);
    const before = requests[0]?.socket.listenerCount('close');
    const callers = new Set(requests.map((req) => callerOf(req)));
    expect(callers.size).to.equal(1);
    expect(requests[0]?.socket.listenerCount('close')).to.equal((before ?? 0) + 1);
    await settle();
    expect(warnings).to.deep.equal([]);
    socket.destroy();
    await until(() => haveLeft(callers).every(Boolean));
  });

  it('knows from the start that the caller has already disconnected', async () => {
    let early: http.IncomingMessage | undefined;
    const socket = await connect((req) => (early = req));
    socket.write(REQUEST);
    await until(() => early !== undefined);
    socket.destroy();
    await until(() => early?.socket.destroyed === true);
    expect(early && haveLeft([callerOf(early)])).to.deep.equal([true]);
  });

  it('knows from the start that the caller has reset the connection, which Node.js has not read yet', () => {
    const addresses = { destroyed: false, remoteAddress: undefined };
    const callers = ['127.0.0.1', undefined].map((localAddress) => {
      return callerOf({ socket: Object.assign(new EventEmitter(), { ...addresses, localAddress }) } as never);
    });
    expect(haveLeft(callers)).to.deep.equal([true, false]);
  });

  it('notices the end of one stream of HTTP/2, while the session goes on', async () => {
    const callers = new Map<string, Caller>();
    const requests: http.IncomingMessage[] = [];
    const server = http2.createServer((req) => {
      requests.push(req as never);
      callers.set(req.url, callerOf(req as never));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    closers.add(() => {
      session.destroy();
      server.close();
    });
    const streams = ['/one', '/other'].map((path) => session.request({ ':method': 'POST', ':path': path }));
    for (const stream of streams) stream.on('error', () => undefined).end('{}');
    await until(() => callers.size === 2);
    await settle();
    expect(haveLeft(callers.values())).to.deep.equal([false, false]);
    streams[0]?.close(http2.constants.NGHTTP2_CANCEL);
    await until(() => callers.get('/one')?.left !== undefined);
    await settle();
    expect(haveLeft(callers.values())).to.deep.equal([true, false]);
    const error = callers.get('/one')?.left;
    expect(requests.map((req) => isDisconnect(error, req))).to.deep.equal([true, false]);
    for (const other of [undefined, new DOMException('of the host', 'AbortError')]) {
      expect(requests.map((req) => isDisconnect(other, req))).to.deep.equal([false, false]);
    }
  });

  it('notices nothing for the request of a serverless adapter, which has no real socket', () => {
    for (const socket of [undefined, null, {}, { destroyed: true }, { remoteAddress: '192.0.2.7' }]) {
      expect(callerOf({ socket } as never).left).to.equal(undefined);
    }
    const emitter = Object.assign(new EventEmitter(), { destroyed: false });
    const caller = callerOf({ socket: emitter } as never);
    emitter.emit('close');
    expect(caller.left).to.be.instanceOf(Error);
  });
});

describe('abortIfAnswered', () => {
  it('returns the AbortError of an answered request, and leaves those of its connection', () => {
    const socket = Object.assign(new EventEmitter(), { destroyed: false });
    const request = (res?: { readonly headersSent: boolean }) => ({ socket, res }) as unknown as http.IncomingMessage;
    const [answered, ...others] = [{ headersSent: true }, { headersSent: false }, undefined].map(request);
    for (const req of others) expect(abortIfAnswered(req)).to.equal(undefined);
    const caller = callerOf(answered as never);
    const error = abortIfAnswered(answered as never);
    expect(error).to.include({ name: 'AbortError', code: 'ABORT_ERR', message: 'The request has been answered.' });
    expect([answered, ...others].map((req) => isDisconnect(error, req as never))).to.deep.equal([true, false, false]);
    expect(caller.left).to.equal(undefined);
  });
});

import { EventEmitter, once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import net, { type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { disconnectSignal, isDisconnect } from '../../src/http/disconnect.js';
import { settle, until } from '../helpers/until.js';
import { collectWarnings } from '../helpers/warnings.js';

type Handler = (req: http.IncomingMessage, res: http.ServerResponse) => void;

const REQUEST = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}';

describe('disconnectSignal', () => {
  const closers = new Set<() => void>();
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);

  beforeEach('collect the warnings', () => {
    warnings.length = 0;
    process.on('warning', onWarning);
  });
  afterEach('stop the servers', () => {
    process.off('warning', onWarning);
    for (const close of closers) close();
    closers.clear();
  });

  /** Starts a server, and connects a socket to it. */
  async function connect(handler: Handler): Promise<net.Socket> {
    const server = http.createServer(handler).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    closers.add(() => {
      socket.destroy();
      server.close();
    });
    return socket;
  }

  it('aborts when the caller disconnects, and not when the body has been read', async () => {
    const signals: AbortSignal[] = [];
    let isBodyRead = false;
    const socket = await connect((req) => {
      signals.push(disconnectSignal(req));
      req.resume();
      req.once('close', () => (isBodyRead = true));
    });
    socket.write(REQUEST);
    await until(() => isBodyRead);
    await settle();
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([false]);
    socket.destroy();
    await until(() => signals[0]?.aborted === true);
    expect((signals[0]?.reason as DOMException).name).to.equal('AbortError');
  });

  it('does not abort at the end of a request, when the connection is used again', async () => {
    const signals: AbortSignal[] = [];
    const socket = await connect((req, res) => {
      const signal = disconnectSignal(req);
      signals.push(signal);
      req.resume();
      if (signals.length < 3) res.end(`aborted: ${signal.aborted}`);
    });
    let answers = '';
    socket.on('data', (bytes) => (answers += String(bytes)));
    for (const count of [1, 2]) {
      socket.write(REQUEST);
      await until(() => (answers.match(/aborted: false/g) ?? []).length === count);
    }
    socket.write(REQUEST);
    await until(() => signals.length === 3);
    await settle();
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([false, false, false]);
    socket.destroy();
    await until(() => signals[2]?.aborted === true);
  });

  it('adds one listener to a connection with many pipelined requests', async () => {
    const requests: http.IncomingMessage[] = [];
    let listeners = 0;
    const socket = await connect((req) => {
      listeners = Math.max(listeners, req.socket.listenerCount('close'));
      requests.push(req);
    });
    socket.write(REQUEST.repeat(50));
    await until(() => requests.length === 50);
    const before = requests[0]?.socket.listenerCount('close');
    const signals = new Set(requests.map((req) => disconnectSignal(req)));
    expect(signals.size).to.equal(1);
    expect(requests[0]?.socket.listenerCount('close')).to.equal((before ?? 0) + 1);
    await settle();
    expect(warnings.map(({ name }) => name)).not.to.include('MaxListenersExceededWarning');
    socket.destroy();
    await until(() => [...signals].every(({ aborted }) => aborted));
  });

  it('takes a listener of each login in progress without a warning, and warns of a leak beyond', () => {
    const emitted = collectWarnings();
    const signal = disconnectSignal({ socket: new EventEmitter() } as never);
    for (let login = 1; login <= 2_000; login++) signal.addEventListener('abort', () => undefined);
    expect(emitted).to.deep.equal([]);
    signal.addEventListener('abort', () => undefined);
    expect(emitted).to.have.length(1);
    expect(emitted[0]).to.match(/^MaxListenersExceededWarning: /);
  });

  it('is aborted from the start when the caller has already disconnected', async () => {
    let early: http.IncomingMessage | undefined;
    const socket = await connect((req) => (early = req));
    socket.write(REQUEST);
    await until(() => early !== undefined);
    socket.destroy();
    await until(() => early?.socket.destroyed === true);
    expect(early && disconnectSignal(early).aborted).to.equal(true);
  });

  it('is aborted from the start when the caller has reset the connection, which Node.js has not read yet', () => {
    const addresses = { destroyed: false, remoteAddress: undefined };
    const [reset, ofUnix] = ['127.0.0.1', undefined].map((localAddress) => {
      return disconnectSignal({ socket: Object.assign(new EventEmitter(), { ...addresses, localAddress }) } as never);
    });
    expect(reset?.aborted).to.equal(true);
    expect(ofUnix?.aborted).to.equal(false);
  });

  it('aborts for one stream of HTTP/2, while the session goes on', async () => {
    const signals = new Map<string, AbortSignal>();
    const requests: http.IncomingMessage[] = [];
    const server = http2.createServer((req) => {
      requests.push(req as never);
      signals.set(req.url, disconnectSignal(req as never));
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
    await until(() => signals.size === 2);
    await settle();
    expect([...signals.values()].map(({ aborted }) => aborted)).to.deep.equal([false, false]);
    streams[0]?.close(http2.constants.NGHTTP2_CANCEL);
    await until(() => signals.get('/one')?.aborted === true);
    await settle();
    expect(signals.get('/other')?.aborted).to.equal(false);
    const error: unknown = signals.get('/one')?.reason;
    expect(requests.map((req) => isDisconnect(error, req))).to.deep.equal([true, false]);
    expect(requests.map((req) => isDisconnect(undefined, req))).to.deep.equal([false, false]);
  });

  it('never aborts for the request of a serverless adapter, which has no real socket', () => {
    for (const socket of [undefined, null, {}, { destroyed: true }, { remoteAddress: '192.0.2.7' }]) {
      const signal = disconnectSignal({ socket } as never);
      expect(signal.aborted).to.equal(false);
    }
    const emitter = Object.assign(new EventEmitter(), { destroyed: false });
    const signal = disconnectSignal({ socket: emitter } as never);
    emitter.emit('close');
    expect(signal.aborted).to.equal(true);
  });
});

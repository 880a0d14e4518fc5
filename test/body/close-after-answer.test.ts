import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { mock } from 'node:test';
import { expect } from 'chai';
import { closeAfterAnswer } from '../../src/body/close-after-answer.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { serveLogin } from '../helpers/login-host.js';

/** Resolves at an event; an error of the socket does not matter. */
const event = (socket: Socket, name: string) => new Promise((resolve) => void socket.once(name, resolve));

const CHUNK = Buffer.from(`2000\r\n${' '.repeat(0x2000)}\r\n`);

/** Writes until the connection ends. Resolves to the number of bytes that were written. */
async function flood(socket: Socket, mostBytes: number): Promise<number> {
  let written = 0;
  const closed = event(socket, 'close');
  while (!socket.destroyed && socket.writable && written < mostBytes) {
    written += CHUNK.length;
    if (!socket.write(CHUNK)) await Promise.race([event(socket, 'drain'), closed]);
  }
  return written;
}

describe('a body over the limit', () => {
  async function open(headers: readonly string[]): Promise<{ socket: Socket; received: () => string }> {
    const { client } = await serveLogin();
    const socket = connect(client.port, '127.0.0.1');
    socket.on('error', () => undefined);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += String(chunk)));
    await once(socket, 'connect');
    socket.write(
      ['POST /v1/login HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', ...headers, '', ''].join('\r\n'),
    );
    return { socket, received: () => text };
  }

  for (const [name, header] of [
    ['chunked', 'Transfer-Encoding: chunked'],
    ['with a Content-Length', 'Content-Length: 4000000000'],
  ] as const) {
    it(`is refused at once, ${name}, and its connection is closed`, async () => {
      const { socket, received } = await open([header]);
      const ended = event(socket, 'end');
      const written = await Promise.race([flood(socket, 200_000_000), ended.then(() => 0)]);
      await ended;
      expect(written).to.be.below(200_000_000);
      const [head = '', body = ''] = received().split('\r\n\r\n');
      expect(head).to.match(/^HTTP\/1\.1 400 /);
      expect(head.toLowerCase()).to.contain('\r\nconnection: close');
      expect(body).to.contain('"description":"The body is larger than 16 KiB. Send less."');
      if (!socket.destroyed) await event(socket, 'close');
    });
  }
});

describe('closeAfterAnswer', () => {
  const DROPPED = 1_000_000;

  function start({ httpVersionMajor = 1, headersSent = false, writableEnded = true } = {}) {
    const socket = { end: mock.fn(), destroy: mock.fn(), destroySoon: undefined as (() => void) | undefined };
    const req = Object.assign(new PassThrough(), { httpVersionMajor, socket });
    const res = { headersSent, writableEnded, setHeader: mock.fn() };
    closeAfterAnswer(req as unknown as IncomingMessage, res as unknown as ServerResponse);
    return { req, res, socket, closings: () => socket.destroy.mock.callCount() };
  }

  it('closes only an answered connection, after more than 1 MB', () => {
    const answered = start();
    answered.req.emit('data', Buffer.alloc(DROPPED));
    expect(answered.closings()).to.equal(0);
    answered.req.emit('data', Buffer.alloc(1));
    expect(answered.closings()).to.equal(1);
    const unanswered = start({ writableEnded: false });
    unanswered.req.emit('data', Buffer.alloc(DROPPED + 1));
    expect(unanswered.closings()).to.equal(0);
  });

  it('closes 1 s after the answer', () => {
    const time = freezeTime();
    const { socket, closings } = start();
    socket.destroySoon?.();
    expect(socket.end.mock.callCount()).to.equal(1);
    time.pass(0.999);
    expect(closings()).to.equal(0);
    time.pass(0.001);
    expect(closings()).to.equal(1);
  });

  it('does nothing on HTTP/2, and after the headers of the answer', () => {
    for (const setting of [{ httpVersionMajor: 2 }, { headersSent: true }]) {
      const { res, socket } = start(setting);
      expect(res.setHeader.mock.callCount()).to.equal(0);
      expect(socket.destroySoon).to.equal(undefined);
    }
  });
});

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { accountStore } from '../helpers/accounts.js';
import { serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';

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

onEachExpress('a body over the limit', ({ auth, express }) => {
  async function open(headers: readonly string[]): Promise<{ socket: Socket; received: () => string }> {
    const app = express();
    app.use('/v1', auth.createLoginRouter(accountStore(), { throttle: false }));
    app.use(auth.authErrorHandler());
    const { port } = await serve(app);
    const socket = connect(port, '127.0.0.1');
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
    it(`is refused at once, ${name}, and its connection is closed (ASVS 15.2.2)`, async () => {
      const { socket, received } = await open([header]);
      const ended = event(socket, 'end');
      const written = await Promise.race([flood(socket, 200_000_000), ended.then(() => 0)]);
      await ended;
      expect(written).to.be.below(200_000_000);
      const [head = '', body = ''] = received().split('\r\n\r\n');
      expect(head).to.match(/^HTTP\/1\.1 400 /);
      expect(head.toLowerCase()).to.contain('\r\nconnection: close');
      expect(JSON.parse(body)).to.deep.equal({
        status: 'Error',
        success: false,
        code: 400,
        error: 'invalid_body',
        message: 'Body not valid',
        description: 'The body is too large.',
        errors: [],
      });
      if (!socket.destroyed) await event(socket, 'close');
    });
  }

  it('is refused before the client has sent anything of it', async () => {
    const { socket, received } = await open(['Content-Length: 16385']);
    await event(socket, 'end');
    expect(received()).to.match(/^HTTP\/1\.1 400 /);
  });
});

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import express, { type RequestHandler } from 'express';
import { createStreamReader, type IncomingRequest } from '../../src/body/read-stream.js';
import { authErrorHandler } from '../../src/index.js';
import { PASSWORD } from '../helpers/accounts.js';
import { expectInvalidBody } from '../helpers/answers.js';
import { type FrozenTime, freezeTime } from '../helpers/frozen-time.js';
import { type Client, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';
import { quickPasswords } from '../helpers/quick-passwords.js';
import { rejectionOf } from '../helpers/thrown.js';
import { settle, until } from '../helpers/until.js';

/** A login with an unknown email, so that the computation is a quick decoy. */
const LOGIN = JSON.stringify({ email: 'nobody@boutique.example', password: PASSWORD });
const LATE = {
  status: 'Error',
  success: false,
  code: 400,
  error: 'invalid_body',
  message: 'Body not valid',
  description: 'The body did not arrive in time.',
};

/** A connection on which the test sends a request piece by piece. */
class Connection {
  readonly #socket: Socket;
  #received = '';

  constructor({ port }: Client) {
    // With allowHalfOpen, only the server closes the connection.
    this.#socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.#socket.setEncoding('utf8');
    this.#socket.on('error', () => undefined);
    this.#socket.on('data', (text: string) => (this.#received += text));
  }

  /** The status line, the headers and the body of all answers so far. */
  get received(): string {
    return this.#received;
  }

  /** The parsed body of the answer. */
  get json(): unknown {
    return JSON.parse(this.#received.slice(this.#received.indexOf('\r\n\r\n'))) as unknown;
  }

  send(text: string): void {
    this.#socket.write(text);
  }

  sendHeaders(path: string, ...headers: readonly string[]): void {
    const type = 'Content-Type: application/json';
    this.send([`POST ${path} HTTP/1.1`, 'Host: localhost', type, ...headers, '', ''].join('\r\n'));
  }

  end(): void {
    this.#socket.end();
  }

  /** Resolves when the server has sent its last byte. */
  async ended(): Promise<void> {
    if (!this.#socket.readableEnded) await once(this.#socket, 'end');
  }
}

onEachExpress('a body that arrives slowly', (framework) => {
  let time: FrozenTime;
  /** The server's sockets of the requests whose headers have arrived. */
  let arrived: Socket[];

  beforeEach(() => {
    time = freezeTime();
    arrived = [];
  });

  /** Starts a host that records each request. */
  async function servePaymentsSlowly() {
    const note: RequestHandler = (req, _res, next) => {
      arrived.push(req.socket);
      next();
    };
    const quick = quickPasswords(framework.auth.createPasswords);
    const payments = await servePayments(framework, { before: [note], login: { passwords: quick.passwords } });
    return { ...payments, quick };
  }

  /** Starts a request, and resolves when the server waits for the rest of its body. */
  async function startRequest(connection: Connection, path: string, ...headers: readonly string[]): Promise<void> {
    const before = arrived.length;
    connection.sendHeaders(path, ...headers);
    await until(() => arrived.length > before);
    await settle();
  }

  for (const [name, header, piece] of [
    ['with a Content-Length', `Content-Length: ${LOGIN.length}`, '{'],
    ['chunked', 'Transfer-Encoding: chunked', '1\r\n{\r\n'],
  ] as const) {
    it(`is refused at login 5 s after its headers, ${name}, and its connection is closed`, async () => {
      const { client } = await servePaymentsSlowly();
      const connection = new Connection(client);
      await startRequest(connection, '/v1/login', header);
      time.pass(4.999);
      // Each piece that arrives gives the body no more time.
      connection.send(piece);
      await settle();
      expect(connection.received).to.equal('');
      time.pass(0.001);
      await connection.ended();
      const [head = ''] = connection.received.split('\r\n\r\n');
      expect(head).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(head.toLowerCase()).to.contain('\r\nconnection: close');
      expect(connection.json).to.deep.equal({ ...LATE, errors: [] });
      // The client goes on, and is cut off after a second.
      await settle();
      time.pass(0.999);
      await settle();
      expect(arrived[0]?.destroyed).to.equal(false);
      time.pass(0.001);
      expect(arrived[0]?.destroyed).to.equal(true);
      connection.end();
    });
  }

  it('is accepted at login until then, and the time limit ends with the body, even while the login goes on', async () => {
    const { client, quick } = await servePaymentsSlowly();
    let end = (): void => undefined;
    quick.verify = () => new Promise((resolve) => (end = () => resolve(false)));
    const connection = new Connection(client);
    await startRequest(connection, '/v1/login', `Content-Length: ${LOGIN.length}`);
    time.pass(4.999);
    connection.send(LOGIN);
    await until(() => quick.compared.length === 1);
    time.pass(60);
    end();
    await until(() => connection.received !== '');
    expect(connection.received).to.match(/^HTTP\/1\.1 401 /);
    expect(connection.received.toLowerCase()).not.to.contain('connection: close');
    expect(connection.json).to.include({ error: 'wrong_credentials' });

    await startRequest(connection, '/v1/login', `Content-Length: ${LOGIN.length}`);
    connection.send(LOGIN);
    await until(() => quick.compared.length === 2);
    end();
    await until(() => connection.received.split('HTTP/1.1 401 ').length === 3);
    connection.end();
  });

  it('has only the time limit of the server behind the guard, because the caller has a token', async () => {
    const { client, awa } = await servePaymentsSlowly();
    const connection = new Connection(client);
    const body = '{"refercence_cl":"BTQ-1001"}';
    await startRequest(
      connection,
      '/v1/guarded',
      `Authorization: ${awa.Authorization}`,
      `Content-Length: ${body.length}`,
    );
    time.pass(120);
    await settle();
    expect(connection.received).to.equal('');
    connection.send(body);
    await until(() => connection.received !== '');
    expect(connection.received).to.match(/^HTTP\/1\.1 200 /);
    connection.end();
  });
});

describe('createStreamReader', () => {
  const LIMIT = 1_000;
  const TOO_LARGE = 'The body is larger than 1000 bytes. Send less.';

  /** A server that answers with the length of the JSON that it has read. */
  async function serveReader(): Promise<Client> {
    const readStream = createStreamReader({ bytes: LIMIT });
    const app = express();
    app.use((req, res, next) => {
      readStream(req, res).then(
        (body) => res.json({ length: JSON.stringify(body).length, isSame: body === req.body }),
        next,
      );
    });
    app.use(authErrorHandler());
    return serve(app);
  }

  /** A JSON text of so many bytes. */
  const jsonOf = (bytes: number) => JSON.stringify(['x'.repeat(bytes - 4)]);

  it('reads a body of the limit, and refuses one byte more, chunked or not', async () => {
    const client = await serveReader();
    for (const chunked of [true, false]) {
      const accepted = await client.send('POST', '/', { body: jsonOf(LIMIT), chunked });
      expect(accepted.json).to.deep.equal({ length: LIMIT, isSame: true });
      expectInvalidBody(await client.send('POST', '/', { body: jsonOf(LIMIT + 1), chunked }), TOO_LARGE);
    }
  });

  it('refuses a short body that is over the limit when it is decompressed', async () => {
    const client = await serveReader();
    const headers = { 'Content-Encoding': 'gzip' };
    const accepted = await client.send('POST', '/', { body: gzipSync(jsonOf(LIMIT)), headers });
    expect(accepted.json).to.deep.equal({ length: LIMIT, isSame: true });
    const bomb = gzipSync(jsonOf(500_000));
    expect(bomb.length).to.be.below(LIMIT);
    expectInvalidBody(await client.send('POST', '/', { body: bomb, headers }), TOO_LARGE);
  });

  /** A request without HTTP, on a protocol whose connection stays open. */
  function request(headers: Readonly<Record<string, string>>) {
    const members = { headers, complete: false, httpVersionMajor: 2, socket: { readable: true, writable: true } };
    return Object.assign(new PassThrough(), members) as unknown as PassThrough & IncomingRequest;
  }

  it('refuses a body whose announced length is over the limit before it arrives', async () => {
    const read = createStreamReader({ bytes: LIMIT })(request({ 'content-length': '1001' }), {} as never);
    expect(await rejectionOf(read)).to.include({ code: 'invalid_body', description: TOO_LARGE });
  });

  it('reads a paused stream that no header announces, and leaves headers and listeners as they were', async () => {
    for (const headers of [{}, { 'content-length': '7' }, { 'transfer-encoding': 'chunked' }]) {
      const req = request({ ...headers });
      req.pause();
      const read = createStreamReader({ bytes: LIMIT })(req, {} as never);
      expect(req.headers).to.deep.equal(headers);
      req.end('{"a":1}');
      expect(await read).to.deep.equal({ a: 1 });
      expect(req).to.have.property('_body', true);
      expect(req.listenerCount('data')).to.equal(0);
    }
  });
});

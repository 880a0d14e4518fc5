import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { AWA, PASSWORD } from '../helpers/accounts.js';
import { expectInvalidBody } from '../helpers/answers.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { serveLogin } from '../helpers/login-host.js';
import { settle, until } from '../helpers/until.js';

const GOOD = { email: AWA.email, password: PASSWORD };
const TOO_LARGE = 'The body is larger than 16 KiB. Send less.';
const NOT_AN_OBJECT = 'The body is not a valid JSON object.';
const JSON_TYPE = { 'Content-Type': 'application/json' };

onEachExpress('the login body', (framework) => {
  const { express } = framework;
  type Before = NonNullable<Parameters<typeof serveLogin>[0]>['before'];

  async function servePost(before: Before = []) {
    const { client } = await serveLogin({ framework, before });
    return (body: unknown, headers: Record<string, string> = JSON_TYPE, chunked = false) =>
      client.send('POST', '/v1/login', { body, headers, chunked });
  }

  it('is refused with every broken rule named', async () => {
    const post = await servePost();
    expectInvalidBody(await post({ email: 5 }), 'password is required. email must be a string.', [
      { field: 'password', rule: 'required', message: 'password is required.' },
      { field: 'email', rule: 'type', message: 'email must be a string.' },
    ]);
  });

  it('is refused when it is not a JSON object', async () => {
    const post = await servePost();
    for (const body of ['[{}]', undefined]) expectInvalidBody(await post(body), NOT_AN_OBJECT, []);
    const lenient = await servePost([express.json({ strict: false })]);
    for (const body of ['null', '7']) expectInvalidBody(await lenient(body), NOT_AN_OBJECT, []);
  });

  it('is refused with an empty list of rules when it cannot be read', async () => {
    const post = await servePost();
    const invalid = await post(`{"email":"${AWA.email}","password":"${PASSWORD}"`);
    expectInvalidBody(invalid, NOT_AN_OBJECT, []);
    const latin = await post(GOOD, { 'Content-Type': 'application/json; charset=iso-8859-1' });
    expectInvalidBody(latin, 'The charset of the body is not supported. Send UTF-8.', []);
    const removed = await servePost([express.raw({ type: '*/*' }), (req, _res, next) => next((req.body = undefined))]);
    expectInvalidBody(await removed(GOOD), 'The body could not be read.', []);
  });

  it('is refused before the account is read when it is not UTF-8, even when a raw parser of the host read it', async () => {
    const latin = Buffer.from(JSON.stringify({ ...GOOD, password: 'clé-été-2026' }), 'latin1');
    for (const before of [[], [express.raw({ type: '*/*' })]]) {
      const { client, asked } = await serveLogin({ framework, before });
      const answer = await client.send('POST', '/v1/login', { body: latin, headers: JSON_TYPE });
      expectInvalidBody(answer, 'The body is not valid UTF-8. Encode its text as UTF-8.', []);
      expect(asked).to.deep.equal([]);
    }
  });

  it('is accepted as application/json only, even when a parser of the host read it', async () => {
    for (const before of [[], [express.urlencoded({ extended: true })]]) {
      const post = await servePost(before);
      for (const [type, body] of [
        ['application/x-www-form-urlencoded', `email=${AWA.email}&password=${PASSWORD}`],
        ['text/plain', JSON.stringify(GOOD)],
        ['application/vnd.api+json', JSON.stringify(GOOD)],
      ] as const) {
        expectInvalidBody(await post(body, { 'Content-Type': type }), 'Send the body as application/json.', []);
      }
      expectInvalidBody(await post(JSON.stringify(GOOD), {}), 'Send the body as application/json.', []);
      expect((await post(GOOD, { 'Content-Type': 'Application/JSON; charset=UTF-8' })).status).to.equal(200);
    }
  });

  it('is used as a parser of the host left it: object, Buffer or text', async () => {
    for (const parser of [express.json(), express.raw({ type: '*/*' }), express.text({ type: '*/*' })]) {
      const post = await servePost([parser]);
      expect((await post(GOOD)).status).to.equal(200);
    }
  });

  it('is refused over 16 KiB, announced or not, read by a parser of the host or not', async () => {
    const large = JSON.stringify({ ...GOOD, padding: 'x'.repeat(16_384) });
    const post = await servePost();
    for (const chunked of [false, true]) {
      expectInvalidBody(await post(large, JSON_TYPE, chunked), TOO_LARGE, []);
    }
    expectInvalidBody(await (await servePost([express.json()]))(large), TOO_LARGE, []);
  });

  it('is refused with a member over 16 KiB that a parser of the host read unannounced or decompressed', async () => {
    const post = await servePost([express.json()]);
    for (const field of ['email', 'password']) {
      const fields = (length: number) => JSON.stringify({ ...GOOD, [field]: '@'.repeat(length) });
      expectInvalidBody(await post(fields(16_385), JSON_TYPE, true), TOO_LARGE, []);
      const compressed = await post(gzipSync(fields(16_385)), { ...JSON_TYPE, 'Content-Encoding': 'gzip' });
      expectInvalidBody(compressed, TOO_LARGE, []);
      const message = `${field} must have at most 255 characters.`;
      const shorter = await post(fields(16_384), JSON_TYPE, true);
      expectInvalidBody(shorter, message, [{ field, rule: 'maxLength', message }]);
    }
  });

  /** Sends the headers of a login, and stops time when the host has them. */
  async function sendHeaders(length: number) {
    let hasArrived = false;
    const { client } = await serveLogin({ framework, before: [(_req, _res, next) => next(void (hasArrived = true))] });
    const time = freezeTime();
    const socket = connect(client.port, '127.0.0.1').setEncoding('utf8');
    const head = 'POST /v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ';
    socket.write(`${head}${length}\r\n\r\n`);
    await until(() => hasArrived);
    await settle();
    return { time, socket };
  }

  it('is refused when it has not arrived five seconds after its headers, and the connection is closed', async () => {
    const { time, socket } = await sendHeaders(60);
    let received = '';
    socket.on('data', (chunk: string) => (received += chunk));
    const ended = once(socket, 'end');
    // Bytes that come now and then give no more time.
    for (const piece of '{"em') {
      socket.write(piece);
      time.pass(1);
      await settle();
    }
    time.pass(0.999);
    await settle();
    expect(received).to.equal('');
    time.pass(0.001);
    await ended;
    expect(received).to.match(/^HTTP\/1\.1 400 /);
    expect(received).to.match(/^Connection: close\r?$/m);
    expect(received).to.contain('"description":"The body did not arrive in time.","errors":[]');
    socket.destroy();
  });

  it('is read when it arrived while the process stood still', async () => {
    const body = JSON.stringify(GOOD);
    const { time, socket } = await sendHeaders(body.length);
    // No input is read between these two calls.
    socket.write(body);
    time.pass(60);
    const [received] = (await once(socket, 'data')) as [string];
    expect(received).to.match(/^HTTP\/1\.1 200 /);
    expect(received).not.to.match(/^Connection: close\r?$/m);
    socket.destroy();
  });
});

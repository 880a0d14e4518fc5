import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { AWA, PASSWORD } from '../helpers/accounts.js';
import { expectInvalidBody, expectWrongCredentials } from '../helpers/answers.js';
import { freezeTime } from '../helpers/frozen-time.js';
import type { Client } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';
import { settle, until } from '../helpers/until.js';

const GOOD = { email: AWA.email, password: PASSWORD };
const JSON_TYPE = { 'Content-Type': 'application/json' };

const rule = (field: string, name: string, message: string) => ({ field, rule: name, message });
const EMAIL_REQUIRED = rule('email', 'required', 'email is required.');
const PASSWORD_REQUIRED = rule('password', 'required', 'password is required.');
const EMAIL_TYPE = rule('email', 'type', 'email must be a string.');
const EMAIL_SHORT = rule('email', 'minLength', 'email must have at least 5 characters.');
const EMAIL_LONG = rule('email', 'maxLength', 'email must have at most 255 characters.');
const EMAIL_FORMAT = rule('email', 'format', 'email must be an address with an @.');
const PASSWORD_TYPE = rule('password', 'type', 'password must be a string.');
const PASSWORD_SHORT = rule('password', 'minLength', 'password must have at least 6 characters.');
const PASSWORD_LONG = rule('password', 'maxLength', 'password must have at most 255 characters.');
const PASSWORD_FORMAT = rule('password', 'format', 'password must be well-formed Unicode.');

onEachExpress('the login body', (framework) => {
  const { express } = framework;
  let client: Client;
  beforeEach(async () => {
    ({ client } = await servePayments(framework));
  });

  const post = (body: unknown, headers: Record<string, string> = JSON_TYPE) =>
    client.send('POST', '/v1/login', { body, headers });

  const broken: [string, object, ReturnType<typeof rule>[]][] = [
    ['without members', {}, [EMAIL_REQUIRED, PASSWORD_REQUIRED]],
    ['without email', { password: PASSWORD }, [EMAIL_REQUIRED]],
    ['without password', { email: AWA.email }, [PASSWORD_REQUIRED]],
    ['with null members', { email: null, password: null }, [EMAIL_TYPE, PASSWORD_TYPE]],
    ['with numbers', { email: 12345, password: 123456 }, [EMAIL_TYPE, PASSWORD_TYPE]],
    ['with arrays', { email: [AWA.email], password: [PASSWORD] }, [EMAIL_TYPE, PASSWORD_TYPE]],
    ['with query operators', { email: { $ne: null }, password: { $ne: null } }, [EMAIL_TYPE, PASSWORD_TYPE]],
    [
      'with an inherited email',
      JSON.parse(`{"__proto__":{"email":"${AWA.email}"},"password":"${PASSWORD}"}`) as object,
      [EMAIL_REQUIRED],
    ],
    ['with an email of 4 characters', { ...GOOD, email: 'a@bc' }, [EMAIL_SHORT]],
    ['with an email of 256 characters', { ...GOOD, email: `@${'a'.repeat(255)}` }, [EMAIL_LONG]],
    ['with an email without @', { ...GOOD, email: 'boutique' }, [EMAIL_FORMAT]],
    ['with NUL in the email', { ...GOOD, email: 'awa@\0.example' }, [EMAIL_FORMAT]],
    ['with a lone surrogate in the email', { ...GOOD, email: 'awa@\ud800.example' }, [EMAIL_FORMAT]],
    ['with a password of 5 characters', { ...GOOD, password: 'abcde' }, [PASSWORD_SHORT]],
    ['with a password of 256 characters', { ...GOOD, password: 'a'.repeat(256) }, [PASSWORD_LONG]],
    ['with a lone surrogate in the password', { ...GOOD, password: 'baobab\udc00' }, [PASSWORD_FORMAT]],
    [
      'with an email of 3 and a password of 5 emoji',
      { email: '@😀😀', password: '😀'.repeat(5) },
      [EMAIL_SHORT, PASSWORD_SHORT],
    ],
  ];
  for (const [what, body, errors] of broken) {
    it(`is refused ${what}, with every broken rule named (ASVS 2.2.1)`, async () => {
      expectInvalidBody(await post(JSON.stringify(body)), errors.map(({ message }) => message).join(' '), errors);
    });
  }

  it('counts lengths in code points, at both ends (ASVS 6.2.5, 6.2.9)', async () => {
    const emails = ['@😀😀😀😀', `@${'😀'.repeat(254)}`, 'a@bcd', `@${'a'.repeat(254)}`];
    for (const email of emails) expectWrongCredentials(await post({ email, password: 'abcdef' }));
    for (const password of ['😀'.repeat(6), '😀'.repeat(255), 'abcdef', 'a'.repeat(255), 'a\0bcde']) {
      expectWrongCredentials(await post({ email: AWA.email, password }));
    }
  });

  it('may have further members, which are ignored (ASVS 15.3.3)', async () => {
    expect((await post({ ...GOOD, remember: true, id: '2' })).status).to.equal(200);
  });

  it('is refused when it is not a JSON object', async () => {
    for (const body of ['[]', '[{}]', '""', 'null', '7', 'true']) {
      const answer = await post(body);
      const isStrict = body.startsWith('[');
      expectInvalidBody(
        answer,
        isStrict ? 'The body must be a JSON object.' : 'The body is not a valid JSON object or array.',
        [],
      );
    }
    expectInvalidBody(await post(undefined), 'The body must be a JSON object.', []);
  });

  it('is refused when it is not valid JSON, and the answer repeats nothing of it', async () => {
    const answer = await post(`{"email":"${AWA.email}","password":"${PASSWORD}"`);
    expectInvalidBody(answer, 'The body is not a valid JSON object or array.', []);
    expect(answer.text).not.to.include('baobab');
  });

  it('is refused with another media type than application/json', async () => {
    const form = `email=${AWA.email}&password=${PASSWORD}`;
    const multipart =
      `--b\r\nContent-Disposition: form-data; name="email"\r\n\r\n${AWA.email}\r\n` +
      `--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n${PASSWORD}\r\n--b--\r\n`;
    const types: [string, string][] = [
      ['application/x-www-form-urlencoded', form],
      ['multipart/form-data; boundary=b', multipart],
      ['text/plain', JSON.stringify(GOOD)],
      ['application/vnd.api+json', JSON.stringify(GOOD)],
      ['text/json', JSON.stringify(GOOD)],
    ];
    for (const [type, body] of types) {
      expectInvalidBody(await post(body, { 'Content-Type': type }), 'Send the body as application/json.', []);
    }
    expectInvalidBody(await post(JSON.stringify(GOOD), {}), 'Send the body as application/json.', []);
  });

  it('is refused as a form that a parser of the host has read', async () => {
    const before = [express.urlencoded({ extended: true })];
    ({ client } = await servePayments(framework, { before }));
    const form = `email=${AWA.email}&password=${PASSWORD}`;
    const answer = await post(form, { 'Content-Type': 'application/x-www-form-urlencoded' });
    expectInvalidBody(answer, 'Send the body as application/json.', []);
  });

  it('is accepted with parameters and capitals in the media type', async () => {
    expect((await post(JSON.stringify(GOOD), { 'Content-Type': 'Application/JSON; charset=UTF-8' })).status).to.equal(
      200,
    );
  });

  it('is refused in another charset or encoding, and when it is corrupt', async () => {
    const latin = await post(JSON.stringify(GOOD), { 'Content-Type': 'application/json; charset=iso-8859-1' });
    expectInvalidBody(latin, 'The charset of the body is not supported. Send UTF-8.', []);
    const brotli = await post(JSON.stringify(GOOD), { ...JSON_TYPE, 'Content-Encoding': 'rot13' });
    expectInvalidBody(brotli, 'The Content-Encoding of the body is not supported.', []);
    const corrupt = await post('not gzip', { ...JSON_TYPE, 'Content-Encoding': 'gzip' });
    expectInvalidBody(corrupt, 'The body could not be read.', []);
    const compressed = await post(gzipSync(JSON.stringify(GOOD)), { ...JSON_TYPE, 'Content-Encoding': 'gzip' });
    expect(compressed.status).to.equal(200);
  });

  it('is refused over 16 KiB, announced or not, read by a parser of the host or not', async () => {
    const large = JSON.stringify({ ...GOOD, padding: 'x'.repeat(16_384) });
    const send = (chunked: boolean) => client.send('POST', '/v1/login', { body: large, headers: JSON_TYPE, chunked });
    expectInvalidBody(await send(false), 'The body is too large.', []);
    expectInvalidBody(await send(true), 'The body is too large.', []);
    ({ client } = await servePayments(framework, { before: [express.json()] }));
    expectInvalidBody(await send(false), 'The body is too large.', []);
  });

  it('is refused with a member over 16 KiB that a parser of the host read unannounced or decompressed', async () => {
    ({ client } = await servePayments(framework, { before: [express.json()] }));
    for (const field of ['email', 'password']) {
      const fields = (length: number) => JSON.stringify({ ...GOOD, [field]: '@'.repeat(length) });
      const answer = (body: string | Buffer, headers: object, chunked: boolean) =>
        client.send('POST', '/v1/login', { body, headers: { ...JSON_TYPE, ...headers }, chunked });
      const gzip = { 'Content-Encoding': 'gzip' };
      expectInvalidBody(await answer(fields(16_385), {}, true), 'The body is too large.', []);
      expectInvalidBody(await answer(gzipSync(fields(16_385)), gzip, false), 'The body is too large.', []);
      const message = `${field} must have at most 255 characters.`;
      const shorter = await answer(fields(16_384), {}, true);
      expectInvalidBody(shorter, message, [{ field, rule: 'maxLength', message }]);
    }
  });

  it('is refused when it has not arrived five seconds after its headers, and the connection is closed', async () => {
    let arrived = 0;
    ({ client } = await servePayments(framework, { before: [(_req, _res, next) => next(void (arrived += 1))] }));
    for (const headers of ['Content-Length: 60', 'Transfer-Encoding: chunked']) {
      const time = freezeTime();
      const socket = connect(client.port, '127.0.0.1').setEncoding('utf8');
      let received = '';
      socket.on('data', (chunk: string) => (received += chunk));
      const ended = once(socket, 'end');
      const before = arrived;
      socket.write(
        `POST /v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`,
      );
      await until(() => arrived > before);
      await settle();
      // Further bytes do not lengthen the time.
      time.pass(4.999);
      socket.write(headers.startsWith('Content') ? '{"email":' : '9\r\n{"email":\r\n');
      await settle();
      expect(received).to.equal('');
      time.pass(0.001);
      await ended;
      const [head = '', text = ''] = received.split('\r\n\r\n');
      expect(head).to.match(/^HTTP\/1\.1 400 /);
      expect(head).to.match(/^Connection: close\r?$/m);
      expect(JSON.parse(text)).to.deep.equal({
        status: 'Error',
        success: false,
        code: 400,
        error: 'invalid_body',
        message: 'Body not valid',
        description: 'The body did not arrive in time.',
        errors: [],
      });
      socket.destroy();
    }
  });

  it('may arrive in pieces, if all of it is there after five seconds', async () => {
    const time = freezeTime();
    const bytes = JSON.stringify(GOOD);
    const socket = connect(client.port, '127.0.0.1').setEncoding('utf8');
    const head = `POST /v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${bytes.length}`;
    for (const piece of [`${head}\r\n\r\n`, bytes.slice(0, 20), bytes.slice(20)]) {
      time.pass(1.5);
      await settle();
      socket.write(piece);
    }
    const [answer] = (await once(socket, 'data')) as [string];
    expect(answer).to.match(/^HTTP\/1\.1 200 /);
    time.pass(60);
    await settle();
    expect(socket.readableEnded).to.equal(false);
    socket.destroy();
  });

  it('is used as a parser of the host left it: object, Buffer or text', async () => {
    const parsers = [express.json(), express.raw({ type: '*/*' }), express.text({ type: '*/*' })];
    for (const parser of parsers) {
      ({ client } = await servePayments(framework, { before: [parser] }));
      expect((await post(GOOD)).status).to.equal(200);
      expectWrongCredentials(await post({ ...GOOD, password: 'not the password' }));
    }
  });

  it('is refused when a parser of the host replaced it by null, or removed it', async () => {
    ({ client } = await servePayments(framework, { before: [express.json({ strict: false })] }));
    expectInvalidBody(await post('null'), 'The body must be a JSON object.', []);
    ({ client } = await servePayments(framework, {
      before: [
        express.raw({ type: '*/*' }),
        (req, _res, next) => {
          req.body = undefined;
          next();
        },
      ],
    }));
    expectInvalidBody(await post(GOOD), 'The body could not be read.', []);
  });
});

import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import express from 'express';
import { type BodyLimits, createJsonReader, type IncomingRequest } from '../../src/body/read-json.js';
import { authErrorHandler } from '../../src/index.js';
import { expectInvalidBody, INVALID_BODY } from '../helpers/answers.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { type Client, serve } from '../helpers/http.js';
import { rejectionOf } from '../helpers/thrown.js';
import { settle } from '../helpers/until.js';

describe('createJsonReader', () => {
  const LIMIT = 1_000;
  const TOO_LARGE = 'The body is larger than 1000 bytes. Send less.';

  /** A server that answers with the length of the JSON that it has read. */
  async function serveReader(): Promise<Client> {
    const readJson = createJsonReader({ bytes: LIMIT });
    const app = express();
    app.use((req, res, next) => {
      readJson(req, res).then(({ value, text }) => res.json({ length: text.length, isSame: value === req.body }), next);
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
    const read = createJsonReader({ bytes: LIMIT })(request({ 'content-length': '1001' }), {} as never);
    expect(await rejectionOf(read)).to.include({ code: INVALID_BODY, description: TOO_LARGE });
  });

  it('reads a paused stream that no header announces, and leaves headers and listeners as they were', async () => {
    for (const headers of [{}, { 'content-length': '7' }, { 'transfer-encoding': 'chunked' }]) {
      const req = request({ ...headers });
      req.pause();
      const read = createJsonReader({ bytes: LIMIT })(req, {} as never);
      expect(req.headers).to.deep.equal(headers);
      req.end('{"a":1}');
      expect(await read).to.deep.equal({ value: { a: 1 }, text: '{"a":1}' });
      expect(req).to.have.property('_body', true);
      expect(req.listenerCount('data')).to.equal(0);
    }
  });

  it('refuses a body that is late, whatever pieces have come, and only if there is a time limit', async () => {
    const time = freezeTime();
    const read = (limits: Partial<BodyLimits>) => {
      const req = request({});
      return { req, body: createJsonReader({ bytes: LIMIT, ...limits })(req, {} as never) };
    };
    const late = read({ timeoutMs: 5_000 });
    const punctual = read({ timeoutMs: 5_000 });
    const patient = read({});
    time.pass(4.999);
    late.req.write('{');
    punctual.req.end('{}');
    expect((await punctual.body).value).to.deep.equal({});
    const rejection = rejectionOf(late.body);
    await settle();
    time.pass(0.001);
    expect(await rejection).to.include({ code: INVALID_BODY, description: 'The body did not arrive in time.' });
    time.pass(120);
    patient.req.end('{}');
    expect((await patient.body).value).to.deep.equal({});
  });

  it('takes an object, an array and nothing, and refuses other JSON, as express.json() does', async () => {
    for (const [text, value] of Object.entries({ '{"a":1}': { a: 1 }, ' [1]': [1], '': {} })) {
      const req = request({});
      const read = createJsonReader({ bytes: LIMIT })(req, {} as never);
      req.end(text);
      expect(await read).to.deep.equal({ value, text });
    }
    const description = 'The body is not a valid JSON object or array.';
    for (const text of ['"a"', 'null', '1', '{', '{"a":1}}']) {
      const req = request({});
      const rejection = rejectionOf(createJsonReader({ bytes: LIMIT })(req, {} as never));
      req.end(text);
      const error = await rejection;
      expect(error, text).to.include({ code: INVALID_BODY, description }).and.not.have.property('cause');
    }
  });

  it('knows the labels of UTF-8, and refuses other charsets', async () => {
    for (const charset of ['utf-8', '"UTF-8"', 'utf8', 'US-ASCII']) {
      const headers = { 'content-type': `application/json; charset=${charset}` };
      const req = request(headers);
      const read = createJsonReader({ bytes: LIMIT })(req, {} as never);
      req.end('{"a":"é"}');
      expect((await read).value, charset).to.deep.equal({ a: 'é' });
      expect(req.headers).to.deep.equal({ 'content-type': `application/json; charset=${charset}` });
    }
    const wide = request({ 'content-type': 'application/json; charset=utf-16' });
    const read = createJsonReader({ bytes: LIMIT })(wide, {} as never);
    wide.end(Buffer.from('\ufeff{"a":"é"}', 'utf16le'));
    expect(await read).to.deep.equal({ value: { a: 'é' }, text: '{"a":"é"}' });
    const description = 'The charset of the body is not supported. Send UTF-8.';
    for (const charset of ['latin1', 'utf-7', 'utf-32', 'utf-_8']) {
      const other = request({ 'content-type': `application/json; charset=${charset}` });
      const read = createJsonReader({ bytes: LIMIT })(other, {} as never);
      expect(await rejectionOf(read), charset).to.include({ description });
    }
  });

  it('refuses bytes that are not UTF-8, and takes a byte order mark and U+FFFD', async () => {
    const latin = Buffer.from('{"a":"é"}', 'latin1');
    const bytesOf = (hex: string) => Buffer.from(`7b2261223a22${hex}227d`, 'hex');
    const description = 'The body is not valid UTF-8. Encode its text as UTF-8.';
    for (const [name, bytes, headers = {}] of [
      ['Latin-1', latin],
      ['Latin-1 that its type calls UTF-8', latin, { 'content-type': 'application/json; charset=utf8' }],
      ['compressed Latin-1', gzipSync(latin), { 'content-encoding': 'gzip' }],
      ['UTF-16 without its charset', Buffer.from('\ufeff{"a":"é"}', 'utf16le')],
      ['an overlong form', bytesOf('c0af')],
      ['a surrogate', bytesOf('eda080')],
      ['the first byte of a character', latin.subarray(0, 7)],
    ] as const) {
      const req = request({ ...headers });
      const rejection = rejectionOf(createJsonReader({ bytes: LIMIT })(req, {} as never));
      req.end(bytes);
      // The error of the parser has the body.
      expect(await rejection, name)
        .to.include({ code: INVALID_BODY, description })
        .and.not.have.property('cause');
    }
    for (const text of ['{"a":"\ufffd"}', '\ufeff{"a":"\ufffd"}']) {
      const req = request({});
      const read = createJsonReader({ bytes: LIMIT })(req, {} as never);
      req.end(text);
      expect((await read).value).to.deep.equal({ a: '\ufffd' });
    }
  });
});

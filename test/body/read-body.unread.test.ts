import { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { createBodyReader } from '../../src/body/read-body.js';
import type { IncomingRequest } from '../../src/body/read-json.js';
import { INVALID_BODY, LOST_BODY } from '../helpers/answers.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { rejectionOf } from '../helpers/thrown.js';
import { settle } from '../helpers/until.js';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const MULTIPART = 'multipart/form-data; boundary=b';
const TEXT = '{"a":1}';
const PLAIN = Object.create(null) as object;
const NONE = { kind: 'none' };
const UNSEEN = { kind: 'unseen' };
const value = (body: unknown, text?: string) => ({ kind: 'value', value: body, ...(text !== undefined && { text }) });
const unparsed = { ...value({ a: 1 }), text: TEXT };

const read = createBodyReader({ bytes: 1_000 }, 14);
const headersOf = (length: number | undefined, type: string) => ({
  ...(type !== '' && { 'content-type': type }),
  ...(length !== undefined && { 'content-length': String(length) }),
});

describe('createBodyReader, when a parser has read the stream', () => {
  const CASES = {
    'JSON that body-parser 1 parsed': [28, JSON_TYPE, { body: {}, _body: true }, value({})],
    'a form that body-parser 1 parsed': [28, FORM, { body: {}, _body: true }, value({})],
    'text that body-parser 1 read': [28, 'text/plain', { body: {}, _body: true }, UNSEEN],
    'a form of which {} is left': [28, FORM, { body: {} }, UNSEEN],
    'an unannounced body of which {} is left': [undefined, JSON_TYPE, { body: {} }, UNSEEN],
    'a body without a type of which {} is left': [28, '', { body: {} }, UNSEEN],
    'a body as long as the name of the reference': [14, JSON_TYPE, { body: {} }, UNSEEN],
    'a body too short for a reference': [13, JSON_TYPE, { body: {} }, value({})],
    'a body whose length a middleware shortened': [
      13,
      JSON_TYPE,
      { body: {}, rawHeaders: ['Content-Length', '28'] },
      UNSEEN,
    ],
    'a short body beside headers that name a length': [
      13,
      JSON_TYPE,
      {
        body: {},
        rawHeaders: ['X-Content-Length', '28', 'Content-Length-Of', '28', 'Vary', 'content-length', 'A', '28'],
      },
      value({}),
    ],
    'null that a lenient parser left': [4, JSON_TYPE, { body: null }, value(null)],
    'an empty array': [28, JSON_TYPE, { body: [] }, value([])],
    'an object without a prototype, which multer leaves': [28, MULTIPART, { body: PLAIN }, value(PLAIN)],
    'JSON as text': [28, 'application/vnd.api+json', { body: TEXT }, unparsed],
    'JSON as bytes in UTF-8': [28, `${JSON_TYPE}; charset=utf8`, { body: Buffer.from(TEXT) }, unparsed],
    'JSON as bytes with a byte order mark': [28, JSON_TYPE, { body: Buffer.from(`\ufeff${TEXT}`) }, unparsed],
    'bytes in another charset': [28, `${JSON_TYPE}; charset=utf-7`, { body: Buffer.from(TEXT) }, UNSEEN],
    'text that was decoded from another charset': [28, `${JSON_TYPE}; charset=utf-7`, { body: TEXT }, unparsed],
    'JSON with a second type': [28, `${JSON_TYPE}, text/plain`, { body: TEXT }, UNSEEN],
    'JSON with an unfinished parameter': [28, `${JSON_TYPE}; charset="utf-8`, { body: TEXT }, unparsed],
    'text with a type that is not one': [28, ';\xff=/', { body: TEXT }, UNSEEN],
    'bytes without a type': [28, '', { body: Buffer.from(TEXT) }, UNSEEN],
    'text of another format': [28, 'application/json-seq', { body: TEXT }, UNSEEN],
    'a container': [28, JSON_TYPE, { body: new Map([['a', 1]]) }, UNSEEN],
    'what a parser left before the end': [28, JSON_TYPE, { body: { a: 1 }, readableEnded: false }, UNSEEN],
    'a function': [4, JSON_TYPE, { body: () => undefined }, UNSEEN],
    nothing: [4, JSON_TYPE, {}, UNSEEN],
  } as const;
  for (const [name, [length, type, members, body]] of Object.entries(CASES)) {
    it(`takes ${name} as ${body.kind}`, async () => {
      const stream = { readableDidRead: true, readableEnded: true, complete: true };
      const req = { headers: headersOf(length, type), ...stream, ...members } as unknown as IncomingRequest;
      expect(await read(req, {} as never)).to.deep.equal(body);
    });
  }

  it('refuses bytes that are not UTF-8, because others drop them from a name', async () => {
    const body = Buffer.from('{"\xffrefercence_cl":"CNT-1002"}', 'latin1');
    const stream = { readableDidRead: true, readableEnded: true, complete: true };
    const req = { headers: headersOf(28, JSON_TYPE), ...stream, body } as unknown as IncomingRequest;
    const description = 'The body is not valid UTF-8. Encode its text as UTF-8.';
    expect(await rejectionOf(read(req, {} as never))).to.include({ code: INVALID_BODY, description });
  });
});

describe('createBodyReader, behind a serverless adapter', () => {
  /** Makes the request of an adapter, whose stream is complete and gives its bytes when it is read. */
  function request(type: string, body: unknown, bytes = body, length?: number): IncomingRequest {
    const req = new IncomingMessage({ readable: true } as never);
    req._read = () => {
      if (typeof bytes === 'string' || Buffer.isBuffer(bytes)) req.push(bytes);
      req.push(null);
    };
    const given = body === undefined ? {} : { body };
    return Object.assign(req, { complete: true, headers: headersOf(length, type), ...given });
  }

  it('reads the text or bytes that it left, and finds the value again', async () => {
    for (const [type, body, seen, length] of [
      [JSON_TYPE, TEXT, { a: 1 }],
      // The gateway has decompressed the body.
      [JSON_TYPE, TEXT, { a: 1 }, 5],
      ['application/vnd.api+json; charset=utf8', Buffer.from(TEXT), { a: 1 }],
      [JSON_TYPE, '{}', {}],
      [JSON_TYPE, '[]', []],
    ] as const) {
      for (const isReadable of [true, false]) {
        const req = request(type, body, body, length);
        Object.assign(req, { readable: isReadable });
        expect(await read(req, {} as never)).to.deep.equal(value(seen, String(body)));
        expect(await read(req, {} as never)).to.deep.equal(value(seen));
        expect(req.body).to.deep.equal(seen);
        // Parsers behind the guard find a body that was read.
        expect(req).to.include({ readableEnded: true, _body: true });
      }
    }
  });

  it('refuses text that the parser of Express refuses, and bytes that are not UTF-8', async () => {
    for (const [type, body, description] of [
      [JSON_TYPE, '{"a":', 'The body is not a valid JSON object or array.'],
      [JSON_TYPE, JSON.stringify(['x'.repeat(1_000)]), 'The body is larger than 1000 bytes. Send less.'],
      [JSON_TYPE, Buffer.from('{"a":"é"}', 'latin1'), 'The body is not valid UTF-8. Encode its text as UTF-8.'],
      [`${JSON_TYPE}; charset=latin1`, TEXT, 'The charset of the body is not supported. Send UTF-8.'],
    ] as const) {
      const error = await rejectionOf(read(request(type, body), { setHeader: () => undefined } as never));
      expect(error).to.include({ code: INVALID_BODY, description });
    }
  });

  const CASES = {
    'text of another type': [request(FORM, 'a=1'), UNSEEN],
    'an object': [request(JSON_TYPE, { a: 1 }), value({ a: 1 })],
    'an object, although its text is in the stream': [request(FORM, { a: '1' }, 'a=1'), value({ a: '1' })],
    'JSON that is only in the stream': [request(JSON_TYPE, undefined, TEXT, 7), value({ a: 1 }, TEXT)],
    'JSON in the stream that nothing announces': [request(JSON_TYPE, undefined, TEXT), value({ a: 1 }, TEXT)],
    'a form that is only in the stream': [request(FORM, undefined, 'a=1', 3), UNSEEN],
    'a form behind a parser that left {}': [request(FORM, {}, 'a=1', 28), UNSEEN],
    nothing: [request('', undefined), NONE],
    'an empty text': [request(JSON_TYPE, '', undefined, 0), NONE],
    'a body too short for a reference, as {}': [request(JSON_TYPE, {}, undefined, 2), value({})],
  } as const;
  for (const [name, [req, body]] of Object.entries(CASES)) {
    it(`takes ${name} as ${body.kind}`, async () => {
      expect(await read(req, {} as never)).to.deep.equal(body);
      expect('body' in req).to.equal(true);
    });
  }

  it('reads the stream of an adapter to its end when an object is checked, so that no parser finds other bytes', async () => {
    const req = request(JSON_TYPE, { a: 1 }, '{"refercence_cl":"CNT-1002"}');
    await read(req, {} as never);
    await settle();
    expect([req.readableDidRead, req.readableEnded]).to.deep.equal([true, true]);
    expect(await read(req, {} as never)).to.deep.equal(value({ a: 1 }));
  });

  it('blames the host, and warns once, when an announced body is nowhere', async () => {
    const warnings = collectWarnings();
    const readLogin = createBodyReader({ bytes: 1_000, timeoutMs: 5_000 }, 14);
    for (const [reader, body] of [
      [read, undefined],
      [read, {}],
      [read, ''],
      [readLogin, undefined],
    ] as const) {
      const error = await rejectionOf(reader(request(JSON_TYPE, body, undefined, 28), {} as never));
      expect(error).to.include({ code: LOST_BODY, detail: warnings[0] });
    }
    expect(warnings).to.deep.equal([
      'A body was announced, and neither the stream nor req.body has it. Something before this package took it, for ' +
        'example a serverless adapter. Put it into req.body.',
    ]);
  });
});

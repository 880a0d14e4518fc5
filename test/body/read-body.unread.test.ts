import { expect } from 'chai';
import { createBodyReader } from '../../src/body/read-body.js';
import type { IncomingRequest } from '../../src/body/read-stream.js';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const MULTIPART = 'multipart/form-data; boundary=b';
const BYTES = Buffer.from('{"a":1}');
const PLAIN = Object.create(null) as object;
const NONE = { kind: 'none' };
const UNSEEN = { kind: 'unseen' };
const value = (body: unknown) => ({ kind: 'value', value: body });

/** A stream that a parser has read, that nobody has read, and the request of a serverless adapter without a stream. */
const READ = { readableDidRead: true, readableEnded: true };
const UNREAD = { readableDidRead: false, readableEnded: false };
const ADAPTER = {};

/** Reads the body of a request that announces `length` bytes of a `type`. */
function view(stream: object, length: number, type: string, members: object) {
  const headers = {
    ...(type !== '' && { 'content-type': type }),
    ...(length > 0 && { 'content-length': `${length}` }),
  };
  const req = { headers, ...stream, ...members } as unknown as IncomingRequest;
  return createBodyReader({ bytes: 1_000 })(req, {} as never);
}

describe('createBodyReader, without reading a stream', () => {
  const CASES = {
    'no body': [UNREAD, 0, '', {}, NONE],
    'the {} of Express 4 for no body': [UNREAD, 0, '', { body: {} }, NONE],
    'an empty body of a known type': [READ, 0, JSON_TYPE, { body: {} }, NONE],
    'an empty value of an adapter, without a type': [ADAPTER, 28, '', { body: {} }, NONE],
    'an empty value of an adapter, with a type': [ADAPTER, 28, 'text/plain', { body: {} }, UNSEEN],
    'an empty value of a body without a type that was read': [READ, 28, '', { body: {} }, UNSEEN],
    'JSON that body-parser 1 parsed': [READ, 28, JSON_TYPE, { body: {}, _body: true }, value({})],
    'a form that body-parser 1 parsed': [READ, 28, FORM, { body: {}, _body: true }, value({})],
    'text that body-parser 1 read': [READ, 28, 'text/plain', { body: {}, _body: true }, UNSEEN],
    'a form of which {} is left': [READ, 28, FORM, { body: {} }, UNSEEN],
    'a body as long as the name of the reference': [READ, 14, JSON_TYPE, { body: {} }, UNSEEN],
    'a body too short for a reference': [READ, 13, JSON_TYPE, { body: {} }, value({})],
    'null that a lenient parser left': [READ, 4, JSON_TYPE, { body: null }, value(null)],
    'an object without a prototype, which multer leaves': [READ, 28, MULTIPART, { body: PLAIN }, value(PLAIN)],
    'a value of an adapter': [ADAPTER, 28, JSON_TYPE, { body: { a: 1 } }, value({ a: 1 })],
    'bytes of an adapter': [ADAPTER, 28, JSON_TYPE, { body: BYTES }, value({ a: 1 })],
    'a value without an announced body': [UNREAD, 0, '', { body: { a: 1 } }, value({ a: 1 })],
    'bytes in another charset': [READ, 28, `${JSON_TYPE}; charset=utf-7`, { body: BYTES }, UNSEEN],
    'bytes without a type': [READ, 28, '', { body: BYTES }, UNSEEN],
    'a function': [READ, 28, JSON_TYPE, { body: () => undefined }, UNSEEN],
    'nothing, although a stream was read': [READ, 28, JSON_TYPE, {}, UNSEEN],
    'text of a format on JSON': [READ, 28, 'application/vnd.api+json', { body: '{"a":1}' }, value({ a: 1 })],
    'text of another format': [READ, 28, 'application/json-seq', { body: '{"a":1}' }, UNSEEN],
    'a body of another type, without a look at its bytes': [UNREAD, 28, 'text/plain', {}, UNSEEN],
  } as const;

  for (const [name, [stream, length, type, members, body]] of Object.entries(CASES)) {
    it(`takes ${name} as ${body.kind}`, async () => {
      expect(await view(stream, length, type, members)).to.deep.equal(body);
    });
  }
});

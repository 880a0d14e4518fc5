import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { type BodyKind, hidesMembers, kindOf } from '../../src/body/body-kind.js';

const hidden = (json: string): unknown => Object.assign({}, JSON.parse(json));

const form = new FormData();
form.set('a', '1');

class Payment {
  readonly amount = 1;
}

class Lazy {
  get amount(): number {
    return Date.now();
  }
}

/** The values of each kind. A kind without a row does not compile. */
const VALUES: Readonly<Record<BodyKind, readonly unknown[]>> = {
  absent: [undefined],
  text: ['{}', Buffer.from('{}'), new Uint8Array(2)],
  empty: [
    {},
    JSON.parse('{}'),
    null,
    0,
    1n,
    true,
    Symbol('a'),
    '',
    Buffer.alloc(0),
    [],
    new Map(),
    new Set(),
    new URLSearchParams(),
    new FormData(),
    new Headers(),
    runInNewContext('({})'),
    runInNewContext('new Map()'),
    runInNewContext('new Set()'),
  ],
  visible: [
    { a: 1 },
    ['a'],
    Object.assign([], { a: 1 }),
    new Map([['a', 1]]),
    Object.assign(new Map(), { a: 1 }),
    new Set(['a']),
    new URLSearchParams('a'),
    form,
    new Headers({ a: '1' }),
    runInNewContext('({ a: 1 })'),
    runInNewContext('new Map([["a", 1]])'),
    runInNewContext('new Set(["a"])'),
    Object.create(null),
    JSON.parse('{"__proto__":{}}'),
    hidden('{"__proto__":{"a":1}}'),
    hidden('{"__proto__":{}}'),
    hidden('{"__proto__":{"constructor":1,"a":1}}'),
    new Payment(),
  ],
  opaque: [
    () => undefined,
    Payment,
    new ArrayBuffer(8),
    new SharedArrayBuffer(8),
    new DataView(new ArrayBuffer(8)),
    new Int8Array(8),
    new Uint16Array(8),
    new Blob(['a']),
    new String('a'),
    new Number(1),
    Readable.from(['a']),
    new ReadableStream(),
    new Response('a'),
    new Date(),
    /a/,
    new Error('a'),
    Promise.resolve('a'),
    new WeakMap(),
    new Lazy(),
  ],
};

describe('kindOf', () => {
  for (const [kind, values] of Object.entries(VALUES)) {
    it(`recognizes ${kind}`, () => {
      for (const value of values) {
        const name = Object.prototype.toString.call(value);
        expect(kindOf(value), name).to.equal(kind);
      }
    });
  }
});

describe('hidesMembers', () => {
  it('is true for an opaque object that can hold text of the caller, and false for a date or a file', () => {
    const files = [new Date(), new Blob(['a']), Readable.from(['a'])];
    for (const value of [...files, {}, { a: 1 }, [], Buffer.from('a')]) expect(hidesMembers(value)).to.equal(false);
    for (const value of [new Lazy(), new String('a'), new DataView(new ArrayBuffer(8)), /a/]) {
      expect(hidesMembers(value)).to.equal(true);
    }
  });
});

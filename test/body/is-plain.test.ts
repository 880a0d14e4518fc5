import { Readable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { isPlain } from '../../src/body/is-plain.js';

class Payment {
  readonly amount = 1;
}

class Lazy {
  get amount(): number {
    return Date.now();
  }
}

/** Makes the prototype of an object a value of the caller, as copy loops do. */
const copy = (json: string): object => Object.assign({}, JSON.parse(json)) as object;

describe('isPlain', () => {
  it('is true for arrays, plain objects of any realm, and instances with members', () => {
    const others = runInNewContext('[{}, [], { a: 1 }]') as object[];
    const plain = [
      {},
      [],
      Object.assign(['a'], { b: 1 }),
      Object.create(null) as object,
      JSON.parse('{"__proto__":1}') as object,
      Object.create(Object.create(null) as object) as object,
      Object.create(Object.create({}) as object) as object,
    ];
    class Refund extends Payment {}
    for (const value of [...plain, new Payment(), new Refund(), ...others]) expect(isPlain(value)).to.equal(true);
  });

  it('is false for each object that holds more than a loop shows', () => {
    for (const value of [
      new Map([['a', 1]]),
      Object.assign(new Map(), { a: 1 }),
      new Set(['a']),
      new URLSearchParams('a=1'),
      Object.assign(new FormData(), { a: 1 }),
      new Headers({ a: '1' }),
      new Blob(['a']).stream(),
      Object.assign(Readable.from(['a']), { a: 1 }),
      new String('a'),
      Promise.resolve('a'),
      new WeakMap(),
      new Date(),
      new ArrayBuffer(8),
      new Lazy(),
      Object.create(new Map()) as object,
      Object.create(new Lazy()) as object,
      ...(runInNewContext('[new Map(), new Set(), new String("a")]') as object[]),
    ]) {
      expect(isPlain(value), Object.prototype.toString.call(value)).to.equal(false);
    }
  });

  it('is false for a prototype that is not a class, because an own member can hide one of it', () => {
    for (const value of [
      copy('{"__proto__":{"a":1}}'),
      copy('{"a":1,"__proto__":{"a":2}}'),
      copy('{"__proto__":{"constructor":{"prototype":{}}}}'),
      Object.create(new Payment()) as object,
    ]) {
      expect(isPlain(value)).to.equal(false);
    }
  });
});

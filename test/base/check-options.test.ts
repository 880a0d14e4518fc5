import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import vm from 'node:vm';
import { expect } from 'chai';
import * as auth from '../../src/index.js';
import { expectTypeError } from '../helpers/thrown.js';
import { checkInteger, checkMethods, checkOptions, isFilledString } from '../../src/base/check-options.js';

describe('checkOptions', () => {
  const check = (options: unknown) => checkOptions('createThing', options as object, { colour: true, size: true });

  it('accepts the known options, any of them omitted or undefined', () => {
    check({});
    check({ colour: 'red' });
    check({ colour: undefined, size: 1 });
    check(Object.create(null));
  });

  it('names an unknown option, even one that Object.prototype has, and the known ones', () => {
    for (const name of ['color', 'Size', 'constructor', '__proto__']) {
      const options: unknown = JSON.parse(`{ "size": 1, "${name}": true }`);
      expectTypeError(() => check(options), `createThing: unknown option "${name}". Known options: colour, size.`);
    }
  });

  it('rejects all but plain objects, because the options of an instance could be inherited', () => {
    class Options {
      colour = 'red';
    }
    const objects: unknown[] = [new Options(), new Map([['colour', 'red']]), Object.create({ colour: 'red' })];
    for (const options of [...objects, null, undefined, [], 'colour', 5, () => ({})]) {
      expectTypeError(() => check(options), 'createThing: the options must be a plain object, { name: value }.');
    }
  });

  // Within Jest, structuredClone gives such objects.
  it('accepts a plain object of another realm', () => {
    check(vm.runInNewContext('({ colour: "red" })'));
  });

  it('says how to call the factory when it was used as a middleware', () => {
    const message = 'createThing was used as a middleware. Call it: app.use(createThing(...)).';
    const request = new IncomingMessage(new Socket());
    expectTypeError(() => check(request), message);
    // Express gives each request another prototype.
    expectTypeError(() => check(Object.create(request)), message);
  });
});

describe('checkDefined', () => {
  it('refuses undefined tokens of a guard, and an undefined place of a reference, because the default checks less', () => {
    const factories: readonly (readonly [string, string, (options: object) => unknown])[] = [
      ['requireBearer', 'tokens', (options) => auth.requireBearer(options)],
      ['createGuard', 'tokens', (options) => auth.createGuard(options)],
      ['requireOwnReference', 'from', (options) => auth.requireOwnReference(options)],
    ];
    for (const [factory, name, make] of factories) {
      const problem = `${name} is undefined, which can be due to an import cycle. Leave it out for the default.`;
      expectTypeError(() => make({ [name]: undefined }), `${factory}: ${problem}`);
    }
  });
});

describe('checkMethods', () => {
  const check = (value: unknown) => checkMethods('createThing: the box', value, ['open', 'shut'], 'Give a Box.');

  it('accepts own and inherited methods', () => {
    class Box {
      open() {
        return this;
      }
      shut = () => this;
    }
    check(new Box());
  });

  it('names the first method that is missing', () => {
    for (const value of [undefined, null, 5, 'open', {}, { open: true }, { shut: check }]) {
      expectTypeError(() => check(value), 'createThing: the box has no method open. Give a Box.');
    }
    expectTypeError(() => check({ open: check }), 'createThing: the box has no method shut. Give a Box.');
    expectTypeError(() => check({ open: check, shut: null }), 'createThing: the box has no method shut. Give a Box.');
  });
});

describe('checkInteger', () => {
  it('accepts whole numbers, both bounds included', () => {
    for (const value of [2, 3, 4]) checkInteger('createThing: size', value, 2, 4);
    checkInteger('createThing: size', 2, 2);
    checkInteger('createThing: size', Number.MAX_SAFE_INTEGER, 2);
  });

  it('refuses anything else and names the range', () => {
    for (const value of [1, 5, 2.5, NaN, Infinity, -Infinity, '3', 3n, null, undefined, [3]]) {
      expectTypeError(
        () => checkInteger('createThing: size', value, 2, 4),
        'createThing: size must be a whole number from 2 to 4.',
      );
    }
  });
});

describe('isFilledString', () => {
  it('is true for a string of one character or more, and for nothing else', () => {
    for (const value of ['a', ' ', '0', '\0']) expect(isFilledString(value)).to.equal(true);
    for (const value of ['', undefined, null, 0, 1, true, [], ['a'], {}, Object('a')]) {
      expect(isFilledString(value)).to.equal(false);
    }
  });
});

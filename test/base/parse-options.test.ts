import { expect } from 'chai';
import { BRAND } from '../../src/base/another-copy.js';
import {
  asGiven,
  callback,
  madeBy,
  oneOf,
  type OptionParsers,
  parseOptions,
  wholeNumber,
} from '../../src/base/parse-options.js';
import { expectTypeError } from '../helpers/thrown.js';

interface PaintOptions {
  readonly size?: number;
  readonly colour?: string;
}

const OPTIONS = {
  size: wholeNumber({ least: 1, most: 9, fallback: 3 }),
  colour: asGiven<string | undefined>,
} satisfies OptionParsers<PaintOptions>;

describe('parseOptions', () => {
  const parse = (options: unknown) => parseOptions('createPaint', options as object, OPTIONS);

  it('returns a configuration with every option, parsed or with its default', () => {
    expect(parse({})).to.deep.equal({ size: 3, colour: undefined });
    expect(parse({ size: undefined })).to.deep.equal({ size: 3, colour: undefined });
    expect(parse({ size: 9, colour: 'red' })).to.deep.equal({ size: 9, colour: 'red' });
  });

  it('names the factory, the option and the known ones in its errors', () => {
    expectTypeError(() => parse({ color: 'red' }), 'createPaint: unknown option "color". Known options: size, colour.');
    expectTypeError(() => parse({ size: 10 }), 'createPaint: size must be a whole number from 1 to 9.');
    expectTypeError(() => parse([]), 'createPaint: the options must be a plain object, { name: value }.');
  });
});

describe('wholeNumber', () => {
  it('is required without a default', () => {
    const parse = wholeNumber({ least: 1 });
    expect(parse('createPaint: size', 1)).to.equal(1);
    for (const value of [undefined, null, 0, 1.5, '1']) {
      expectTypeError(() => parse('createPaint: size', value), 'createPaint: size must be a whole number at least 1.');
    }
  });

  it('takes the default only for undefined', () => {
    const parse = wholeNumber({ least: 1, fallback: 5 });
    expect(parse('createPaint: size', undefined)).to.equal(5);
    expectTypeError(() => parse('createPaint: size', null), 'createPaint: size must be a whole number at least 1.');
  });
});

describe('oneOf', () => {
  it('accepts each of the texts, returns the first for undefined, and rejects any other value', () => {
    const parse = oneOf(['matt', 'gloss']);
    expect(parse('createPaint: finish', 'matt')).to.equal('matt');
    expect(parse('createPaint: finish', 'gloss')).to.equal('gloss');
    expect(parse('createPaint: finish', undefined)).to.equal('matt');
    for (const value of [null, '', 'Gloss', ['gloss'], 1]) {
      const message = "createPaint: finish must be one of 'matt', 'gloss'.";
      expectTypeError(() => parse('createPaint: finish', value), message);
    }
  });
});

describe('callback', () => {
  it('accepts a function, returns the default for undefined, and rejects any other value', () => {
    const [given, fallback] = [() => 'given', () => 'fallback'];
    expect(callback(fallback)('createPaint: mix', given)).to.equal(given);
    expect(callback(fallback)('createPaint: mix', undefined)).to.equal(fallback);
    expect(callback<unknown>(undefined)('createPaint: mix', undefined)).to.equal(undefined);
    for (const value of [null, 'mix', {}]) {
      expectTypeError(
        () => callback<unknown>(undefined)('createPaint: mix', value),
        'createPaint: mix must be a function.',
      );
    }
  });
});

describe('madeBy', () => {
  class Brush {
    static readonly [BRAND] = 'Brush';
    readonly hairs = 100;
  }
  const createBrush = () => new Brush();

  it('accepts an instance, and makes one for undefined', () => {
    const brush = createBrush();
    expect(madeBy(createBrush, Brush)('createPaint: brush', brush)).to.equal(brush);
    expect(madeBy(createBrush, Brush)('createPaint: brush', undefined)).to.be.instanceOf(Brush);
  });

  it('rejects any other value, even a copy of an instance', () => {
    for (const value of [null, {}, Object.assign({}, createBrush()), createBrush, false]) {
      expectTypeError(
        () => madeBy(createBrush, Brush)('createPaint: brush', value),
        'createPaint: brush must be what createBrush(...) returned.',
      );
      expectTypeError(
        () => madeBy(createBrush, Brush, ', or a comb')('createPaint: brush', value),
        'createPaint: brush must be what createBrush(...) returned, or a comb.',
      );
    }
  });
});

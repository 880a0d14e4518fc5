import { expect } from 'chai';
import fc from 'fast-check';
import { withoutSecret } from '../src/without-secret.js';

const toJson = (text: string) => JSON.stringify(text).slice(1, -1);
const toHex = (code: number) => code.toString(16);
const unitsOf = (character: string) => character.split('').map((unit) => toHex(unit.charCodeAt(0)).padStart(4, '0'));
const codeOf = (character: string) => character.codePointAt(0) ?? 0;
const NAMES: Readonly<Record<string, string>> = { '"': '&quot;', '<': '&lt;', '&': '&amp;', é: '&eacute;' };

/** The ways in which services write a character. */
const ESCAPES: Readonly<Record<string, (character: string) => string>> = {
  'as itself': (character) => character,
  JSON: toJson,
  'JSON in a string of JSON': (character) => toJson(toJson(character)),
  'JSON of PHP': (character) => toJson(character).replace('/', '\\/'),
  'JSON in hex': (character) => unitsOf(character).reduce((text, unit) => `${text}\\u${unit}`, ''),
  'JSON in capital hex': (character) =>
    unitsOf(character).reduce((text, unit) => `${text}\\u${unit.toUpperCase()}`, ''),
  'HTML with names': (character) => NAMES[character] ?? character,
  'HTML in decimals': (character) => `&#0${codeOf(character)};`,
  'HTML in hex': (character) => `&#x${toHex(codeOf(character))};`,
  'HTML in capital hex': (character) => `&#X${toHex(codeOf(character)).toUpperCase()};`,
  'HTML that is escaped twice': (character) => `&amp;#${codeOf(character)};`,
  'HTML in JSON': (character) => `\\u0026#${codeOf(character)};`,
  'JSON in HTML': (character) => toJson(character).replace('"', '&quot;'),
};

describe('withoutSecret', () => {
  const plain = ['a', 'n', '9', ' ', '"', '\\', '/', '<', '&', ';', 'é', '\b', '\f', '\n', '\r', '\t', '\u{1F333}'];
  const characters = fc.array(fc.tuple(fc.constantFrom(...plain), fc.constantFrom(...Object.values(ESCAPES))), {
    maxLength: 8,
  });
  const written = (pairs: [string, (character: string) => string][]) =>
    pairs.map(([character, escape]) => escape(character)).join('');

  it('hides a text that contains a secret in any mixture of escapes', () => {
    const property = fc.property(characters, (pairs) => {
      const secret = `bao${pairs.map(([character]) => character).join('')}\\`;
      const text = `Bad: bao${written(pairs)}\\\\`;
      fc.pre(!text.includes(secret));
      expect(withoutSecret(text, secret)).to.equal('***');
    });
    fc.assert(property, { seed: 20_260_401, numRuns: 2_000 });
  });

  it('leaves a text without the secret as it is, with any mixture of escapes', () => {
    const property = fc.property(characters, characters, (before, after) => {
      const text = `${written(before)}bao-202${written(after)}`;
      expect(withoutSecret(text, 'bao-2026')).to.equal(text);
    });
    fc.assert(property, { seed: 20_260_401, numRuns: 1_000 });
  });

  it('removes it from each string of JSON, including names of members and JSON in a string', () => {
    const text = String.raw`{"bao\/\u00E9\"":["Bad: bao/\u00e9\u0022!"],"log":"{\"password\":\"bao\\/é\\\"\"}","code":400}`;
    const body = { '***': ['Bad: ***!'], log: '***', code: 400 };
    expect(JSON.parse(withoutSecret(text, 'bao/é"'))).to.deep.equal(body);
  });

  it('removes it from a number of JSON', () => {
    const text = '{"password":123456,"amounts":[1234560,-1.50e+3]}';
    expect(withoutSecret(text, '123456')).to.equal('{"password":"***","amounts":["***0",-1.50e+3]}');
  });

  for (const [text, secret] of [
    ['Fish&amp;Chips;', 'Fish&Chips'],
    ['Fish&amp;amp;Chips;', 'Fish&Chips'],
    ['R&#38;D;x123', 'R&D;x123'],
    ['R&D;x123\\u00e9', 'R&D;x123é'],
    ['caf&eacute;&sol;2026', 'café/2026'],
    ['&amp;#97;&a\\n;2026', 'a&a\n;2026'],
    ['&lt;&#97;aaaaa', 'aaaaaa'],
    ['a'.repeat(300_000), 'baobab-2026'],
  ] as const) {
    it(`hides the whole of ${text.slice(0, 30)}`, () => {
      expect(withoutSecret(text, secret)).to.equal('***');
    });
  }

  for (const text of [
    '{"a": [1.50, "\\u0041", "baobab"], "a":null}',
    '<p>&eacute;t&#233; &#1114112; \\u00e9</p>',
    'A text that ends within the secret: &eacute;&eacute;baobab-202',
    '\\'.repeat(100_000),
    '&aaaaaaa'.repeat(12_500),
    `&${'amp;'.repeat(25_000)}`,
  ]) {
    it(`leaves ${text.slice(0, 80)} as it is`, () => {
      expect(withoutSecret(text, 'baobab-2026')).to.equal(text);
    });
  }
});

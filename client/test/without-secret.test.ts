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
  it('removes a secret from text, in any mixture of escapes', () => {
    const plain = ['a', 'n', '9', ' ', '"', '\\', '/', '<', '&', 'é', '\b', '\f', '\n', '\r', '\t', '\u{1F333}'];
    const character = fc.constantFrom(...plain);
    const escaped = fc.array(fc.tuple(character, fc.constantFrom(...Object.values(ESCAPES))), { maxLength: 8 });
    const property = fc.property(escaped, (characters) => {
      const secret = `bao${characters.map(([plain]) => plain).join('')}\\`;
      const text = characters.map(([plain, escape]) => escape(plain)).join('');
      expect(withoutSecret(`bao${text}\\\\bao${text}\\\\, ${secret}`, secret)).to.equal('******, ***');
    });
    fc.assert(property, { seed: 20_260_401, numRuns: 1_000 });
  });

  it('removes it from each string of JSON, including names of members and JSON in a string', () => {
    const text = String.raw`{"bao\/\u00E9\"":["Bad: bao/\u00e9\u0022!"],"log":"{\"password\":\"bao\\/é\\\"\"}","code":400}`;
    const body = { '***': ['Bad: ***!'], log: '{"password":"***"}', code: 400 };
    expect(JSON.parse(withoutSecret(text, 'bao/é"'))).to.deep.equal(body);
  });

  it('removes it from a number of JSON', () => {
    const text = '{"password":123456,"amounts":[1234560,-1.50e+3]}';
    expect(withoutSecret(text, '123456')).to.equal('{"password":"***","amounts":["***0",-1.50e+3]}');
  });

  it('removes a secret of one repeated character, even of backslashes alone', () => {
    expect(withoutSecret('&lt; &#97;aaaaaa', 'aaaaaa')).to.equal('&lt; ***a');
    expect(withoutSecret('a\\\\\\\\\\\\b\\n', '\\\\\\\\\\\\')).to.equal('a***b\\n');
  });

  for (const text of [
    '{"a": [1.50, "\\u0041", "baobab"], "a":null}',
    '<p>&eacute;t&#233; &#1114112; \\u00e9</p>',
    'A text that ends within the secret: &eacute;&eacute;baobab-202',
  ]) {
    it(`leaves ${text} as it is`, () => {
      expect(withoutSecret(text, 'baobab-2026')).to.equal(text);
    });
  }
});

import { expect } from 'chai';
import fc from 'fast-check';
import { foldIdentifier } from '../../src/login/fold-identifier.js';
import { SEED } from '../helpers/trials.js';

describe('foldIdentifier', () => {
  const groups: readonly (readonly [difference: string, ...spellings: string[]])[] = [
    ['case', 'awa@boutique.example', 'AWA@Boutique.EXAMPLE'],
    ['accents, composed or not', 'rene@cafe.example', 'rené@café.example', 'rene\u0301@cafe\u0301.example'],
    ['white space at the end', 'awa@boutique.example', 'awa@boutique.example   ', 'awa@boutique.example\u00a0\u3000'],
    ['white space at the start', 'awa', ' awa', '\u3000\u2003awa', '\r\n\tawa'],
    ['a domain in Unicode or in ASCII', 'awa@xn--e1afmkfd.example', 'awa@пример.example', 'AWA@ПРИМЕР.example'],
    ['the full stop of a domain', 'awa@b.example', 'awa@b\u3002example', 'awa@b\uff0eexample'],
    ['a zero-width space', 'awa@boutique.example', 'a\u200bwa@boutique.example', 'awa@boutique.example\u200b'],
    ['a control character', 'awa@boutique.example', 'aw\u0001a@boutique.example', 'awa@boutique.example\t'],
    ['a soft hyphen or a joiner', 'awa@b.example', 'a\u00adwa@b.example', 'a\u2060wa@b.example'],
    ['a filler or a tag', 'awa@b.example', 'a\u3164wa@b.example', 'a\u{e0041}wa@b.example'],
    ['a variation selector', 'awa@b.example', 'awa\ufe0f@b.example'],
    ['full width', 'awa@boutique.example', 'ａｗａ＠ｂｏｕｔｉｑｕｅ．ｅｘａｍｐｌｅ'],
    ['ligatures', 'office@b.example', 'oﬀice@b.example', 'oﬃce@b.example'],
    ['sharp s, small or capital', 'strasse@b.example', 'straße@b.example', 'STRAẞE@b.example', 'STRASSE@b.example'],
    ['the Turkish i, with a dot or without', 'iris@b.example', 'İRİS@b.example', 'ırıs@b.example', 'IRIS@b.example'],
    ['the final sigma', 'σας@b.example', 'ΣΑΣ@b.example', 'σασ@b.example'],
    ['the Kelvin sign and the long s', 'kiss@b.example', '\u212aiss@b.example', 'kiſſ@b.example'],
  ];
  for (const [difference, ...spellings] of groups) {
    it(`folds identifiers that differ in ${difference} to one form`, () => {
      expect(new Set(spellings.map(foldIdentifier)).size).to.equal(1);
    });
  }

  it('keeps apart identifiers that differ in a letter, a digit, a dot, a plus, or a space inside', () => {
    const emails = [
      ...['awa@boutique.example', 'ava@boutique.example', 'awa1@boutique.example', 'a.wa@boutique.example'],
      ...['awa+shop@boutique.example', 'awa @boutique.example', 'a wa@boutique.example', 'awa@boutique.exampl'],
      ...['awa', 'awa@пример.example', 'пример.example', 'xn--e1afmkfd.example'],
      ...['awa@boutique.example@boutique.example', 'awa@not a domain', 'awa@not a second domain'],
    ];
    expect(new Set(emails.map(foldIdentifier)).size).to.equal(emails.length);
  });

  it('folds every character as it folds its capital, its small letter and its normal forms', () => {
    const isOneEmail = (character: string) => {
      const email = `a${character}b`;
      const others = [email.toLowerCase(), ...['NFC', 'NFD', 'NFKC', 'NFKD'].map((form) => email.normalize(form))];
      // U+0345 is a mark, which is removed. Its capital is a letter.
      if (!email.normalize('NFD').includes('\u0345')) others.push(email.toUpperCase());
      return others.every((other) => foldIdentifier(other) === foldIdentifier(email));
    };
    const broken: string[] = [];
    // The other code points are unassigned, private, or of scripts without letter case.
    const stable = /[\p{Cn}\p{Co}\p{Cs}\p{Script=Han}\p{Script=Hangul}\p{Script=Tangut}]/u;
    for (let point = 0; point <= 0x10ffff; point++) {
      const character = String.fromCodePoint(point);
      if (!stable.test(character) && !isOneEmail(character)) broken.push(point.toString(16));
    }
    expect(broken).to.deep.equal([]);
  });

  it('does not change a folded identifier', () => {
    const texts = fc.array(fc.nat(0x10_ff_ff)).map((points) => String.fromCodePoint(...points));
    const isStable = (text: string) => foldIdentifier(foldIdentifier(text)) === foldIdentifier(text);
    fc.assert(fc.property(texts, isStable), { seed: SEED, numRuns: 1_000 });
  });
});

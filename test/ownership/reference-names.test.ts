import { expect } from 'chai';
import fc from 'fast-check';
import { AuthError } from '../../src/index.js';
import { parseReferenceNames } from '../../src/ownership/reference-names.js';
import { INVALID_REFERENCE } from '../helpers/answers.js';
import { REQUESTS, SEED } from '../helpers/trials.js';

const namesOf = (...names: readonly string[]) => parseReferenceNames('referenceNames', names);
const DEFAULT = parseReferenceNames('referenceNames', undefined);

/** Returns the names as which consumers read a key: `true` for the name itself, and the refusal for another spelling. */
function answerOf(names: ReturnType<typeof namesOf>, key: string): boolean | readonly (string | undefined)[] {
  try {
    return names.includes(key);
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    return [error.code, ...(error.referenceNames ?? [])];
  }
}

describe('the names of the reference', () => {
  it('are refercence_cl alone, or the list of the host, each once', () => {
    expect(DEFAULT).to.deep.include({
      list: ['refercence_cl'],
      takesNumbers: false,
      leastBytes: 'refercencecl='.length,
    });
    expect(namesOf('merchantId', 'wallet_id', 'merchantId')).to.deep.include({
      list: ['merchantId', 'wallet_id'],
      takesNumbers: true,
      leastBytes: 'walletid='.length,
    });
    expect(answerOf(namesOf('merchantId'), 'refercence_cl')).to.equal(false);
  });

  it('are each accepted as they are spelled', () => {
    const names = namesOf('merchantId', 'merchant_id', 'wallet_id', 'idMarchand');
    for (const name of names.list) expect(answerOf(names, name)).to.equal(true);
    expect(answerOf(names, 'MerchantId')).to.deep.equal([INVALID_REFERENCE, 'merchant_id']);
    expect(answerOf(names, 'walletId')).to.deep.equal([INVALID_REFERENCE, 'wallet_id']);
  });

  it('are refused in each other spelling that some consumers read as the name', () => {
    for (const [consumer, ...keys] of [
      ['columns of MySQL, and members in Go', 'REFERCENCE_CL', 'Refercence_Cl'],
      ['brackets in parsers of forms', 'refercence_cl[]', 'refercence_cl[0][a]', '[refercence_cl]', 'refercence_cl]'],
      ['paths in parsers of forms', 'a[0][refercence_cl][b]', 'payment.refercence_cl', 'refercence_cl.x'],
      ['quotes in parsers of forms', 'a["refercence_cl"]'],
      ['dots and spaces in PHP', 'refercence.cl', 'refercence cl', ' refercence_cl', 'filter[refercence.cl]'],
      ['one bracket or NUL in PHP', 'refercence[cl', 'refercence_cl\0x'],
      ['signs that converters drop', 'refercence_cl\u00a0', 'refercence²cl', 'refercenceªcl', 'refercence½cl'],
      [
        'one letter that a converter drops and one that it changes',
        'ⓐreferceńce_cl',
        'refercence_cłⓐ',
        'ﬀrefercence_ċl中',
      ],
      ['letters that converters drop or change', 'refercence中cl', 'referceŉce_cl', 'refercence_c\u0142'],
      ['camel case', 'refercenceCl', 'payment.refercenceCl'],
      ['kebab case', 'refercence-cl', 'payment[refercence-cl]'],
      ['prefixes of XML, modifiers of FHIR', 'pay:refercence_cl', 'refercence_cl:exact', 'a:b:refercence-cl'],
      ['segments of paths', '/refercence_cl', 'a/refercence_cl/0', 'refercence/cl'],
      ['JSON as a key', '{"refercence_cl":"BTQ-1001"}'],
      ['other signs', 'refercence:cl', '_refercence_cl', 'refercence__cl', '$refercence_cl!', 'refer.cence_c.l'],
      ['accents', 'r\u00e9fercence_cl', 're\u0301fercence_cl'],
      ['compatible characters', '\uff52efercence_cl', 'payment\uff0erefercence_cl', 'REFERCEN\u212d\uff25_CL'],
    ]) {
      for (const key of keys) {
        expect(answerOf(DEFAULT, key), `${consumer}: ${key}`).to.deep.equal([INVALID_REFERENCE, 'refercence_cl']);
      }
    }
    const host = namesOf('isKey');
    // Go reads both as ASCII, and lodash the last.
    for (const key of [
      'i\u017fKey',
      'is\u212aey',
      '\u0131sKey',
      'is_key',
      '\u24d0\u0131sKey',
      '\u0131s\u24d0Key\u00aa',
    ]) {
      expect(answerOf(host, key), key).to.deep.equal([INVALID_REFERENCE, 'isKey']);
    }
    // One character with five letters, and one with three.
    expect(answerOf(namesOf('rads2'), '\u33af')).to.deep.equal([INVALID_REFERENCE, 'rads2']);
    expect(answerOf(namesOf('office_id'), 'o\ufb03ceid')).to.deep.equal([INVALID_REFERENCE, 'office_id']);
  });

  it('are not in names that only contain them', () => {
    const longer = ['refercence_client', 'refercence_cl2', 'refercence_cl_old', 'my_refercence_cl', 'xrefercence_cl'];
    const others = ['my refercence_cl', 'a.refercence.b.cl', 'reference_cl', 'refercence', 'cl', '', '%', '\u00e9'];
    for (const key of [...longer, ...others]) expect(answerOf(DEFAULT, key), key).to.equal(false);
    for (const key of ['toMerchantId', 'merchantIds', 'merchant', 'id']) {
      expect(answerOf(namesOf('merchantId'), key), key).to.equal(false);
    }
  });

  it('are parameters of a route whose path, or a named group of its expression, declares one of them', () => {
    const names = namesOf('merchantId', 'wallet_id');
    const group = /^\/shops(?:\/(?<merchantId>[^/]+))?$/;
    for (const path of ['/shops/:merchantId/:id', '/of{/:wallet_id}', '/*merchantId', '/:"wallet_id"', group]) {
      expect(names.isParameterOf(path), String(path)).to.equal(true);
    }
    for (const path of [
      '/:merchantIds',
      '/merchantId',
      '/:id',
      '/(?<merchantId>)',
      /:merchantId/,
      /(?<id>)/,
      undefined,
    ]) {
      expect(names.isParameterOf(path), String(path)).to.equal(false);
    }
  });

  it('are found in any key as refercence_cl is found in the same key with the name in its place', () => {
    const met = new Set<string>();
    // Each word ends with its only q, so that a key has the words of which it was made.
    const words = fc.stringMatching(/^[bcdfgh]{1,6}$/).map((word) => `${word}q`);
    const pieces = fc.constantFrom(...Array.from('1212_-.[] \0\u00b7\u0301o7'), '][');
    const name = ['1', '_', '2'].map((piece): [string, boolean] => [piece, false]);
    const keys = fc.oneof(
      { arbitrary: fc.constant(name), weight: 1 },
      { arbitrary: fc.array(fc.tuple(pieces, fc.boolean()), { maxLength: 9 }), weight: 20 },
    );
    fc.assert(
      fc.property(words, words, keys, (one, two, key) => {
        fc.pre(one !== two);
        const write = (first: string, second: string) => {
          const texts: Readonly<Record<string, string>> = { 1: first, 2: second };
          return key
            .map(([piece, isUpper]) => (isUpper ? (texts[piece] ?? piece).toUpperCase() : (texts[piece] ?? piece)))
            .join('');
        };
        const answer = JSON.stringify(answerOf(namesOf('wallet_id', `${one}_${two}`), write(one, two)));
        const expected = answerOf(DEFAULT, write('refercence', 'cl'));
        expect(answer.replace(`${one}_${two}`, 'refercence_cl')).to.equal(JSON.stringify(expected));
        met.add(String(expected));
      }),
      { numRuns: 5 * REQUESTS, seed: SEED },
    );
    expect([...met].sort()).to.deep.equal(['false', `${INVALID_REFERENCE},refercence_cl`, 'true']);
  });

  it('are found in a key of a megabyte in a bounded time, whatever it holds', () => {
    const letters = ['\u0301\u0316', '\u00e9.', 'r', 'r-', '\uff9e\u0301', 'refercence_c-', '[]', '\u00f8'];
    for (const letter of letters) expect(answerOf(DEFAULT, letter.repeat(500_000 / letter.length))).to.equal(false);
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { checkReferencesIn, checkReferencesInText, checkReferencesInUrl } from '../../src/ownership/references.js';
import { FOREIGN_REFERENCE, INVALID_REFERENCE } from '../helpers/answers.js';
import { REQUESTS, SEED } from '../helpers/trials.js';
import { codeOf, guardedBy } from './guarded.js';
import { HOST_NAMES, renamed } from './renamed.js';

const OWN = 'BTQ-1001';
const FIELD = 'refercence_cl';

/** A generated text, and the codes with which it may be refused. Without any, it has to pass. */
interface Part {
  readonly text: string;
  readonly codes: readonly string[];
}
interface Member extends Part {
  readonly key: string;
}

const part = (text: string, ...codes: readonly string[]): Part => ({ text, codes });
const codesOf = (parts: readonly Part[]) => parts.flatMap(({ codes }) => codes);

const references = fc.oneof(
  { arbitrary: fc.constant(OWN), weight: 20 },
  fc.constantFrom('CNT-1002', `${OWN} `, ` ${OWN}`, OWN.toLowerCase(), `${OWN}\0`, 'BTQ\u20101001', ''),
);
const codesOfReference = (reference: string) => (reference === OWN ? [] : [FOREIGN_REFERENCE]);
const ambiguousKeys = fc.constantFrom('Refercence_cl', `${FIELD} `, `${FIELD}[`, `${FIELD}[]`, `a[${FIELD}]`);
const otherKeys = fc.constantFrom('items', '__proto__', 'constructor', '0', 'length', 'toJSON', 'reference_cl', 'xcl');

// ---- JSON -----------------------------------------------------------------------------------------------------------

const scalars = fc
  .oneof(fc.constantFrom(OWN, 'ZQ-999', null, true), fc.string({ maxLength: 3 }), fc.double({ noNaN: true }))
  .map((value) => part(JSON.stringify(value)));
const texts = references.map((reference) => part(JSON.stringify(reference), ...codesOfReference(reference)));

/** Writes a key, with an escape for each character if `isEscaped`. */
function write(key: string, isEscaped: boolean): string {
  const inHex = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return isEscaped ? `"${Array.from(key, inHex).join('')}"` : JSON.stringify(key);
}

/** Generates JSON for a guard with `name`. */
function documents(name: string, takesNumbers: boolean): fc.Arbitrary<Part> {
  const number = part('1001', takesNumbers ? FOREIGN_REFERENCE : INVALID_REFERENCE);
  const misfits = fc.constantFrom(
    number,
    ...['null', 'false', `["${OWN}"]`].map((text) => part(text, INVALID_REFERENCE)),
  );
  const { value } = fc.letrec<{ value: Part; array: Part; object: Part; member: Member }>((tie) => {
    const member = (key: fc.Arbitrary<string>, values: fc.Arbitrary<Part>, ...codes: readonly string[]) =>
      fc.tuple(key, values, fc.boolean()).map(([field, inner, isEscaped]) => ({
        key: field,
        text: `${write(renamed(field, name), isEscaped)}:${inner.text}`,
        codes: [...codes, ...inner.codes],
      }));
    return {
      value: fc.oneof({ depthSize: 'small' }, scalars, tie('array'), tie('object')),
      array: fc.array(tie('value'), { maxLength: 3 }).map((items) => {
        return part(`[${items.map(({ text }) => text).join()}]`, ...codesOf(items));
      }),
      object: fc.uniqueArray(tie('member'), { selector: ({ key }) => key, maxLength: 4 }).map((members) => {
        return part(`{${members.map(({ text }) => text).join()}}`, ...codesOf(members));
      }),
      member: fc.oneof(
        { arbitrary: member(fc.constant(FIELD), texts), weight: 5 },
        { arbitrary: member(fc.constant(FIELD), misfits), weight: 1 },
        { arbitrary: member(ambiguousKeys, tie('value'), INVALID_REFERENCE), weight: 1 },
        { arbitrary: member(otherKeys, tie('value')), weight: 8 },
      ),
    };
  });
  return value;
}

// ---- queries --------------------------------------------------------------------------------------------------------

function queries(name: string): fc.Arbitrary<Part> {
  const field = (keys: fc.Arbitrary<string>, judge: (reference: string) => readonly string[]) =>
    fc.tuple(keys, references).map(([key, reference]) => {
      return part(`${encodeURIComponent(renamed(key, name))}=${encodeURIComponent(reference)}`, ...judge(reference));
    });
  const fields = fc.oneof(
    { arbitrary: field(fc.constant(FIELD), codesOfReference), weight: 4 },
    { arbitrary: field(ambiguousKeys, () => [INVALID_REFERENCE]), weight: 1 },
    { arbitrary: field(otherKeys, () => []), weight: 4 },
  );
  return fc
    .array(fields, { maxLength: 4 })
    .map((all) => part(`/?${all.map(({ text }) => text).join('&')}`, ...codesOf(all)));
}

describe('any content', () => {
  for (const names of [[FIELD], HOST_NAMES]) {
    it(`passes only if each reference in it is the own one, behind a guard for ${names.join(' and ')}`, () => {
      const takesNumbers = names === HOST_NAMES;
      const guarded = guardedBy(OWN, takesNumbers ? names : undefined);
      const met = new Set<string | undefined>();
      const expectOf = (check: () => unknown, text: string, codes: readonly string[]) => {
        const code = codeOf(check);
        expect(code, text).to.be.oneOf(codes.length > 0 ? codes : [undefined]);
        met.add(code);
      };
      const depths = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 400 }));
      const cases = fc
        .constantFrom(...names)
        .chain((name) => fc.tuple(documents(name, takesNumbers), depths, queries(name)));
      const property = fc.property(cases, ([json, depth, query]) => {
        const text = '[{"__proto__":'.repeat(depth) + json.text + '}]'.repeat(depth);
        const value: unknown = JSON.parse(text);
        expectOf(() => checkReferencesInText(text, value, guarded), text, json.codes);
        expectOf(() => checkReferencesIn(value, guarded), text, json.codes);
        expectOf(() => checkReferencesInUrl(query.text, guarded), query.text, query.codes);
      });
      fc.assert(property, { seed: SEED, numRuns: 5 * REQUESTS });
      expect(met).to.deep.equal(new Set([undefined, INVALID_REFERENCE, FOREIGN_REFERENCE]));
    });
  }
});

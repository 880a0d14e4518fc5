import { expect } from 'chai';
import fc from 'fast-check';
import { checkReferencesIn, checkReferencesInText, checkReferencesInUrl } from '../../src/ownership/references.js';
import { FOREIGN_REFERENCE, INVALID_REFERENCE } from '../helpers/answers.js';
import { REQUESTS, SEED } from '../helpers/trials.js';
import { codeOf, guardedBy } from '../ownership/guarded.js';

const OWN = 'BTQ-1001';

/** A generated text, and the codes with which it may be refused. Without any, it has to pass. */
interface Part {
  readonly text: string;
  readonly codes: readonly string[];
}
interface Member extends Part {
  readonly key: string;
}
const codesOf = (parts: readonly Part[]) => parts.flatMap(({ codes }) => codes);

/** Escapes each character of a key. */
const escape = (key: string) =>
  Array.from(key, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

const references = fc.oneof(
  { arbitrary: fc.constant(OWN), weight: 20 },
  fc.constantFrom('CNT-1002', `${OWN} `, ` ${OWN}`, OWN.toLowerCase(), `${OWN}\0`, 'BTQ\u20101001', ''),
);
const scalars = fc.oneof(
  references,
  fc.constantFrom('ZQ-999', null, true, 1001),
  fc.string({ maxLength: 3 }),
  fc.double({ noNaN: true }),
);

/** Generates JSON and a query for a guard that looks for `name`. */
function contentsWith(name: string, takesNumbers: boolean) {
  const otherKeys = fc.constantFrom(
    'items',
    '__proto__',
    'constructor',
    '0',
    'length',
    'toJSON',
    'reference_cl',
    'xcl',
  );
  const keys = fc.oneof(
    { arbitrary: fc.constant(name), weight: 5 },
    { arbitrary: fc.constantFrom(name.toUpperCase(), `${name} `, `${name}[`, `${name}[]`, `a[${name}]`), weight: 1 },
    { arbitrary: otherKeys, weight: 8 },
  );
  const codesWith = (key: string, value: unknown, inside: readonly string[] = []) => {
    if (key !== name) return key.toLowerCase().includes(name.toLowerCase()) ? [INVALID_REFERENCE] : inside;
    if (value === OWN) return [];
    const isText = typeof value === 'string' || (takesNumbers && Number.isSafeInteger(value));
    return [isText ? FOREIGN_REFERENCE : INVALID_REFERENCE];
  };
  const memberOf = (key: string, { text, codes }: Part, isEscaped: boolean): Member => ({
    key,
    text: `${isEscaped ? `"${escape(key)}"` : JSON.stringify(key)}:${text}`,
    codes: codesWith(key, JSON.parse(text), codes),
  });
  const scalar = (values: fc.Arbitrary<unknown>) => values.map((value) => ({ text: JSON.stringify(value), codes: [] }));
  const { value } = fc.letrec<{ value: Part; array: Part; object: Part }>((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, scalar(scalars), tie('array'), tie('object')),
    array: fc.array(tie('value'), { maxLength: 3 }).map((items) => {
      return { text: `[${items.map(({ text }) => text).join()}]`, codes: codesOf(items) };
    }),
    object: fc
      .uniqueArray(
        keys
          .chain((key) => {
            const isMostlyText = fc.oneof({ arbitrary: scalar(references), weight: 5 }, tie('value'));
            return fc.tuple(fc.constant(key), key === name ? isMostlyText : tie('value'), fc.boolean());
          })
          .map((parts) => memberOf(...parts)),
        { selector: ({ key }) => key, maxLength: 4 },
      )
      .map((members) => ({ text: `{${members.map(({ text }) => text).join()}}`, codes: codesOf(members) })),
  }));
  const query = fc.array(fc.tuple(keys, references), { maxLength: 4 }).map((fields) => ({
    text: `/?${String(new URLSearchParams(fields))}`,
    codes: fields.flatMap(([key, reference]) => codesWith(key, reference)),
  }));
  return fc.record({ json: value, depth: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 400 })), query });
}

describe('keys of any content', () => {
  for (const names of [undefined, ['merchantId', 'wallet_id']]) {
    it(`pass only with the own reference, behind a guard for ${names?.join(' and ') ?? 'refercence_cl'}`, () => {
      const guarded = guardedBy(OWN, names);
      const met = new Set<string | undefined>();
      const expectOf = (check: () => unknown, { text, codes }: Part) => {
        const code = codeOf(check);
        expect(code, text).to.be.oneOf(codes.length > 0 ? [...codes] : [undefined]);
        met.add(code);
      };
      const contents = fc.oneof(...(names ?? ['refercence_cl']).map((name) => contentsWith(name, names !== undefined)));
      const property = fc.property(contents, ({ json, depth, query }) => {
        const text = '[{"__proto__":'.repeat(depth) + json.text + '}]'.repeat(depth);
        const value: unknown = JSON.parse(text);
        expectOf(() => checkReferencesInText(text, value, guarded), json);
        expectOf(() => checkReferencesIn(value, guarded), json);
        expectOf(() => checkReferencesInUrl(query.text, guarded), query);
      });
      fc.assert(property, { seed: SEED, numRuns: 5 * REQUESTS });
      expect(met).to.deep.equal(new Set([undefined, INVALID_REFERENCE, FOREIGN_REFERENCE]));
    });
  }
});

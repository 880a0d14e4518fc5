import { Ajv } from 'ajv';
import { expect } from 'chai';
import { compileLoginSchema } from '../../src/login/broken-rules.js';
import { thrownBy } from '../helpers/thrown.js';

const GOOD = { email: 'awa@boutique.example', password: 'baobab-2026' };

describe('compileLoginSchema', () => {
  const brokenRules = compileLoginSchema();

  for (const [what, body] of [
    ['further members', { ...GOOD, role: 'admin' }],
    ['an email of 5 code points', { ...GOOD, email: '@😀😀😀😀' }],
    ['an email of 255 code points', { ...GOOD, email: `@${'😀'.repeat(254)}` }],
    ['a password of 6 code points', { ...GOOD, password: '😀'.repeat(6) }],
    ['a password of 255 code points', { ...GOOD, password: '😀'.repeat(255) }],
  ] as const) {
    it(`returns nothing for ${what}`, () => {
      expect(brokenRules(body)).to.deep.equal([]);
    });
  }

  it('throws an error of Ajv as it is', () => {
    const { compile } = Ajv.prototype;
    const reason = new RangeError('out of memory');
    Ajv.prototype.compile = () => {
      throw reason;
    };
    try {
      expect(thrownBy(compileLoginSchema)).to.equal(reason);
    } finally {
      Ajv.prototype.compile = compile;
    }
  });

  type Rule = [field: string, rule: string, sentence: string, limit?: number];
  const required = (field: string): Rule => [field, 'required', 'is required.'];
  const text = (field: string): Rule => [field, 'type', 'must be a string.'];
  const least = (field: string, limit: number): Rule => [
    field,
    'minLength',
    `must have at least ${limit} characters.`,
    limit,
  ];
  const most = (field: string): Rule => [field, 'maxLength', 'must have at most 255 characters.', 255];
  for (const [what, body, ...rules] of [
    ['no members', {}, required('email'), required('password')],
    ['inherited members', Object.create(GOOD), required('email'), required('password')],
    ['null', { email: null, password: null }, text('email'), text('password')],
    ['numbers', { email: 12_345, password: 123_456 }, text('email'), text('password')],
    ['query operators', { ...GOOD, email: { $ne: null } }, text('email')],
    ['an email of 4 code points', { ...GOOD, email: '@😀😀😀' }, least('email', 5)],
    ['an email of 256 code points', { ...GOOD, email: `@${'😀'.repeat(255)}` }, most('email')],
    ['an email without @', { ...GOOD, email: 'boutique' }, ['email', 'format', 'must be an address with an @.']],
    ['a password of 5 code points', { ...GOOD, password: '😀'.repeat(5) }, least('password', 6)],
    ['a password of 256 code points', { ...GOOD, password: '😀'.repeat(256) }, most('password')],
    [
      'a lone surrogate in the password',
      { ...GOOD, password: 'baobab\udc00' },
      ['password', 'format', 'must be well-formed Unicode.'],
    ],
  ] as [string, object, ...Rule[]][]) {
    it(`returns each rule that is broken by ${what}`, () => {
      const expected = rules.map(([field, rule, sentence, limit]) => {
        return { field, rule, message: `${field} ${sentence}`, ...(limit !== undefined && { limit }) };
      });
      expect(brokenRules(body)).to.deep.equal(expected);
    });
  }
});

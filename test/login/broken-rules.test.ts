import { expect } from 'chai';
import { brokenRules } from '../../src/login/broken-rules.js';

const GOOD = { email: 'awa@boutique.example', password: 'baobab-2026' };

describe('brokenRules', () => {
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

  for (const [what, body, ...rules] of [
    ['no members', {}, ['email', 'required', 'is required.'], ['password', 'required', 'is required.']],
    [
      'inherited members',
      Object.create(GOOD),
      ['email', 'required', 'is required.'],
      ['password', 'required', 'is required.'],
    ],
    [
      'null',
      { email: null, password: null },
      ['email', 'type', 'must be a string.'],
      ['password', 'type', 'must be a string.'],
    ],
    [
      'numbers',
      { email: 12_345, password: 123_456 },
      ['email', 'type', 'must be a string.'],
      ['password', 'type', 'must be a string.'],
    ],
    ['query operators', { ...GOOD, email: { $ne: null } }, ['email', 'type', 'must be a string.']],
    [
      'an email of 4 code points',
      { ...GOOD, email: '@😀😀😀' },
      ['email', 'minLength', 'must have at least 5 characters.'],
    ],
    [
      'an email of 256 code points',
      { ...GOOD, email: `@${'😀'.repeat(255)}` },
      ['email', 'maxLength', 'must have at most 255 characters.'],
    ],
    ['an email without @', { ...GOOD, email: 'boutique' }, ['email', 'format', 'must be an address with an @.']],
    [
      'a password of 5 code points',
      { ...GOOD, password: '😀'.repeat(5) },
      ['password', 'minLength', 'must have at least 6 characters.'],
    ],
    [
      'a password of 256 code points',
      { ...GOOD, password: '😀'.repeat(256) },
      ['password', 'maxLength', 'must have at most 255 characters.'],
    ],
    [
      'a lone surrogate in the password',
      { ...GOOD, password: 'baobab\udc00' },
      ['password', 'format', 'must be well-formed Unicode.'],
    ],
  ] as [string, object, ...[string, string, string][]][]) {
    it(`returns each rule that is broken by ${what}`, () => {
      const expected = rules.map(([field, rule, sentence]) => {
        const limit = rule.endsWith('Length') && { limit: Number(/\d+/.exec(sentence)) };
        return { field, rule, message: `${field} ${sentence}`, ...limit };
      });
      expect(brokenRules(body)).to.deep.equal(expected);
    });
  }
});

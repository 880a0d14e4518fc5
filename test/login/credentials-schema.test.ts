import { expect } from 'chai';
import { brokenRules } from '../../src/login/credentials-schema.js';

const GOOD = { email: 'awa@boutique.example', password: 'baobab-2026' };

describe('brokenRules', () => {
  it('returns nothing for a valid body, also with further members', () => {
    for (const body of [GOOD, { ...GOOD, role: 'admin' }]) expect(brokenRules(body)).to.deep.equal([]);
  });

  it('returns each broken rule with its field and a sentence', () => {
    expect(brokenRules({})).to.deep.equal([
      { field: 'email', rule: 'required', message: 'email is required.' },
      { field: 'password', rule: 'required', message: 'password is required.' },
    ]);
    expect(brokenRules({ email: 5, password: '12345' })).to.deep.equal([
      { field: 'email', rule: 'type', message: 'email must be a string.' },
      { field: 'password', rule: 'minLength', message: 'password must have at least 6 characters.' },
    ]);
    expect(brokenRules({ email: `${'a'.repeat(255)}@`, password: 'a'.repeat(256) })).to.deep.equal([
      { field: 'email', rule: 'maxLength', message: 'email must have at most 255 characters.' },
      { field: 'password', rule: 'maxLength', message: 'password must have at most 255 characters.' },
    ]);
    expect(brokenRules({ email: 'awa.boutique', password: 'baobab\uD800' })).to.deep.equal([
      { field: 'email', rule: 'format', message: 'email must be an address with an @.' },
      { field: 'password', rule: 'format', message: 'password must be well-formed Unicode.' },
    ]);
  });

  it('ignores inherited members', () => {
    const fields = brokenRules(Object.create(GOOD) as object).map(({ field, rule }) => [field, rule]);
    expect(fields).to.deep.equal([
      ['email', 'required'],
      ['password', 'required'],
    ]);
  });
});

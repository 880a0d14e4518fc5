import { Ajv } from 'ajv';
import { expect } from 'chai';
import { compileLoginSchema } from '../../src/login/broken-rules.js';
import { LOGIN_FORMATS, LOGIN_SCHEMA } from '../../src/login/login-schema.js';

it("the schema of the login body passes Ajv's strict mode and its check of schemas", () => {
  const ajv = new Ajv({ strict: true, formats: LOGIN_FORMATS });
  expect(ajv.compile(LOGIN_SCHEMA)({ email: 'awa@boutique.example', password: 'baobab-2026' })).to.equal(true);
});

describe('the formats of the schema', () => {
  const brokenRules = compileLoginSchema();
  const PARTS = ['', '@', '\0', '\uD83D', '\uDE00', '\uD83D\uDE00', '\n', '@@', 'é'];
  const TEXTS = PARTS.flatMap((one) => PARTS.flatMap((two) => PARTS.map((three) => `abc${one}${two}def${three}`)));

  /** Returns the texts that a field accepts. */
  function acceptedBy(field: 'email' | 'password'): string[] {
    return TEXTS.filter((text) => !brokenRules({ [field]: text }).some((broken) => broken.field === field));
  }

  it('accept an email with an @, without NUL and lone surrogates', () => {
    const accepted = acceptedBy('email');
    expect(accepted).to.have.length.above(50);
    expect(accepted).to.deep.equal(
      TEXTS.filter((text) => text.includes('@') && !text.includes('\0') && text.isWellFormed()),
    );
  });

  it('accept a password without lone surrogates', () => {
    const accepted = acceptedBy('password');
    expect(accepted).to.have.length.above(300);
    expect(accepted).to.deep.equal(TEXTS.filter((text) => text.isWellFormed()));
  });
});

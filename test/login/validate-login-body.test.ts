import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';
import { brokenRules } from '../../src/login/broken-rules.js';

describe('src/login/validate-login-body.ts', () => {
  it('is what Ajv compiles from the schema', () => {
    const script = path.join(__dirname, 'compile-schema.mjs');
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect([stderr, status]).to.deep.equal(['', 0]);
  });
});

describe('the formats of the schema', () => {
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

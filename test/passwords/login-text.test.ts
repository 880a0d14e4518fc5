import { expect } from 'chai';
import { isLoginText } from '../../src/passwords/login-text.js';

describe('isLoginText', () => {
  it('accepts only texts of 1 to 255 code points', () => {
    const odd: unknown[] = [undefined, null, 12_345, { $ne: null }, ['baobab-2026'], Object('baobab-2026')];
    for (const value of [...odd, '', 'a'.repeat(256), '😀'.repeat(256), 'a\0b', 'a\ud83db', 'a\ude00b']) {
      expect(isLoginText(value), String(value)).to.equal(false);
    }
    for (const text of ['a', '😀'.repeat(255)]) expect(isLoginText(text)).to.equal(true);
  });
});

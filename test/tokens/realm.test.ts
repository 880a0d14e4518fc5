import { expect } from 'chai';
import { parseRealm } from '../../src/tokens/realm.js';

describe('parseRealm', () => {
  it('accepts exactly the characters that a quoted string can hold without an escape', () => {
    const accepted = Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code)).filter((character) => {
      try {
        return parseRealm('realm', character) === character;
      } catch (error) {
        expect(error).to.be.instanceOf(TypeError);
        return false;
      }
    });
    const visible = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index));
    expect(accepted).to.deep.equal(visible.filter((character) => character !== '"' && character !== '\\'));
  });

  it('is merchant by default', () => {
    expect(parseRealm('realm', undefined)).to.equal('merchant');
  });
});

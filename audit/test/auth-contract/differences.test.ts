import { expect } from 'chai';
import { membersWith } from '../../src/auth-contract/differences.js';

describe('membersWith', () => {
  it('returns the members that have a reference as text or number, each with the other reference in this form, and the objects around them', () => {
    const json = { merchant: 1001, code: '1001', amount: 100, nested: { owner: '1001' }, other: { amount: 1 } };
    expect(membersWith(json, '1001', '1002')).to.deep.equal([
      ['merchant', 1002],
      ['code', '1002'],
      ['owner', '1002'],
      ['nested', { owner: '1002' }],
    ]);
    expect(membersWith({ merchant: 'BTQ-1001', amount: NaN }, 'BTQ-1001', 'CNT-1002')).to.deep.equal([
      ['merchant', 'CNT-1002'],
    ]);
  });
});

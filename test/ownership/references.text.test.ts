import { expect } from 'chai';
import { checkReferencesInText } from '../../src/ownership/references.js';
import { FOREIGN_REFERENCE, INVALID_REFERENCE } from '../helpers/answers.js';
import { expectAuthError, thrownBy } from '../helpers/thrown.js';
import { codeOf, guardedBy } from './guarded.js';

const GUARDED = guardedBy('BTQ-1001');
const found = (text: string) => codeOf(() => checkReferencesInText(text, JSON.parse(text), GUARDED));

describe('checkReferencesInText', () => {
  it('refuses a name that JSON.parse drops for a later one, in any spelling and at any depth', () => {
    for (const text of [
      '{"refercence_cl":"CNT-1002","refercence_cl":"BTQ-1001"}',
      '{"refercence_cl":"BTQ-1001" , "refercence_cl" : "BTQ-1001"}',
      '{"\\u0072efercence_cl":"CNT-1002","refercence_cl":"BTQ-1001"}',
      '[{"a":[{"refercence_cl":"CNT-1002","refercence_cl":"BTQ-1001"}]}]',
      '{"a":{"refercence_cl":"CNT-1002"},"a":{"refercence_cl":"BTQ-1001"}}',
      '{"a":{"REFERCENCE_CL":"CNT-1002"},"a":1}',
      '{"a":{"réfercence_cl":"CNT-1002"},"a":1}',
      '{"a":{":réfercence-cl":":\\":"},"a":":refercence_cl"}',
      '{"a":"é","refercence_cl":"","refercence_cl":"BTQ-1001"}',
    ]) {
      expect(found(text), text).to.equal(INVALID_REFERENCE);
    }
  });

  it('names the name that is repeated, or else each name that JSON.parse drops', () => {
    const guarded = guardedBy('BTQ-1001', ['merchantId', 'wallet_id']);
    for (const [text, name] of [
      ['{"wallet_id":"BTQ-1001","merchantId":"CNT-1002","merchantId":"BTQ-1001"}', 'merchantId'],
      ['{"a":{"wallet_id":"CNT-1002"},"a":1}', 'wallet_id'],
    ] as const) {
      const error = thrownBy(() => checkReferencesInText(text, JSON.parse(text), guarded));
      expect(expectAuthError(error, INVALID_REFERENCE).referenceNames, text).to.deep.equal([name]);
    }
  });

  it('accepts one name in each object, and the name in values and in escapes', () => {
    for (const text of [
      '[{"refercence_cl":"BTQ-1001"},{"refercence_cl":"BTQ-1001","a":{"refercence_cl":"BTQ-1001"}}]',
      '{"a":"refercence_cl","b":"\\"refercence_cl\\":","a":"refercence_cl"}',
      '{"refercence_cl":"BTQ-1001","a":1,"a":"\\\\"}',
      '"refercence_cl"',
    ]) {
      expect(found(text), text).to.equal(undefined);
    }
    expect(found('{"refercence_cl":"CNT-1002"}')).to.equal(FOREIGN_REFERENCE);
    expect(found(`{"refercence_cl":"BTQ-1001","a":"${'\\n'.repeat(5_000_000)}"}`)).to.equal(undefined);
  });
});

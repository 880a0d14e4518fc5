import { expect } from 'chai';
import { unknownIdLike } from '../../src/contract/unknown-ids.js';

describe('an unknown id', () => {
  it('has the form of a known one, and is not one of the next numbers of a counter', () => {
    for (const [known, form] of [
      [17, /^1\d{6}$/],
      ['tx_17', /^tx_1\d{6}$/],
      ['TXN-2026-000123', /^TXN-2026-[2-9]\d{5}$/],
      ['INV/2026/15', /^INV\/2026\/1\d{6}$/],
      ['N\u00b0 15', /^N\u00b0 1\d{6}$/],
      [100001, /^[2-9]\d{5}$/],
      ['PAY-500001', /^PAY-[2-46-9]\d{5}$/],
      ['2147483000', /^1\d{9}$/],
      ['d9428888-122b-11e1-b85c-61cd3cbb3210', /^d9428888-122b-11e1-b85c-(?:[a-f]|[2-7]){12}$/],
      ['aaaaaaaa-1111-4111-8111-999999999999', /^aaaaaaaa-1111-4111-8111-[2-7]{12}$/],
      ['01ARZ3NDEKTSV4RRFFQ69G5FAV', /^01ARZ3NDEKTSV4[A-F]{4}[A-F][2-7]{2}[A-F][2-7][A-F]{3}$/],
      ['V1StGXR8_Z5jdHi6B-my_', /^V1StGXR8_Z5jdHi6B-[a-f]{2}_$/],
      ['--', /^x--$/],
      ['bcdefbcdefbcdefb', /^bcde[a-f]{12}$/],
    ] as const) {
      // Its answers are random.
      for (let at = 0; at < 200; at += 1) {
        const unknown = unknownIdLike(known);
        expect(String(unknown)).to.match(form);
        expect(unknown).to.be.a(typeof known);
        expect(unknown).not.to.equal(known);
      }
    }
  });
});

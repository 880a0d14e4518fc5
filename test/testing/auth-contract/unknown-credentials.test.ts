import { expect } from 'chai';
import { unknownIdLike } from '../../../src/testing/auth-contract/unknown-credentials.js';

/** Calls the function often, because its answers are random. */
function tries(make: () => string): string[] {
  return Array.from({ length: 200 }, make);
}

describe('an unknown id', () => {
  it('has the form of a known one, and is not one of the next numbers of a counter', () => {
    for (const [known, form] of [
      ['17', /^1000020$/],
      ['d9428888-122b-11e1-b85c-61cd3cbb3210', /^d9428888-122b-11e1-b85c-(?:[a-f]|[2-7]){12}$/],
      ['01ARZ3NDEKTSV4RRFFQ69G5FAV', /^01ARZ3NDEKTSV4[A-F]{4}[A-F][2-7]{2}[A-F][2-7][A-F]{3}$/],
      ['bcdefbcdefbcdefb', /^bcde[a-f]{12}$/],
    ] as const) {
      for (const unknown of tries(() => unknownIdLike(known))) {
        expect(unknown).to.match(form);
        expect(unknown).not.to.equal(known);
      }
    }
  });
});

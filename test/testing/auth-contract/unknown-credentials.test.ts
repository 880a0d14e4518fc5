import { expect } from 'chai';
import {
  similarTo,
  unknownIdentifierLike,
  unknownIdLike,
} from '../../../src/testing/auth-contract/unknown-credentials.js';

/** Calls the function often, because its answers are random. */
function tries(make: () => string): string[] {
  return Array.from({ length: 200 }, make);
}

describe('an unknown identifier', () => {
  it('has a new local part before the domain of an email', () => {
    const [first = '', second] = tries(() => unknownIdentifierLike('awa@boutique.example'));
    expect(first).to.match(/^nobody-[\w-]{36}@boutique\.example$/);
    expect(first).not.to.equal(second);
  });

  it('has the form of a user name or of a number, and its beginning', () => {
    for (const [known, form] of [
      ['kofi', /^[a-z]{4}$/],
      ['Awa.Diallo-2', /^Awa\.D[a-z]{5}-[1-9]$/],
      ['+2250700000001', /^\+2250700[1-9]{6}$/],
      ['1001', /^[1-9]{4}$/],
      ['CNT-1002', /^C[A-Z]{2}-[1-9]{4}$/],
      ['متجر', /^متجرx$/],
    ] as const) {
      for (const unknown of tries(() => unknownIdentifierLike(known))) {
        expect(unknown).to.match(form);
        expect(unknown).not.to.equal(known);
      }
    }
  });
});

describe('a wrong password', () => {
  it('has the form of the right one, and no letter or digit of it in the same place', () => {
    for (const wrong of tries(() => similarTo('Baobab-2026'))) {
      expect(wrong).to.match(/^[A-Z][a-z]{5}-[1-9]{4}$/);
      for (let at = 0; at < wrong.length; at += 1) {
        if (at !== 6) expect(wrong[at]).not.to.equal('Baobab-2026'[at]);
      }
    }
  });
});

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

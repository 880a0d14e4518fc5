import { expect } from 'chai';
import { checkClaims, checkEncoding, checkTimes, type TokenRules } from '../../src/tokens/rules.js';
import { answerOf, challengeOf, EXPIRED_TOKEN } from '../helpers/answers.js';
import { expectAuthError, thrownBy } from '../helpers/thrown.js';
import { expectInvalidToken } from '../helpers/tokens.js';

/** The fixed time, in seconds. */
const NOW = Date.UTC(2026, 0, 15, 12) / 1000;
const RULES: TokenRules = { realm: 'back office', issuer: 'me', audience: undefined };
const CLAIMS = { iss: 'me', sub: '1', iat: NOW, exp: NOW + 18_000, referencl: 'BTQ-1001' };

describe('checkEncoding', () => {
  const header = Buffer.from('{"a":"b"} ').toString('base64url');

  it('accepts canonical base64url of UTF-8', () => {
    for (const signature of ['AAAA', 'AA', 'AAA', 'AQ', 'AAE']) checkEncoding(`${header}.e30.${signature}`, RULES);
    checkEncoding(`${header}.${Buffer.from('{"name":"Awa Koné 😀"}').toString('base64url')}.AAAA`, RULES);
  });

  it('refuses spare bits and a spare character in each part, and a payload that is not UTF-8', () => {
    for (const token of [
      `${header}.e30.AB`,
      `${header}.e30.AAB`,
      `${header}.e30.AAAAA`,
      `${header}.e31.AAAA`,
      `${header}.e30AA.AAAA`,
      `e31.e30.AAAA`,
    ]) {
      expectInvalidToken(RULES.realm, () => checkEncoding(token, RULES), 'it is not canonical base64url');
    }
    const latin = Buffer.from('{"name":"Awa Koné"}', 'latin1').toString('base64url');
    expectInvalidToken(RULES.realm, () => checkEncoding(`${header}.${latin}.AAAA`, RULES), 'it is not UTF-8');
  });
});

describe('checkClaims', () => {
  const check = (change: object, rules = RULES) => checkClaims({ ...CLAIMS, ...change }, rules);

  function expectRefused(claim: string, values: readonly unknown[], reason: string, rules = RULES): void {
    for (const value of values) expectInvalidToken(RULES.realm, () => check({ [claim]: value }, rules), reason);
  }

  it('accepts the claims of a token at any time, and further claims', () => {
    check({});
    check({ iat: 0, exp: 1, nbf: 9e9, jti: undefined });
    check({ iat: NOW + 0.5, scope: null, nested: { list: [1, null, { two: 2 }] } });
  });

  it('requires an object with the claims as own members', () => {
    for (const payload of [undefined, null, '', JSON.stringify(CLAIMS), 5, [CLAIMS], Object.assign([], CLAIMS)]) {
      expectInvalidToken(RULES.realm, () => checkClaims(payload, RULES), 'its payload is not an object');
    }
    const inherited = JSON.parse(`{"iss":"me","__proto__":${JSON.stringify(CLAIMS)}}`) as unknown;
    expectInvalidToken(RULES.realm, () => checkClaims(inherited, RULES), 'its sub is not a non-empty string');
  });

  it('requires exactly the issuer', () => {
    const issuers = [undefined, null, '', 5, 'me ', 'ME', ['me'], { me: 1 }];
    expectRefused('iss', issuers, 'its iss is not the issuer of these tokens');
  });

  it('requires the configured audience, or a list that has it', () => {
    const rules = { ...RULES, audience: 'payments' };
    for (const aud of ['payments', ['payments'], ['reports', 'payments']]) check({ aud }, rules);
    const others = [undefined, null, '', 'reports', 'Payments', 'payments reports', [], ['reports'], [['payments']]];
    const reason = 'its aud is not the audience of these tokens';
    expectRefused('aud', [...others, 5, {}, { payments: true }], reason, rules);
  });

  it('refuses every audience when none is configured', () => {
    const audiences = ['payments', '', null, [], ['payments'], [null], [undefined], 'undefined'];
    expectRefused('aud', audiences, 'its aud is not the audience of these tokens');
  });

  it('requires a non-empty string as sub and as referencl', () => {
    for (const claim of ['sub', 'referencl']) {
      check({ [claim]: ' ' });
      const values = [undefined, null, '', 0, 1, true, [], ['1'], {}];
      expectRefused(claim, values, `its ${claim} is not a non-empty string`);
    }
  });

  it('requires finite numbers as iat, exp and, when it is present, nbf', () => {
    check({ nbf: undefined });
    const values = [null, '', String(NOW), 'NaN', true, [NOW], {}, NaN, Infinity, -Infinity, new Date(0), 5n];
    for (const claim of ['iat', 'exp', 'nbf']) {
      expectRefused(claim, values, `its ${claim} is not a finite number`);
      if (claim !== 'nbf') expectRefused(claim, [undefined], `its ${claim} is not a finite number`);
    }
  });

  it('requires an integer as valid_after when it is present', () => {
    for (const value of [undefined, 0, 1, -1, NOW * 1000]) check({ valid_after: value });
    const values = [0.5, null, '', String(NOW), true, [NOW], {}, Infinity, -Infinity];
    expectRefused('valid_after', values, 'its valid_after is not an integer');
  });

  it('requires a string as jti when it is present', () => {
    for (const value of [undefined, '', 'order-17']) check({ jti: value });
    expectRefused('jti', [null, 17, ['order-17'], {}], 'its jti is not a string');
  });
});

describe('checkTimes', () => {
  const check = (change: object, now = NOW) => checkTimes({ ...CLAIMS, ...change }, now, RULES);

  function expectExpired(change: object, now = NOW): void {
    const error = expectAuthError(
      thrownBy(() => check(change, now)),
      EXPIRED_TOKEN,
    );
    const { description } = answerOf(EXPIRED_TOKEN).expected;
    expect(error.detail).to.equal(description);
    expect(error.headers).to.deep.equal({ 'WWW-Authenticate': challengeOf(description, 'back office') });
  }

  it('ends the token at exactly exp, without tolerance', () => {
    check({}, NOW + 17_999.999);
    expectExpired({}, NOW + 18_000);
    check({ exp: NOW + 0.5 }, NOW + 0.499);
    expectExpired({ exp: NOW + 0.5 }, NOW + 0.5);
    for (const exp of [NOW, NOW - 1, -1]) expectExpired({ iat: exp, exp });
  });

  it('refuses a lifetime of more than 18,000 s, even of an expired token', () => {
    for (const change of [
      { iat: NOW - 1, exp: NOW + 17_999 },
      { iat: NOW - 17_999, exp: NOW + 1 },
      { iat: NOW + 0.5 },
    ]) {
      check(change);
    }
    for (const change of [{ exp: NOW + 18_001 }, { exp: NOW + 18_000.5 }, { iat: 0 }, { exp: Number.MAX_VALUE }]) {
      expectInvalidToken(RULES.realm, () => check(change), 'its lifetime is too long');
    }
    expectInvalidToken(RULES.realm, () => check({ iat: 0, exp: 18_001 }), 'its lifetime is too long');
  });

  it('accepts iat and nbf up to 60 s ahead', () => {
    check({ iat: NOW + 60, exp: NOW + 18_060 });
    for (const nbf of [0, NOW - 1, NOW + 0.5, NOW + 60]) check({ nbf });
    const ahead = [60.001, 61, 3_600].map((seconds) => NOW + seconds);
    for (const change of [...ahead.map((iat) => ({ iat, exp: iat + 1 })), ...ahead.map((nbf) => ({ nbf }))]) {
      expectInvalidToken(RULES.realm, () => check(change), 'it is not valid yet');
    }
  });

  it('refuses every token while the clock gives no time', () => {
    for (const change of [{}, { iat: 0, exp: 1 }, { nbf: 0 }]) {
      expectInvalidToken(RULES.realm, () => check(change, NaN), 'it is not valid yet');
    }
  });
});

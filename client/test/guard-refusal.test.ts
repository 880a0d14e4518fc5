import { expect } from 'chai';
import { catalogue } from '../../src/errors/catalogue.js';
import { EXPIRED_TOKEN, INVALID_TOKEN } from '../../test/helpers/answers.js';
import { GUARD_CODES, isGuardRefusal } from '../src/guard-refusal.js';

/** Returns what the client finds about a 401 with a body and a challenge. */
const isGuards = (text: string, challenge?: string, method = 'POST') =>
  isGuardRefusal(
    new Response(text || null, {
      status: 401,
      headers: challenge === undefined ? {} : { 'WWW-Authenticate': challenge },
    }),
    method,
  );

const INVALID = `{"error":"${INVALID_TOKEN}"}`;

describe('isGuardRefusal', () => {
  it('knows the codes of the catalogue that ask for a login', () => {
    const codes = Object.entries(catalogue).flatMap(([code, { retry }]) => (retry === 'login' ? [code] : []));
    expect(GUARD_CODES).to.have.members(codes);
  });

  it('goes by the error of a body alone, whatever the challenge and the method are', async () => {
    for (const method of ['POST', 'HEAD']) {
      for (const challenge of [undefined, 'Bearer', 'Basic', 'Bearer error="insufficient_user_authentication"']) {
        for (const error of GUARD_CODES) {
          const text = JSON.stringify({ error, description: 'Log in again.' });
          expect(await isGuards(text, challenge, method), text).to.equal(true);
        }
      }
    }
  });

  // A handler that has paid can relay each of them from its upstream.
  for (const text of [
    '{"error":"otp_required"}',
    '{"error":"Invalid_Token"}',
    `{"error":"${INVALID_TOKEN} "}`,
    '{"error":""}',
    `{"error":["${INVALID_TOKEN}"]}`,
    `{"error":{"code":"${INVALID_TOKEN}"}}`,
    `{"detail":{"error":"${EXPIRED_TOKEN}"}}`,
    `{"errors":[{"error":"${EXPIRED_TOKEN}"}]}`,
    '{"message":"Unauthorized"}',
    '{"type":"about:blank","title":"Unauthorized","status":401}',
    `{"__proto__":{"error":"${INVALID_TOKEN}"}}`,
    'null',
    ' ',
    'Unauthorized',
    `<p>${INVALID}</p>`,
    `${INVALID}${INVALID}`,
    `{"description":"${'-'.repeat(8_192)}","error":"${INVALID_TOKEN}"}`,
  ]) {
    it(`says false for the body ${text.slice(0, 60)}, whatever the challenge and the method are`, async () => {
      for (const challenge of [undefined, 'Bearer', 'Bearer realm="merchant", error="invalid_token"']) {
        for (const method of ['POST', 'HEAD']) expect(await isGuards(text, challenge, method)).to.equal(false);
      }
    });
  }

  it('counts the bytes of the body up to 8 KiB, and leaves the body to the caller', async () => {
    for (const length of [8_192, 8_193]) {
      const answer = new Response(INVALID.padEnd(length), { status: 401 });
      expect(await isGuardRefusal(answer, 'POST')).to.equal(length === 8_192);
      expect(await answer.text()).to.have.length(length);
    }
  });

  for (const [challenge, expected] of [
    ['Bearer', true],
    ['bEARER', true],
    ['Bearer realm="merchant", error="invalid_token", error_description="The token has expired. Log in again."', true],
    ['Bearer error=invalid_token', true],
    [undefined, false],
    ['Basic realm="x"', false],
    ['Bearers', false],
    ['Bearer error="insufficient_user_authentication", acr_values="otp"', false],
    ['Bearer realm="y", ERROR = "insufficient_scope"', false],
    ['Bearer error=""', false],
  ] as const) {
    it(`says ${String(expected)} without a body for the challenge ${challenge} of a HEAD, and false of a payment`, async () => {
      expect(await isGuards('', challenge, 'HEAD')).to.equal(expected);
      expect(await isGuards('', challenge, 'head')).to.equal(expected);
      expect(await isGuards('', challenge, 'POST')).to.equal(false);
    });
  }

  it('says false for another status, after a redirect, and for a body that was read already', async () => {
    expect(await isGuardRefusal(new Response(INVALID, { status: 403 }), 'POST')).to.equal(false);
    const redirected = Object.defineProperty(new Response(INVALID, { status: 401 }), 'redirected', { value: true });
    expect(await isGuardRefusal(redirected, 'POST')).to.equal(false);
    const read = new Response(INVALID, { status: 401 });
    await read.text();
    expect(await isGuardRefusal(read, 'POST')).to.equal(false);
  });
});

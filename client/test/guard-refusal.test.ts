import { expect } from 'chai';
import { catalogue } from '../../src/errors/catalogue.js';
import { EXPIRED_TOKEN, INVALID_TOKEN } from '../../test/helpers/answers.js';
import { GUARD_CODES, isGuardRefusal } from '../src/guard-refusal.js';
import { redirected } from './stub-service.js';

/** Makes an answer with a challenge, and with a body unless that is empty. */
function refusal(text: string, challenge: string | undefined = 'Bearer', status = 401): Response {
  return new Response(text || null, { status, headers: { 'WWW-Authenticate': challenge } });
}

/** Returns what the client finds about a 401 with a body and a challenge. */
function isGuards(text: string, challenge: string | undefined, method: string | undefined): Promise<boolean> {
  const answer = refusal(text, challenge);
  if (challenge === undefined) answer.headers.delete('WWW-Authenticate');
  return isGuardRefusal(answer, method);
}

const INVALID = `{"success":false,"error":"${INVALID_TOKEN}"}`;
const CHALLENGES = ['Bearer', 'bEARER realm="merchant", error="invalid_token"'];

describe('isGuardRefusal', () => {
  it('knows the codes of the catalogue that ask for a login', () => {
    const codes = Object.entries(catalogue).flatMap(([code, { retry }]) => (retry === 'login' ? [code] : []));
    expect(GUARD_CODES).to.have.members(codes);
  });

  it('takes the challenge and the body together, and of a request that pays nothing the body alone', async () => {
    for (const method of ['POST', 'Patch', 'delete', 'GETS', 'GET', 'get', 'HEAD', undefined]) {
      const isSafe = ['GET', 'get', 'HEAD', undefined].includes(method);
      for (const challenge of [undefined, 'Basic', 'Bearers', 'Bearer error="insufficient_scope"', ...CHALLENGES]) {
        for (const error of GUARD_CODES) {
          const text = JSON.stringify({ success: false, error, description: 'Log in again.' });
          expect(await isGuards(text, challenge, method), text).to.equal(
            isSafe || CHALLENGES.includes(challenge ?? ''),
          );
        }
      }
    }
  });

  it('knows the challenge under the name that AWS gives it', async () => {
    const headers = { 'x-amzn-Remapped-WWW-Authenticate': 'Bearer realm="merchant"' };
    expect(await isGuardRefusal(new Response(INVALID, { status: 401, headers }), 'POST')).to.equal(true);
  });

  // A handler that has paid can relay each of them from its upstream.
  for (const text of [
    `{"error":"${INVALID_TOKEN}","error_description":"The access token expired"}`,
    `{"success":"false","error":"${INVALID_TOKEN}"}`,
    `{"success":true,"error":"${INVALID_TOKEN}"}`,
    '{"success":false,"error":"otp_required"}',
    '{"success":false,"error":"Invalid_Token"}',
    `{"success":false,"error":"${INVALID_TOKEN} "}`,
    '{"success":false,"error":""}',
    `{"success":false,"error":["${INVALID_TOKEN}"]}`,
    `{"success":false,"error":{"code":"${INVALID_TOKEN}"}}`,
    `{"success":false,"detail":{"error":"${EXPIRED_TOKEN}"}}`,
    `{"success":false,"errors":[{"error":"${EXPIRED_TOKEN}"}]}`,
    '{"message":"Unauthorized"}',
    '{"type":"about:blank","title":"Unauthorized","status":401}',
    `{"success":false,"__proto__":{"error":"${INVALID_TOKEN}"}}`,
    'null',
    ' ',
    'Unauthorized',
    `<p>${INVALID}</p>`,
    `${INVALID}${INVALID}`,
    `{"success":false,"description":"${'-'.repeat(8_192)}","error":"${INVALID_TOKEN}"}`,
  ]) {
    it(`says false for the body ${text.slice(0, 76)}, whatever the challenge and the method are`, async () => {
      for (const challenge of [undefined, ...CHALLENGES]) {
        for (const method of ['POST', 'GET']) expect(await isGuards(text, challenge, method)).to.equal(false);
      }
    });
  }

  it('counts the bytes of the body up to 8 KiB, and leaves the body to the caller', async () => {
    for (const length of [8_192, 8_193]) {
      const answer = refusal(INVALID.padEnd(length));
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
    it(`says ${String(expected)} without a body for the challenge ${challenge} of a HEAD, and false of others`, async () => {
      expect(await isGuards('', challenge, 'HEAD')).to.equal(expected);
      expect(await isGuards('', challenge, 'head')).to.equal(expected);
      for (const method of ['POST', 'GET']) expect(await isGuards('', challenge, method)).to.equal(false);
    });
  }

  it('says false for another status, after a redirect, and for a body that was read already', async () => {
    expect(await isGuardRefusal(refusal(INVALID, 'Bearer', 403), 'POST')).to.equal(false);
    expect(await isGuardRefusal(redirected(refusal(INVALID)), 'POST')).to.equal(false);
    const read = refusal(INVALID);
    await read.text();
    expect(await isGuardRefusal(read, 'POST')).to.equal(false);
  });
});

import { expect } from 'chai';
import { isGuardRefusal } from '../src/guard-refusal.js';

const isGuards = (text: string | undefined, challenge?: string) =>
  isGuardRefusal(
    new Response(null, { status: 401, headers: challenge === undefined ? {} : { 'WWW-Authenticate': challenge } }),
    text,
  );

describe('isGuardRefusal', () => {
  it('goes by the error of the body, whatever the challenge is', () => {
    const step = 'Bearer error="insufficient_user_authentication"';
    for (const error of ['missing_token', 'invalid_token', 'expired_token', 'revoked_token']) {
      for (const challenge of [undefined, 'Bearer', step]) {
        expect(isGuards(JSON.stringify({ error, description: 'Log in again.' }), challenge), error).to.equal(true);
      }
    }
    for (const error of ['wrong_credentials', 'otp_required', 'token_expired', 'Invalid_Token', 'invalid_token ', '']) {
      for (const challenge of [undefined, 'Bearer', 'Bearer error="invalid_token"']) {
        expect(isGuards(JSON.stringify({ error }), challenge), error).to.equal(false);
      }
    }
  });

  it('says false for an error of another form, which is not of the guard', () => {
    for (const error of [{ code: 'otp_required' }, ['otp'], 4012, true, null]) {
      expect(isGuards(JSON.stringify({ error }), 'Bearer realm="merchant"')).to.equal(false);
    }
  });

  for (const text of [
    '',
    'Unauthorized',
    '<p>{"error":"otp_required"}</p>',
    '{}',
    '["invalid_token"]',
    '"invalid_token"',
    'null',
  ]) {
    it(`goes by the challenge when the body is ${text || 'empty'}`, () => {
      expect(isGuards(text, 'Bearer realm="merchant"')).to.equal(true);
      expect(isGuards(text, 'Bearer error="insufficient_user_authentication"')).to.equal(false);
      expect(isGuards(text)).to.equal(false);
    });
  }

  for (const [challenge, expected] of [
    ['Bearer', true],
    ['bEARER', true],
    ['Bearer realm="merchant", error="invalid_token", error_description="The token has expired. Log in again."', true],
    ['Bearer error=invalid_token', true],
    ['Bearer Error = "invalid_token"', true],
    ['Basic realm="x", Bearer realm="y"', true],
    ['Bearer realm="y",Basic YWxhZGRpbg==', true],
    ['Basic, , Bearer', true],
    ['Bearer realm="a, error=x"', true],
    ['Bearer realm="an \\" error=x\\" here"', true],
    ['Bearer realm="x", error_uri="https://api.example/?error=x"', true],
    ['', false],
    ['Basic realm="x"', false],
    ['Basic realm="x, Bearer"', false],
    ['Basic realm="\\", Bearer realm=\\""', false],
    ['Basic realm=bearer', false],
    ['Bearers', false],
    ['X-Bearer', false],
    ['DPoP algs="ES256"', false],
    ['Bearer error="insufficient_user_authentication", acr_values="otp"', false],
    ['Bearer realm="y", ERROR="insufficient_scope"', false],
    ['Bearer error=insufficient_scope', false],
    ['Bearer error="Invalid_Token"', false],
    ['Bearer error=""', false],
    ['Bearer error="invalid_token", Bearer error="insufficient_scope"', false],
    ['Bearer, DPoP error="use_dpop_nonce"', false],
    ['error="insufficient_scope", Bearer', false],
    ['Bearer realm="x, error="insufficient_scope"', false],
  ] as const) {
    it(`says ${String(expected)} for the challenge ${challenge || '""'}`, () => {
      expect(isGuards('', challenge)).to.equal(expected);
    });
  }

  it('says false for a body that is not known, another status, and after a redirect', () => {
    expect(isGuards(undefined, 'Bearer')).to.equal(false);
    const text = '{"error":"invalid_token"}';
    expect(isGuardRefusal(new Response(null, { status: 403 }), text)).to.equal(false);
    const redirected = Object.defineProperty(new Response(null, { status: 401 }), 'redirected', { value: true });
    expect(isGuardRefusal(redirected, text)).to.equal(false);
  });
});

import { inspect } from 'node:util';
import { expect } from 'chai';
import { AuthError, DEFAULT_REALM } from '../../src/errors/auth-error.js';
import {
  EXPIRED_TOKEN,
  FOREIGN_REFERENCE,
  INVALID_BODY,
  MALFORMED_ACCOUNT,
  MISSING_REFERENCE,
  MISSING_TOKEN,
  REVOKED_TOKEN,
  SOURCE_NOT_ALLOWED,
  STORE_UNAVAILABLE,
  TOO_MANY_ATTEMPTS,
  WRONG_CREDENTIALS,
} from '../helpers/answers.js';

describe('AuthError', () => {
  it('has a stack if the host must fix the cause, and none if the caller must', () => {
    const { stackTraceLimit } = Error;
    expect(new AuthError(WRONG_CREDENTIALS).stack).to.match(/^(Auth)?Error: Wrong email or password$/);
    expect(Error.stackTraceLimit).to.equal(stackTraceLimit);
    expect(new AuthError(MALFORMED_ACCOUNT).stack).to.contain('auth-error.test');
    expect(new Error('another').stack).to.contain('auth-error.test');
  });

  it('adds errors at the end, and only when they are given', () => {
    const errors = [{ field: 'email', rule: 'required', message: 'email is required.' }] as const;
    const error = new AuthError(INVALID_BODY, { description: 'email is required.', errors });
    expect(JSON.stringify(error)).to.equal(
      `{"status":"Error","success":false,"code":400,"error":"${INVALID_BODY}","message":"Body not valid",` +
        '"description":"email is required.",' +
        '"errors":[{"field":"email","rule":"required","message":"email is required."}]}',
    );
    expect(new AuthError(INVALID_BODY, { errors: [] }).toJSON())
      .to.have.property('errors')
      .deep.equal([]);
    expect(new AuthError(INVALID_BODY).toJSON()).not.to.have.property('errors');
  });

  it('keeps the detail for the logs and out of the answer', () => {
    const error = new AuthError(MALFORMED_ACCOUNT, { detail: 'UserStore.findById returned nonsense.' });
    expect(error.detail).to.equal('UserStore.findById returned nonsense.');
    expect(error.message).to.equal('Service misconfigured');
    expect(error.description).to.equal('The service is misconfigured. Tell its operator.');
    expect(JSON.stringify({ ...error.toJSON(), headers: error.headers })).not.to.contain('nonsense');
  });

  it('names the references that it is given, in its texts and in a copy of the list', () => {
    const referenceNames = ['merchantId', 'wallet_id'];
    const error = new AuthError(MISSING_REFERENCE, { referenceNames });
    expect(error).to.deep.include({
      description: 'Send merchantId or wallet_id: the marchand.referencl of your login.',
      referenceNames,
    });
    expect(error.referenceNames).not.to.equal(referenceNames);
    expect(error.toJSON()).not.to.have.property('referenceNames');
  });

  it('has no member beside those of its type, so that nothing in it tells if an account exists', () => {
    const members = ['name', 'code', 'status', 'description', 'detail', 'hostSide', 'headers'];
    const error = new AuthError(WRONG_CREDENTIALS);
    expect(error).to.be.instanceOf(Error).and.include({ name: 'AuthError', code: WRONG_CREDENTIALS });
    expect(Object.keys(error)).to.have.members(members);
  });

  it('keeps the caught error as its cause and out of the answer', () => {
    const cause = new Error('connection refused by 10.0.0.7');
    const error = new AuthError(STORE_UNAVAILABLE, { cause });
    expect(error.cause).to.equal(cause);
    expect(JSON.stringify(error)).not.to.contain('10.0.0.7');
    expect(`${error.message} ${error.description} ${error.detail}`).not.to.contain('10.0.0.7');
    expect(inspect(error.headers)).not.to.contain('10.0.0.7');
    expect(new AuthError(STORE_UNAVAILABLE, { cause: null })).to.have.property('cause', null);
  });

  it('has no cause when none is given', () => {
    expect(new AuthError(STORE_UNAVAILABLE, { cause: undefined })).not.to.have.own.property('cause');
  });

  it('accepts another status, for the answer and its body', () => {
    const error = new AuthError(INVALID_BODY, { status: 413 });
    expect(error.status).to.equal(413);
    expect(error.toJSON().code).to.equal(413);
  });

  it('names the realm in its challenge', () => {
    expect(DEFAULT_REALM).to.equal('merchant');
    expect(new AuthError(MISSING_TOKEN, { realm: 'back office' }).headers).to.deep.equal({
      'WWW-Authenticate': 'Bearer realm="back office"',
    });
    expect(new AuthError(REVOKED_TOKEN, { realm: 'back office' }).headers).to.deep.equal({
      'WWW-Authenticate':
        'Bearer realm="back office", error="invalid_token", ' +
        'error_description="The token is no longer accepted. Log in again."',
    });
    expect(new AuthError(FOREIGN_REFERENCE, { realm: 'back office' }).headers).to.deep.equal({});
  });

  it('has a given description in its challenge, unless RFC 6750 forbids one of its characters there', () => {
    const challengeOf = (description: string) =>
      new AuthError(EXPIRED_TOKEN, { description }).headers['WWW-Authenticate'];
    const challenge = (text: string) => `Bearer realm="merchant", error="invalid_token", error_description="${text}"`;
    const given = ' !#[]~: Reconnectez-vous';
    expect(challengeOf(given)).to.equal(challenge(given));
    const own = challenge('The token has expired. Log in again.');
    for (const forbidden of ['"', '\\', '\u007f', '\n', 'é', '\u2019']) {
      for (const text of [`${forbidden}a`, `a${forbidden}`]) expect(challengeOf(text)).to.equal(own);
    }
    expect(challengeOf('')).to.equal(own);
  });

  it('has the same seconds in its header and in its description', () => {
    const error = new AuthError(TOO_MANY_ATTEMPTS, { retryAfterSeconds: 3_541 });
    expect(error.headers).to.deep.equal({ 'Retry-After': '3541' });
    expect(error.description).to.equal('Too many logins failed. Try again in 3541 seconds.');
  });

  it('has the address and the limits for a respond in another language, and its answer does not', () => {
    const refused = new AuthError(SOURCE_NOT_ALLOWED, { address: '203.0.113.7' });
    expect(refused.address).to.equal('203.0.113.7');
    expect(refused.toJSON()).to.have.all.keys('status', 'success', 'code', 'error', 'message', 'description');
    const broken = { field: 'password', rule: 'minLength', message: 'Longer.', limit: 6 } as const;
    const refusal = new AuthError(INVALID_BODY, { errors: [broken] });
    expect(refusal.errors).to.deep.equal([broken]);
    expect(refusal.toJSON().errors).to.deep.equal([{ field: 'password', rule: 'minLength', message: 'Longer.' }]);
    for (const member of ['address', 'errors']) expect(new AuthError(INVALID_BODY)).not.to.have.property(member);
  });
});

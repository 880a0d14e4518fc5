import { expect } from 'chai';
import { AuthError, DEFAULT_REALM } from '../../src/errors/auth-error.js';

describe('AuthError', () => {
  it('is an Error with a name, a code, a status and a description', () => {
    const error = new AuthError('wrong_credentials');
    expect(error).to.be.instanceOf(Error);
    expect(error.name).to.equal('AuthError');
    expect(error.code).to.equal('wrong_credentials');
    expect(error.status).to.equal(401);
    expect(error.description).to.equal('Wrong email or password.');
    expect(error.message).to.equal('Wrong email or password.');
  });

  it('says where it was made when the host has to mend it, and not when the caller has', () => {
    const { stackTraceLimit } = Error;
    expect(new AuthError('wrong_credentials').stack).to.match(/^(Auth)?Error: Wrong email or password\.$/);
    expect(Error.stackTraceLimit).to.equal(stackTraceLimit);
    expect(new AuthError('malformed_account').stack).to.contain('auth-error.test');
    expect(new Error('another').stack).to.contain('auth-error.test');
  });

  it('answers a body of six members in their order', () => {
    const error = new AuthError('foreign_reference');
    expect(JSON.stringify(error)).to.equal(
      '{"status":"Error","success":false,"code":403,"error":"foreign_reference","message":"Forbidden",' +
        '"description":"refercence_cl is not this account\'s own."}',
    );
    expect(error.toJSON()).to.deep.equal(JSON.parse(JSON.stringify(error)));
  });

  it('adds errors at the end, and only when they are given', () => {
    const errors = [{ field: 'email', rule: 'required', message: 'email is required.' }] as const;
    const error = new AuthError('invalid_body', { description: 'email is required.', errors });
    expect(JSON.stringify(error)).to.equal(
      '{"status":"Error","success":false,"code":400,"error":"invalid_body","message":"Invalid request",' +
        '"description":"email is required.",' +
        '"errors":[{"field":"email","rule":"required","message":"email is required."}]}',
    );
    expect(new AuthError('invalid_body', { errors: [] }).toJSON())
      .to.have.property('errors')
      .deep.equal([]);
    expect(new AuthError('invalid_body').toJSON()).not.to.have.property('errors');
  });

  it('keeps the detail for the logs, away from the caller', () => {
    const error = new AuthError('malformed_account', { detail: 'UserStore.findById returned nonsense.' });
    expect(error.message).to.equal('UserStore.findById returned nonsense.');
    expect(error.description).to.equal('The service is misconfigured.');
    expect(JSON.stringify({ ...error.toJSON(), headers: error.headers })).not.to.contain('nonsense');
  });

  it('has the description as its message where there is no detail', () => {
    const error = new AuthError('unreadable_body', { description: 'Send JSON.' });
    expect(error.message).to.equal('Send JSON.');
    expect(error.toJSON().description).to.equal('Send JSON.');
    expect(error.toJSON().message).to.equal('Unsupported media type');
  });

  it('keeps what was caught as its cause, and shows it to no caller', () => {
    const cause = new Error('connection refused by 10.0.0.7');
    const error = new AuthError('store_unavailable', { cause });
    expect(error.cause).to.equal(cause);
    expect(JSON.stringify(error)).not.to.contain('10.0.0.7');
    expect(new AuthError('store_unavailable', { cause: null })).to.have.property('cause', null);
  });

  it('has no cause where there is none', () => {
    expect(new AuthError('store_unavailable')).not.to.have.own.property('cause');
    expect(new AuthError('store_unavailable', { cause: undefined })).not.to.have.own.property('cause');
  });

  it('takes another status, in the answer and its body alike', () => {
    const error = new AuthError('invalid_body', { status: 413 });
    expect(error.status).to.equal(413);
    expect(error.toJSON().code).to.equal(413);
  });

  it('names the realm in its challenge', () => {
    expect(DEFAULT_REALM).to.equal('merchant');
    expect(new AuthError('missing_token', { realm: 'back office' }).headers).to.deep.equal({
      'WWW-Authenticate': 'Bearer realm="back office"',
    });
    expect(new AuthError('revoked_token', { realm: 'back office' }).headers).to.deep.equal({
      'WWW-Authenticate':
        'Bearer realm="back office", error="invalid_token", ' +
        'error_description="The token is no longer accepted. Log in again."',
    });
    expect(new AuthError('foreign_reference', { realm: 'back office' }).headers).to.deep.equal({});
  });

  it('keeps a description of its own out of the challenge, whose characters RFC 6750 restricts', () => {
    const error = new AuthError('expired_token', { description: 'Reconnectez-vous, l’heure est passée: "exp".' });
    expect(error.headers['WWW-Authenticate']).to.equal(
      'Bearer realm="merchant", error="invalid_token", error_description="The token has expired. Log in again."',
    );
  });

  it('says in how many seconds to try again, alike in its header and its description', () => {
    for (const [code, what] of [
      ['too_many_attempts', 'Too many failed logins.'],
      ['too_busy', 'Too many logins at once.'],
    ] as const) {
      const error = new AuthError(code, { retryAfterSeconds: 3_541 });
      expect(error.headers).to.deep.equal({ 'Retry-After': '3541' });
      expect(error.toJSON().description).to.equal(`${what} Try again in 3541 seconds.`);
      expect(error.message).to.equal(`${what} Try again in 3541 seconds.`);
    }
    expect(new AuthError('store_unavailable', { retryAfterSeconds: 1 }).headers).to.deep.equal({ 'Retry-After': '1' });
  });

  it('shares nothing with other errors of its code', () => {
    const [one, other] = [new AuthError('store_unavailable'), new AuthError('store_unavailable')];
    expect(one.headers).not.to.equal(other.headers);
    expect(one.toJSON()).not.to.equal(one.toJSON());
  });
});

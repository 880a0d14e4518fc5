import { expect } from 'chai';
import { checkCall, checkTexts, type LoginCredentials } from '../../src/login/check-arguments.js';
import { AWA, PASSWORD } from '../helpers/accounts.js';
import { INVALID_BODY } from '../helpers/answers.js';
import { requestFrom } from '../helpers/logins-in-progress.js';
import { expectAuthError, expectTypeError, thrownBy } from '../helpers/thrown.js';

const CREDENTIALS = { identifier: AWA.email, password: PASSWORD };

describe('checkCall', () => {
  it('throws for a call without the request', () => {
    for (const req of [undefined, null, CREDENTIALS, AWA.email]) {
      const problem = 'login.attempt needs the request first: login.attempt(req, { identifier, password }).';
      expectTypeError(() => checkCall(req, CREDENTIALS), problem);
    }
  });

  it('throws for credentials in which a member was not written', () => {
    for (const wrong of [undefined, null, 'awa', {}, { email: AWA.email, password: PASSWORD }, { identifier: 'awa' }]) {
      expectTypeError(
        () => checkCall(requestFrom('203.0.113.1'), wrong),
        'login.attempt needs the members identifier and password, whatever their names in the body: ' +
          '{ identifier: req.body.email, password: req.body.password }.',
      );
    }
  });

  it('leaves values that the caller did not send to checkTexts', () => {
    checkCall(requestFrom('203.0.113.1'), { identifier: undefined, password: undefined });
  });
});

describe('checkTexts', () => {
  it('accepts only texts that a login can have', () => {
    for (const value of [undefined, [AWA.email], '', 'a'.repeat(256)]) {
      for (const [name, credentials] of [
        ['identifier', { identifier: value, password: PASSWORD }],
        ['identifier', { identifier: value, password: value }],
        ['password', { identifier: AWA.email, password: value }],
      ] as const) {
        const error = expectAuthError(
          thrownBy(() => checkTexts(credentials as LoginCredentials)),
          INVALID_BODY,
        );
        const description = `The ${name} must be a text of 1 to 255 characters, without NUL.`;
        expect(error.toJSON()).to.include({ description }).and.not.have.property('errors');
      }
    }
    for (const text of ['a', '😀'.repeat(255)]) {
      expect(checkTexts({ identifier: text, password: text })).to.deep.equal({ identifier: text, password: text });
    }
  });
});

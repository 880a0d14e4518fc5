import { mock } from 'node:test';
import { expect } from 'chai';
import { AuthError, tooBusy } from '../../src/errors/auth-error.js';
import { type AuthErrorCode, catalogue, entryOf } from '../../src/errors/catalogue.js';
import {
  answerOf,
  CODES,
  EXPIRED_TOKEN,
  INVALID_TOKEN,
  LOST_BODY,
  MALFORMED_ACCOUNT,
  MISSING_TOKEN,
  REVOKED_TOKEN,
  STORE_UNAVAILABLE,
  TOO_BUSY,
  TOO_MANY_ATTEMPTS,
} from '../helpers/answers.js';

/** The codes after which a client may log in and repeat the request. */
const AFTER_A_LOGIN: readonly AuthErrorCode[] = [MISSING_TOKEN, INVALID_TOKEN, EXPIRED_TOKEN, REVOKED_TOKEN];

/** The lowest seconds of `Retry-After`, without those of the throttle. */
const SECONDS: Readonly<Partial<Record<AuthErrorCode, number>>> = {
  [TOO_MANY_ATTEMPTS]: 60,
  [TOO_BUSY]: 2,
  [STORE_UNAVAILABLE]: 5,
};

/** Makes `Math.random` return `value` for the rest of the test. */
function fixRandom(value: number): void {
  mock.method(Math, 'random', () => value);
}

describe('catalogue', () => {
  afterEach('restore Math.random', () => {
    mock.restoreAll();
  });

  it('contains exactly the errors of the table', () => {
    expect(Object.keys(catalogue)).to.deep.equal(CODES);
  });

  for (const code of CODES) {
    const { expected, headers } = answerOf(code, SECONDS[code]);
    it(`answers ${code} with ${expected.code}`, () => {
      fixRandom(0);
      const error = new AuthError(code, { address: '{A}' });
      expect(error.status).to.equal(expected.code);
      expect(error.headers).to.deep.equal(headers);
      expect(JSON.stringify(error)).to.equal(JSON.stringify({ status: 'Error', success: false, ...expected }));
      const repeated = AFTER_A_LOGIN.includes(code) ? 'login' : 'never';
      expect(entryOf(code)).to.include({ retry: 'Retry-After' in headers ? 'after' : repeated });
    });
  }

  it('has another message for each error, except that the two of a wrong setup have one', () => {
    expect(new Set(CODES.map((code) => entryOf(code).message)).size).to.equal(CODES.length - 1);
    expect(entryOf(LOST_BODY).message).to.equal(entryOf(MALFORMED_ACCOUNT).message);
  });

  it('spreads the callers of a burst over 2 to 8 seconds', () => {
    const seconds = [0, 0.142, 0.143, 0.5, 0.857, 0.858, 0.999_999].map((random) => {
      fixRandom(random);
      const { headers, description } = tooBusy();
      mock.restoreAll();
      expect(description).to.equal(answerOf(TOO_BUSY, Number(headers['Retry-After'])).expected.description);
      return headers['Retry-After'];
    });
    expect(seconds).to.deep.equal(['2', '2', '3', '5', '7', '8', '8']);
  });

  it('leaves to the host the errors that only the host can fix', () => {
    const hostSide = CODES.filter((code) => new AuthError(code).hostSide);
    expect(hostSide).to.deep.equal([STORE_UNAVAILABLE, LOST_BODY, MALFORMED_ACCOUNT]);
  });

  it('has descriptions that need no escape in a quoted string', () => {
    for (const code of CODES) {
      for (const options of [{}, { address: '{A}' }]) {
        expect(new AuthError(code, options).description).to.match(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
      }
    }
  });
});

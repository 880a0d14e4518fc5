import { mock } from 'node:test';
import { expect } from 'chai';
import { AuthError, tooBusy } from '../../src/errors/auth-error.js';
import { type AuthErrorCode, catalogue, entryOf } from '../../src/errors/catalogue.js';
import { answerOf, TOO_BUSY } from '../helpers/answers.js';

/** When a code may be repeated, the event that reports it, and the lowest number of seconds of its `Retry-After`. */
type Row = readonly [retry: 'never' | 'login' | 'after', event?: string, seconds?: number];

/** The texts and headers are in helpers/answers.ts. */
const TABLE: Readonly<Record<AuthErrorCode, Row>> = {
  invalid_body: ['never'],
  wrong_credentials: ['never', 'login_failed'],
  account_disabled: ['never', 'login_failed'],
  too_many_attempts: ['after', 'login_throttled', 60],
  [TOO_BUSY]: ['after', 'login_shed', 2],
  method_not_allowed: ['never'],
  invalid_url: ['never'],
  source_not_allowed: ['never', 'source_refused'],
  missing_token: ['login', 'token_refused'],
  invalid_token: ['login', 'token_refused'],
  expired_token: ['login', 'token_refused'],
  revoked_token: ['login', 'token_refused'],
  missing_reference: ['never', 'ownership_refused'],
  invalid_reference: ['never', 'ownership_refused'],
  foreign_reference: ['never', 'ownership_refused'],
  unreadable_body: ['never', 'ownership_refused'],
  store_unavailable: ['after', 'store_failed', 5],
  lost_body: ['never', 'ownership_refused'],
  malformed_account: ['never', 'store_failed'],
};

const CODES = Object.keys(TABLE) as AuthErrorCode[];

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
    const [retry, event, seconds] = TABLE[code];
    const { expected, headers } = answerOf(code, seconds);
    it(`answers ${code} with ${expected.code}, which may be repeated: ${retry}, and reports it as ${event ?? 'no event'}`, () => {
      fixRandom(0);
      const error = new AuthError(code);
      expect(error.status).to.equal(expected.code);
      expect(error.headers).to.deep.equal(headers);
      expect(JSON.stringify(error)).to.equal(JSON.stringify({ status: 'Error', success: false, ...expected }));
      expect(entryOf(code)).to.include({ retry });
      expect(entryOf(code).event).to.equal(event);
      expect('Retry-After' in headers).to.equal(retry === 'after');
    });
  }

  it('has another message for each error, except that the two of a wrong setup have one', () => {
    expect(new Set(CODES.map((code) => entryOf(code).message)).size).to.equal(CODES.length - 1);
    expect(entryOf('lost_body').message).to.equal(entryOf('malformed_account').message);
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
    expect(hostSide).to.deep.equal(['store_unavailable', 'lost_body', 'malformed_account']);
  });

  it('has descriptions that need no escape in a quoted string', () => {
    for (const code of CODES) expect(entryOf(code).description).to.match(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  });
});

import { expect } from 'chai';
import { AuthError } from '../../src/errors/auth-error.js';
import { type AuthErrorCode, catalogue, entryOf } from '../../src/errors/catalogue.js';
import { type RefusalPlace, reportRefusal } from '../../src/events/report-refusal.js';
import { INVALID_REFERENCE, TOO_BUSY } from '../helpers/answers.js';
import { recordEvents, withoutMembers } from '../helpers/events.js';

const DIGEST = '0123456789abcdef0123456789abcdef';
const CAUSE = new Error('connection refused');
const HERE = { realm: 'partner', source: '192.0.2.7' };
/** A place with every fact, so that the code alone decides which members an event has. */
const PLACE: RefusalPlace = {
  ...HERE,
  accountId: '7',
  emailDigest: DIGEST,
  reason: 'wrong_password',
  isRepeated: true,
  enforced: true,
};

/** Returns the events of a call, without their time. */
function eventsOf(call: () => void): object[] {
  const events = recordEvents();
  call();
  return events.map((event) => withoutMembers(event, 'time'));
}

const DETAIL = 'a sentence for the logs';
const LOGIN = { ...HERE, detail: DETAIL, accountId: '7', emailDigest: DIGEST };
const GUESS = { ...LOGIN, repeated: true };
const TOKEN = { type: 'token_refused', ...HERE, detail: DETAIL, accountId: '7' };
const NAMES = { referenceNames: ['merchantId'] };
const OWNERSHIP = { type: 'ownership_refused', ...HERE, ...NAMES, detail: DETAIL, accountId: '7', enforced: true };
const STORE = { type: 'store_failed', ...HERE, detail: DETAIL, cause: CAUSE };

/** The whole event of each code, in the place above. */
const EVENTS: Readonly<Record<AuthErrorCode, object | undefined>> = {
  invalid_body: undefined,
  wrong_credentials: { type: 'login_failed', ...GUESS, reason: 'wrong_password' },
  account_disabled: { type: 'login_failed', ...GUESS, reason: 'account_disabled' },
  too_many_attempts: { type: 'login_throttled', ...GUESS, retryAfterSeconds: 42 },
  [TOO_BUSY]: { type: 'login_shed', ...LOGIN },
  method_not_allowed: undefined,
  invalid_url: undefined,
  source_not_allowed: { type: 'source_refused', ...HERE, detail: DETAIL, accountId: '7' },
  missing_token: { ...TOKEN, reason: 'missing_token' },
  invalid_token: { ...TOKEN, reason: 'invalid_token' },
  expired_token: { ...TOKEN, reason: 'expired_token' },
  revoked_token: { ...TOKEN, reason: 'revoked_token' },
  missing_reference: { ...OWNERSHIP, reason: 'missing_reference' },
  [INVALID_REFERENCE]: { ...OWNERSHIP, reason: INVALID_REFERENCE },
  foreign_reference: { ...OWNERSHIP, reason: 'foreign_reference' },
  unreadable_body: { ...OWNERSHIP, reason: 'unreadable_body' },
  store_unavailable: { ...STORE, reason: 'store_unavailable' },
  lost_body: { ...OWNERSHIP, reason: 'lost_body' },
  malformed_account: { ...STORE, reason: 'malformed_account' },
};

const CODES = Object.keys(catalogue) as AuthErrorCode[];

/** Makes an error with every fact that an event can have. */
function errorOf(code: AuthErrorCode): AuthError {
  return new AuthError(code, {
    cause: CAUSE,
    detail: DETAIL,
    ...NAMES,
    ...(code === 'too_many_attempts' && { retryAfterSeconds: 42 }),
  });
}

describe('a refusal', () => {
  for (const code of CODES) {
    const { event = 'no event' } = entryOf(code);
    it(`with the code ${code} is reported as ${event}, with exactly its members`, () => {
      const expected = EVENTS[code];
      const events = eventsOf(() => reportRefusal(errorOf(code), () => PLACE));
      expect(events).to.deep.equal(expected === undefined ? [] : [expected]);
    });
  }

  it('of a login has the reason that the login gives, and otherwise unknown_email', () => {
    const error = errorOf('wrong_credentials');
    const given = eventsOf(() => reportRefusal(error, () => ({ ...PLACE, reason: 'other_identifier' })));
    expect(given).to.deep.equal([{ type: 'login_failed', ...GUESS, reason: 'other_identifier' }]);
    const unknown = eventsOf(() => reportRefusal(error, () => ({ ...HERE, emailDigest: DIGEST })));
    expect(unknown).to.deep.equal([{ type: 'login_failed', ...LOGIN, accountId: undefined, reason: 'unknown_email' }]);
  });

  it('of a login whose body was not read has an empty digest', () => {
    const events = eventsOf(() => reportRefusal(errorOf(TOO_BUSY), () => HERE));
    expect(events).to.deep.equal([{ type: 'login_shed', ...LOGIN, accountId: undefined, emailDigest: '' }]);
  });

  it('of a reference is reported as not enforced, if the place says so', () => {
    const place = { ...PLACE, enforced: false };
    const events = eventsOf(() => reportRefusal(errorOf('foreign_reference'), () => place));
    expect(events).to.deep.equal([{ ...EVENTS.foreign_reference, enforced: false }]);
  });

  it('is only an error of this package', () => {
    const foreign = Object.assign(new Error('bug'), { code: 'missing_token' });
    for (const error of [foreign, new DOMException('gone', 'AbortError'), undefined, null, 'route']) {
      expect(eventsOf(() => reportRefusal(error, () => PLACE))).to.deep.equal([]);
    }
  });

  it('is not described while nobody listens, and never without an event', () => {
    let described = 0;
    const place = () => {
      described += 1;
      return PLACE;
    };
    for (const code of CODES) reportRefusal(errorOf(code), place);
    expect(described).to.equal(0);
    recordEvents();
    reportRefusal(errorOf('invalid_body'), place);
    expect(described).to.equal(0);
    reportRefusal(errorOf('missing_token'), place);
    expect(described).to.equal(1);
  });
});

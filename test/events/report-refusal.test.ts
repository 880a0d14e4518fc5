import { expect } from 'chai';
import { AuthError } from '../../src/errors/auth-error.js';
import { type AuthErrorCode, catalogue, entryOf } from '../../src/errors/catalogue.js';
import { type RefusalPlace, reportRefusal } from '../../src/events/report-refusal.js';
import {
  ACCOUNT_DISABLED,
  EXPIRED_TOKEN,
  FOREIGN_REFERENCE,
  INVALID_BODY,
  INVALID_REFERENCE,
  INVALID_TOKEN,
  INVALID_URL,
  LOST_BODY,
  MALFORMED_ACCOUNT,
  METHOD_NOT_ALLOWED,
  MISSING_REFERENCE,
  MISSING_TOKEN,
  REVOKED_TOKEN,
  SOURCE_NOT_ALLOWED,
  STORE_UNAVAILABLE,
  TOO_BUSY,
  TOO_MANY_ATTEMPTS,
  UNREADABLE_BODY,
  WRONG_CREDENTIALS,
} from '../helpers/answers.js';
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
  [INVALID_BODY]: undefined,
  [WRONG_CREDENTIALS]: { type: 'login_failed', ...GUESS, reason: 'wrong_password' },
  [ACCOUNT_DISABLED]: { type: 'login_failed', ...GUESS, reason: ACCOUNT_DISABLED },
  [TOO_MANY_ATTEMPTS]: { type: 'login_throttled', ...GUESS, retryAfterSeconds: 42 },
  [TOO_BUSY]: { type: 'login_shed', ...LOGIN },
  [METHOD_NOT_ALLOWED]: undefined,
  [INVALID_URL]: undefined,
  [SOURCE_NOT_ALLOWED]: { type: 'source_refused', ...HERE, detail: DETAIL, accountId: '7' },
  [MISSING_TOKEN]: { ...TOKEN, reason: MISSING_TOKEN },
  [INVALID_TOKEN]: { ...TOKEN, reason: INVALID_TOKEN },
  [EXPIRED_TOKEN]: { ...TOKEN, reason: EXPIRED_TOKEN },
  [REVOKED_TOKEN]: { ...TOKEN, reason: REVOKED_TOKEN },
  [MISSING_REFERENCE]: { ...OWNERSHIP, reason: MISSING_REFERENCE },
  [INVALID_REFERENCE]: { ...OWNERSHIP, reason: INVALID_REFERENCE },
  [FOREIGN_REFERENCE]: { ...OWNERSHIP, reason: FOREIGN_REFERENCE },
  [UNREADABLE_BODY]: { ...OWNERSHIP, reason: UNREADABLE_BODY },
  [STORE_UNAVAILABLE]: { ...STORE, reason: STORE_UNAVAILABLE },
  [LOST_BODY]: { ...OWNERSHIP, reason: LOST_BODY },
  [MALFORMED_ACCOUNT]: { ...STORE, reason: MALFORMED_ACCOUNT },
};

const CODES = Object.keys(catalogue) as AuthErrorCode[];

/** Makes an error with every fact that an event can have. */
function errorOf(code: AuthErrorCode): AuthError {
  return new AuthError(code, {
    cause: CAUSE,
    detail: DETAIL,
    ...NAMES,
    ...(code === TOO_MANY_ATTEMPTS && { retryAfterSeconds: 42 }),
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
    const error = errorOf(WRONG_CREDENTIALS);
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
    const events = eventsOf(() => reportRefusal(errorOf(FOREIGN_REFERENCE), () => place));
    expect(events).to.deep.equal([{ ...EVENTS[FOREIGN_REFERENCE], enforced: false }]);
  });

  it('is only an error of this package', () => {
    const foreign = Object.assign(new Error('bug'), { code: MISSING_TOKEN });
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
    reportRefusal(errorOf(INVALID_BODY), place);
    expect(described).to.equal(0);
    reportRefusal(errorOf(MISSING_TOKEN), place);
    expect(described).to.equal(1);
  });
});

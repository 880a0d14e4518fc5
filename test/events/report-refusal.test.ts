import { expect } from 'chai';
import { AuthError } from '../../src/errors/auth-error.js';
import { type AuthErrorCode, catalogue, entryOf } from '../../src/errors/catalogue.js';
import { type RefusalPlace, reportRefusal } from '../../src/events/report-refusal.js';
import { recordEvents, withoutMembers } from '../helpers/events.js';

const DIGEST = '0123456789abcdef0123456789abcdef';
const CAUSE = new Error('connection refused');
const HERE = { realm: 'partner', source: '192.0.2.7' };
/** A place with every fact, so that the catalogue alone decides which members an event has. */
const PLACE: RefusalPlace = { ...HERE, accountId: '7', emailDigest: DIGEST };

/** Returns the one event of an error without its time, or `undefined` if the error has no event. */
function eventOf(error: unknown, place: RefusalPlace = PLACE): object | undefined {
  const events = recordEvents();
  reportRefusal(error, () => place);
  expect(events.length).to.be.at.most(1);
  return events[0] && withoutMembers(events[0], 'time');
}

const LOGIN = { ...HERE, accountId: '7', emailDigest: DIGEST };

/** The whole event of each code, in the place above. */
const EVENTS: Readonly<Record<AuthErrorCode, object | undefined>> = {
  invalid_body: undefined,
  wrong_credentials: { type: 'login_failed', ...LOGIN, reason: 'wrong_password' },
  account_disabled: { type: 'login_failed', ...LOGIN, reason: 'account_disabled' },
  too_many_attempts: { type: 'login_throttled', ...LOGIN, retryAfterSeconds: 42 },
  too_busy: { type: 'login_shed', ...LOGIN },
  invalid_url: undefined,
  missing_token: { type: 'token_refused', ...HERE, accountId: '7', reason: 'missing_token' },
  invalid_token: { type: 'token_refused', ...HERE, accountId: '7', reason: 'invalid_token' },
  expired_token: { type: 'token_refused', ...HERE, accountId: '7', reason: 'expired_token' },
  revoked_token: { type: 'token_refused', ...HERE, accountId: '7', reason: 'revoked_token' },
  missing_reference: {
    type: 'ownership_refused',
    ...HERE,
    accountId: '7',
    reason: 'missing_reference',
    enforced: true,
  },
  invalid_reference: {
    type: 'ownership_refused',
    ...HERE,
    accountId: '7',
    reason: 'invalid_reference',
    enforced: true,
  },
  foreign_reference: {
    type: 'ownership_refused',
    ...HERE,
    accountId: '7',
    reason: 'foreign_reference',
    enforced: true,
  },
  unreadable_body: { type: 'ownership_refused', ...HERE, accountId: '7', reason: 'unreadable_body', enforced: true },
  store_unavailable: { type: 'store_failed', ...HERE, reason: 'store_unavailable', cause: CAUSE },
  malformed_account: { type: 'store_failed', ...HERE, reason: 'malformed_account', cause: CAUSE },
};

const CODES = Object.keys(catalogue) as AuthErrorCode[];

/** Makes an error with every fact that an event can have. */
function errorOf(code: AuthErrorCode): AuthError {
  const reason = code === 'account_disabled' ? 'account_disabled' : 'wrong_password';
  const isLogin = entryOf(code).event === 'login_failed';
  return new AuthError(code, {
    cause: CAUSE,
    ...(code === 'too_many_attempts' && { retryAfterSeconds: 42 }),
    ...(isLogin && { audit: { reason } }),
  });
}

describe('reportRefusal', () => {
  for (const code of CODES) {
    const { event = 'no event' } = entryOf(code);
    it(`reports ${code} as ${event}, with exactly its members`, () => {
      expect(eventOf(errorOf(code))).to.deep.equal(EVENTS[code]);
    });
  }

  it('uses the facts of the error before those of the place', () => {
    const audit = { reason: 'other_identifier', accountId: '8' } as const;
    expect(eventOf(new AuthError('wrong_credentials', { audit }))).to.deep.equal({
      type: 'login_failed',
      ...LOGIN,
      accountId: '8',
      reason: 'other_identifier',
    });
    const throttled = new AuthError('too_many_attempts', { retryAfterSeconds: 1, audit });
    expect(eventOf(throttled)).to.deep.equal({
      type: 'login_throttled',
      ...LOGIN,
      accountId: '8',
      retryAfterSeconds: 1,
    });
  });

  it('reports an ownership refusal as not enforced, if the place says so', () => {
    const event = eventOf(new AuthError('foreign_reference'), { ...PLACE, enforced: false });
    expect(event).to.deep.equal({ ...EVENTS.foreign_reference, enforced: false });
  });

  it('gives each event all of its members, also those that are unknown at the place', () => {
    const place = { realm: 'partner', source: undefined };
    for (const code of CODES) {
      const event = eventOf(errorOf(code), place);
      const expected = EVENTS[code];
      if (expected === undefined) expect(event).to.equal(undefined);
      else expect(Object.keys(event ?? {})).to.have.members(Object.keys(expected));
    }
    expect(eventOf(new AuthError('missing_token'), place)).to.deep.equal({
      type: 'token_refused',
      ...place,
      accountId: undefined,
      reason: 'missing_token',
    });
  });

  it('reports nothing for errors that are not refusals of this package', () => {
    const foreign = Object.assign(new Error('bug'), { code: 'missing_token' });
    for (const error of [foreign, new DOMException('gone', 'AbortError'), undefined, null, 'route']) {
      expect(eventOf(error)).to.equal(undefined);
    }
  });

  it('creates no event while nobody listens, and none for a code without an event', () => {
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

import { expect } from 'chai';
import { AuthError } from '../../src/errors/auth-error.js';
import type { AuthErrorCode } from '../../src/errors/catalogue.js';
import { reportFailedLogin, reportLogin } from '../../src/login/report-login.js';
import type { LoginAttempt } from '../../src/login/verify-credentials.js';
import { createPasswords } from '../../src/passwords/passwords.js';
import { AWA, PASSWORD } from '../helpers/accounts.js';
import { expectNoSecrets, recordEvents, withoutMembers } from '../helpers/events.js';
import { PHC_OF_PASSWORD } from '../helpers/hashes.js';

const passwords = createPasswords();
const DIGEST = '0123456789abcdef0123456789abcdef';
const KEYS = { email: 'key of the email', source: 'key of the source', emailAndSource: 'key of both' };
const KNOWN = { realm: 'partner', source: '192.0.2.7', emailDigest: DIGEST };

function attemptOf(found: LoginAttempt['found']): LoginAttempt {
  return {
    body: { email: AWA.email, password: PASSWORD },
    source: '192.0.2.7',
    signal: new AbortController().signal,
    identity: { emailDigest: DIGEST, keys: KEYS, decoy: 7 },
    ...(found !== undefined && { found }),
  };
}

/** The one event that is made of an error, without its time. */
function eventOf(error: unknown, found?: LoginAttempt['found']): object | undefined {
  const events = recordEvents();
  reportFailedLogin('partner', attemptOf(found), error, passwords);
  expectNoSecrets(events, AWA.email, PASSWORD, PHC_OF_PASSWORD, ...Object.values(KEYS));
  expect(events.length).to.be.at.most(1);
  return events[0] && withoutMembers(events[0], 'time');
}

const found = { account: AWA, passwordHash: PHC_OF_PASSWORD };

describe('reportLogin', () => {
  it('says who tried, from where, and what the account was, where one was found', () => {
    const events = recordEvents();
    reportLogin('partner', attemptOf(found), { type: 'login_succeeded' });
    reportLogin('partner', attemptOf(null), { type: 'login_shed' });
    reportLogin('partner', attemptOf(undefined), { type: 'login_shed' });
    expect(events.map((event) => withoutMembers(event, 'time'))).to.deep.equal([
      { type: 'login_succeeded', ...KNOWN, accountId: AWA.id },
      { type: 'login_shed', ...KNOWN, accountId: undefined },
      { type: 'login_shed', ...KNOWN, accountId: undefined },
    ]);
    expectNoSecrets(events, AWA.email, PASSWORD, PHC_OF_PASSWORD, AWA.phone, ...Object.values(KEYS));
  });

  it('looks at nothing while nobody listens', () => {
    const looked: PropertyKey[] = [];
    const watched = new Proxy(attemptOf(found), {
      get(target, name) {
        looked.push(name);
        return Reflect.get(target, name) as unknown;
      },
    });
    reportLogin('partner', watched, { type: 'login_succeeded' });
    for (const code of ['wrong_credentials', 'account_disabled', 'store_unavailable'] as const) {
      reportFailedLogin('partner', watched, new AuthError(code), passwords);
    }
    expect(looked).to.deep.equal([]);
    recordEvents();
    reportLogin('partner', watched, { type: 'login_succeeded' });
    expect(looked).not.to.deep.equal([]);
  });
});

describe('reportFailedLogin', () => {
  it('tells wrong credentials apart, which the answer does not', () => {
    const refused = new AuthError('wrong_credentials');
    const failed = { type: 'login_failed', ...KNOWN };
    expect(eventOf(refused, null)).to.deep.equal({ ...failed, reason: 'unknown_email', accountId: undefined });
    expect(eventOf(refused, found)).to.deep.equal({ ...failed, reason: 'wrong_password', accountId: AWA.id });
    expect(eventOf(refused, { account: AWA, passwordHash: null })).to.deep.equal({
      ...failed,
      reason: 'no_usable_hash',
      accountId: AWA.id,
    });
  });

  it('tells of a disabled account, of the throttle with its seconds, and of what was shed', () => {
    expect(eventOf(new AuthError('account_disabled'), found)).to.deep.equal({
      type: 'login_failed',
      ...KNOWN,
      reason: 'account_disabled',
      accountId: AWA.id,
    });
    expect(eventOf(new AuthError('too_many_attempts', { retryAfterSeconds: 42 }))).to.deep.equal({
      type: 'login_throttled',
      ...KNOWN,
      accountId: undefined,
      retryAfterSeconds: 42,
    });
    expect(eventOf(new AuthError('too_busy'), found)).to.deep.equal({
      type: 'login_shed',
      ...KNOWN,
      accountId: AWA.id,
    });
  });

  it('tells of the store, with the cause, and not whose login it was', () => {
    const cause = new Error('connection refused');
    for (const reason of ['store_unavailable', 'malformed_account'] as const) {
      expect(eventOf(new AuthError(reason, { cause }))).to.deep.equal({
        type: 'store_failed',
        reason,
        cause,
        realm: 'partner',
        source: '192.0.2.7',
      });
    }
  });

  it('tells nothing of other errors', () => {
    const others: AuthErrorCode[] = ['invalid_body', 'missing_token', 'foreign_reference', 'unreadable_body'];
    for (const error of [...others.map((code) => new AuthError(code)), new Error('bug'), undefined, 'route', null]) {
      expect(eventOf(error)).to.equal(undefined);
    }
  });
});

import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import { reportRefusal } from '../../src/bearer/report-refusal.js';
import { AuthError } from '../../src/errors/auth-error.js';
import { type AuthErrorCode, catalogue } from '../../src/errors/catalogue.js';
import { expectNoSecrets, recordEvents, withoutMembers } from '../helpers/events.js';

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

/** A request on node's own server, without what Express adds. */
function plainRequest(address?: string): IncomingMessage {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
  const req = new IncomingMessage(socket);
  req.headers.authorization = `Bearer ${TOKEN}`;
  return req;
}

/** The one event that is made of an error, without its time. */
function eventOf(error: unknown, accountId?: string): object | undefined {
  const events = recordEvents();
  reportRefusal(error, plainRequest('192.0.2.7'), 'partner', accountId);
  expectNoSecrets(events, ...TOKEN.split('.'));
  expect(events.length).to.be.at.most(1);
  return events[0] && withoutMembers(events[0], 'time');
}

const HERE = { realm: 'partner', source: '192.0.2.7' };

describe('reportRefusal', () => {
  it('tells of every refusal of a token, and of whose it was when it was good', () => {
    for (const reason of ['missing_token', 'invalid_token', 'expired_token'] as const) {
      expect(eventOf(new AuthError(reason))).to.deep.equal({
        type: 'token_refused',
        reason,
        accountId: undefined,
        ...HERE,
      });
    }
    expect(eventOf(new AuthError('revoked_token'), '7')).to.deep.equal({
      type: 'token_refused',
      reason: 'revoked_token',
      accountId: '7',
      ...HERE,
    });
  });

  it('tells of every refusal of a reference', () => {
    for (const reason of ['missing_reference', 'invalid_reference', 'foreign_reference'] as const) {
      const expected = { type: 'ownership_refused', reason, accountId: '7', ...HERE };
      expect(eventOf(new AuthError(reason), '7')).to.deep.equal(expected);
    }
  });

  it('tells of the store, with the cause', () => {
    const cause = new Error('connection refused');
    for (const reason of ['store_unavailable', 'malformed_account'] as const) {
      const expected = { type: 'store_failed', reason, cause, ...HERE };
      expect(eventOf(new AuthError(reason, { cause }), '7')).to.deep.equal(expected);
    }
  });

  it('tells of every error of the catalogue that is about tokens, references or the store, and of no other', () => {
    const told = (Object.keys(catalogue) as AuthErrorCode[]).filter((code) => eventOf(new AuthError(code), '7'));
    expect(told).to.have.members([
      'missing_token',
      'invalid_token',
      'expired_token',
      'revoked_token',
      'missing_reference',
      'invalid_reference',
      'foreign_reference',
      'store_unavailable',
      'malformed_account',
    ]);
    for (const error of [new Error('bug'), undefined, null, 'route']) expect(eventOf(error, '7')).to.equal(undefined);
  });

  it('has no source where the request has no address', () => {
    const events = recordEvents();
    reportRefusal(new AuthError('missing_token'), plainRequest(), 'partner', undefined);
    expect(events[0]).to.include({ type: 'token_refused', source: undefined });
  });

  it('throws nothing when the request cannot be described, since an answer waits behind it', () => {
    const events = recordEvents();
    const gone = Object.defineProperty(plainRequest(), 'headers', {
      get() {
        throw new Error('the adapter has no headers');
      },
    });
    Object.defineProperty(gone, 'socket', { value: undefined });
    reportRefusal(new AuthError('missing_token'), gone, 'partner', undefined);
    expect(events).to.deep.equal([]);
  });

  it('looks at nothing while nobody listens', () => {
    const looked: PropertyKey[] = [];
    const watched = new Proxy(plainRequest('192.0.2.7'), {
      get(target, name) {
        looked.push(name);
        return Reflect.get(target, name) as unknown;
      },
    });
    for (const code of ['missing_token', 'foreign_reference', 'store_unavailable'] as const) {
      reportRefusal(new AuthError(code), watched, 'partner', '7');
    }
    expect(looked).to.deep.equal([]);
    recordEvents();
    reportRefusal(new AuthError('missing_token'), watched, 'partner', '7');
    expect(looked).not.to.deep.equal([]);
  });
});

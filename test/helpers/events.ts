import { inspect } from 'node:util';
import { expect } from 'chai';
import { type AuthEvent, onAuthEvent } from '../../src/index.js';

const EVERY = ['type', 'time', 'realm', 'source'];
const LOGIN = [...EVERY, 'emailDigest', 'accountId'];
const REFUSAL = [...EVERY, 'detail'];

export const EVENT_MEMBERS: Readonly<Record<AuthEvent['type'], readonly string[]>> = {
  login_succeeded: LOGIN,
  login_failed: [...LOGIN, 'detail', 'reason'],
  login_throttled: [...LOGIN, 'detail', 'retryAfterSeconds'],
  login_shed: [...LOGIN, 'detail'],
  hash_upgraded: LOGIN,
  hash_not_upgraded: [...LOGIN, 'cause'],
  token_refused: [...REFUSAL, 'reason', 'accountId'],
  source_refused: [...REFUSAL, 'accountId'],
  ownership_refused: [...REFUSAL, 'reason', 'accountId', 'enforced', 'referenceNames'],
  login_forgiven: [...EVERY, 'emailDigest'],
  keys_replaced: [...EVERY, 'before', 'after'],
  store_failed: [...REFUSAL, 'reason', 'cause'],
};

const listening = new Set<() => void>();

/**
 * Listens until the test ends, by default to the source files.
 * @returns the events in their order, each of which has exactly its members
 */
export function recordEvents(listen = onAuthEvent): AuthEvent[] {
  const events: AuthEvent[] = [];
  listening.add(listen((event) => events.push(event)));
  return events;
}

export function listenUntilTheEnd(listener: (event: AuthEvent) => unknown): void {
  listening.add(onAuthEvent(listener));
}

afterEach('stop listening', () => {
  for (const stop of listening) stop();
  listening.clear();
});

/** Asserts that these are the events, with exactly their members. For `time`, `emailDigest` and `detail` only the form counts. */
export function expectEvents(events: readonly AuthEvent[], ...expected: readonly object[]): void {
  for (const event of events) {
    expect(Object.keys(event)).to.have.members(EVENT_MEMBERS[event.type]);
    expect(event.time).to.be.instanceOf(Date);
    expect(event.time.getTime()).not.to.equal(NaN);
    if ('detail' in event) expect(event.detail).to.match(/^[A-Z].*\.$/);
    if ('emailDigest' in event) expect(event.emailDigest).to.match(/^[0-9a-f]{32}$/);
  }
  const seen = events.map((event) => withoutMembers(event, 'time', 'emailDigest', 'detail'));
  expect(seen).to.deep.equal(expected);
}

/** Asserts that the events contain none of `secrets`, at any depth and in any letter case. */
export function expectNoSecrets(events: readonly AuthEvent[], ...secrets: readonly string[]): void {
  const seen = inspect(events, { depth: Infinity, showHidden: true, maxStringLength: null }).toLowerCase();
  for (const secret of secrets) expect(seen).not.to.contain(secret.toLowerCase());
}

/** Returns an event without the members that differ from run to run. */
export function withoutMembers(event: AuthEvent, ...names: readonly string[]): object {
  return Object.fromEntries(Object.entries(event).filter(([name]) => !names.includes(name)));
}

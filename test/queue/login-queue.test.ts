import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { Caller } from '../../src/queue/disconnect.js';
import { createLoginThrottle, type UserStore } from '../../src/index.js';
import { LoginQueue } from '../../src/queue/login-queue.js';
import { AWA, KOFI, PASSWORD, WRONG } from '../helpers/accounts.js';
import {
  expectTooBusy,
  expectWrongCredentials,
  STORE_UNAVAILABLE,
  TOO_BUSY,
  WRONG_CREDENTIALS,
} from '../helpers/answers.js';
import { serveLogin, tokenOf } from '../helpers/login-host.js';
import { type HeldLoginOptions, holdLogin, outcomeOfCall, requestFrom } from '../helpers/logins-in-progress.js';
import { QUICK_HASH, quickAccountStore } from '../helpers/quick-passwords.js';
import { thrownBy } from '../helpers/thrown.js';
import { settle, until } from '../helpers/until.js';

const SHOP = '203.0.113.7';
const OFFICE = '203.0.113.8';

/** A login whose only slot is taken, so that further computations wait until `end`. */
async function holdSlot(options: HeldLoginOptions = {}) {
  const held = holdLogin(options);
  const busy = held.attempt(KOFI.email, WRONG, '192.0.2.255');
  await until(() => held.quick.compared.length === 1);
  return { ...held, busy };
}

/** Starts a login whose caller can disconnect. */
function startFrom({ login }: ReturnType<typeof holdLogin>, ip: string, password = PASSWORD) {
  const socket = Object.assign(new EventEmitter(), { destroyed: false, remoteAddress: ip });
  const req = Object.assign(requestFrom(ip), { socket }) as unknown as IncomingMessage;
  const outcome = outcomeOfCall(login.attempt(req, { identifier: AWA.email, password }));
  return { outcome, hangUp: () => void socket.emit('close') };
}

/** A store whose reads the test can hold, and then end. */
function heldStore() {
  const { findCredentials } = quickAccountStore();
  const reads: (() => void)[] = [];
  let isHeld = false;
  const store: Partial<UserStore> = {
    findCredentials: async (email) => {
      if (isHeld) await new Promise<void>((resolve) => reads.push(resolve));
      return findCredentials(email);
    },
  };
  return { store, reads, holdReads: () => void (isHeld = true) };
}

/** A store that has another hash at each read. */
function storeOfHashes(hashes: readonly (string | null)[]): Partial<UserStore> {
  const left = [...hashes];
  return {
    findCredentials: (email) => Promise.resolve({ account: { ...AWA, email }, passwordHash: left.shift() ?? null }),
  };
}

const GONE = 'The caller has disconnected.';

describe('identical logins', () => {
  it('get a token each from one computation, and without a throttle even the 51st, but no other spelling shares it', async () => {
    const { logIn, quick, asked } = await serveLogin({ throttle: false });
    const end = quick.hold();
    const logins = Array.from({ length: 51 }, () => logIn(AWA.email, PASSWORD));
    const unknown = ['nobody@boutique.example', 'NOBODY@boutique.example'].map((spelling) => logIn(spelling));
    await until(() => asked.length === 53);
    end();
    expect(new Set((await Promise.all(logins)).map(tokenOf)).size).to.equal(51);
    for (const answer of await Promise.all(unknown)) expectWrongCredentials(answer);
    expect(quick.compared).to.have.length(3);
  });

  it('share nothing with another password, another hash or a decoy, and compute anew afterwards', async () => {
    const store = storeOfHashes([QUICK_HASH, `${QUICK_HASH} `, 'quick:', null]);
    const { quick, attempt, end } = holdLogin({ store, hashing: { maxConcurrentHashes: 8 } });
    const logins = [PASSWORD, PASSWORD, PASSWORD, PASSWORD, WRONG].map((one) => attempt(KOFI.email, one, SHOP));
    await settle();
    expect(quick.compared).to.deep.equal([PASSWORD, PASSWORD, PASSWORD, PASSWORD, WRONG]);
    end();
    expect(await Promise.all(logins)).to.deep.equal(['good', ...Array<string>(4).fill(WRONG_CREDENTIALS)]);
    await attempt(KOFI.email, PASSWORD, SHOP);
    expect(quick.compared).to.have.length(6);
  });

  it('are computed once for each source, known or not', async () => {
    const { quick, attempt, end } = holdLogin({ throttle: createLoginThrottle() });
    end();
    for (const known of [SHOP, OFFICE]) await attempt(AWA.email, PASSWORD, known);
    const release = quick.hold();
    const sources = ['192.0.2.1', '192.0.2.1', '192.0.2.2', SHOP, SHOP, OFFICE];
    const logins = [KOFI.email, ...sources.map(() => AWA.email)].map((email, login) =>
      attempt(email, PASSWORD, ['192.0.2.255', ...sources][login] ?? ''),
    );
    await settle();
    release();
    expect(new Set(await Promise.all(logins))).to.deep.equal(new Set(['good']));
    expect(quick.compared).to.have.length(2 + 1 + 4);
  });

  it('compute nothing when all their callers have disconnected, and free their place at once', async () => {
    const store = storeOfHashes([QUICK_HASH, QUICK_HASH, `${QUICK_HASH} `, QUICK_HASH]);
    const held = await holdSlot({ maxPendingLogins: 1, store });
    const callers = [startFrom(held, SHOP), startFrom(held, SHOP)];
    await settle();
    for (const { hangUp } of callers) hangUp();
    const next = held.attempt(AWA.email, PASSWORD, SHOP);
    await settle();
    held.end();
    for (const { outcome } of callers) expect(await outcome).to.equal(GONE);
    expect(await next).to.equal('good');
    expect(held.quick.compared).to.deep.equal([WRONG, PASSWORD]);
  });

  it('keep their place until their account is read when all their callers have disconnected, and nobody joins it', async () => {
    const { store, reads, holdReads } = heldStore();
    holdReads();
    const held = holdLogin({ maxPendingLogins: 2, store });
    const [one, other] = [startFrom(held, SHOP), startFrom(held, SHOP, WRONG)];
    await settle();
    for (const { hangUp } of [one, other]) hangUp();
    await settle();
    expect(await held.attempt(AWA.email, PASSWORD, SHOP)).to.equal(TOO_BUSY);
    reads[0]?.();
    expect(await one.outcome).to.equal(GONE);
    const next = held.attempt(AWA.email, PASSWORD, SHOP);
    await settle();
    for (const end of [...reads, held.end]) end();
    expect([await other.outcome, await next]).to.deep.equal([GONE, 'good']);
    expect(held.quick.compared).to.deep.equal([PASSWORD]);
  });

  it('compute nothing when all their callers have disconnected while it was read, even if the hash changed', async () => {
    const { store, reads, holdReads } = heldStore();
    const { findCredentials } = storeOfHashes([QUICK_HASH, `${QUICK_HASH} `]);
    const findHeld = async (email: string) => {
      await store.findCredentials?.(email);
      return (await findCredentials?.(email)) ?? null;
    };
    holdReads();
    const held = holdLogin({ store: { findCredentials: findHeld } });
    const callers = [startFrom(held, SHOP), startFrom(held, SHOP)];
    await settle();
    for (const { hangUp } of callers) hangUp();
    for (const end of [...reads, held.end]) end();
    for (const { outcome } of callers) expect(await outcome).to.equal(GONE);
    expect(held.quick.compared).to.deep.equal([]);
  });

  it('are computed when one caller stays, and give each that has disconnected its own AbortError when that fails', async () => {
    const held = await holdSlot();
    const [gone, stayed] = [startFrom(held, SHOP), startFrom(held, SHOP)];
    await settle();
    gone.hangUp();
    held.end();
    held.quick.verify = () => Promise.reject(new Error('out of memory'));
    expect([await gone.outcome, await stayed.outcome]).to.deep.equal([GONE, 'out of memory']);
    expect(held.quick.compared).to.deep.equal([WRONG, PASSWORD]);
  });

  it('keep their place when the login of a caller that has disconnected ends before another', async () => {
    const { findCredentials } = quickAccountStore();
    const reads: { readonly succeed: () => void; readonly fail: () => void }[] = [];
    const store: Partial<UserStore> = {
      findCredentials: (email) =>
        new Promise((resolve, reject) => {
          reads.push({
            succeed: () => resolve(findCredentials(email)),
            fail: () => reject(new Error('no connection')),
          });
        }),
    };
    const held = holdLogin({ store });
    const [gone, stayed] = [startFrom(held, SHOP), startFrom(held, SHOP)];
    await settle();
    gone.hangUp();
    reads[0]?.fail();
    expect(await gone.outcome).to.equal(STORE_UNAVAILABLE);
    const late = held.attempt(AWA.email, PASSWORD, SHOP);
    await settle();
    for (const { succeed } of reads) succeed();
    held.end();
    expect([await stayed.outcome, await late]).to.deep.equal(['good', 'good']);
    expect(held.quick.compared).to.deep.equal([PASSWORD]);
  });

  it('leave the queue when their computation starts', async () => {
    const held = await holdSlot({ maxPendingLogins: 1 });
    const waiting = held.attempt(AWA.email, PASSWORD, SHOP);
    await settle();
    expect(await held.attempt(AWA.email, WRONG, OFFICE)).to.equal(TOO_BUSY);
    const endOfNext = held.quick.hold();
    held.end();
    await until(() => held.quick.compared.length === 2);
    // It joins the computation that runs.
    const late = held.attempt(AWA.email, PASSWORD, SHOP);
    await settle();
    const next = held.attempt(AWA.email, WRONG, OFFICE);
    endOfNext();
    expect(await Promise.all([waiting, late, next])).to.deep.equal(['good', 'good', WRONG_CREDENTIALS]);
  });
});

/** Counts the outcomes. */
async function tallyOf(outcomes: readonly Promise<string>[]): Promise<Record<string, number>> {
  const tally: Record<string, number> = {};
  for (const outcome of await Promise.all(outcomes)) tally[outcome] = (tally[outcome] ?? 0) + 1;
  return tally;
}

describe('the queue of a Login', () => {
  it('refuses the last login of the longest line when it is full: of a source, ...', async () => {
    const held = await holdSlot({ maxPendingLogins: 6 });
    const at = (source: string, count: number) =>
      Array.from({ length: count }, (_, login) => held.attempt(`${source}-${login}@mall.example`, WRONG, source));
    const long = at('192.0.2.1', 6);
    await settle();
    const short = at('192.0.2.2', 4);
    await settle();
    const next = at('192.0.2.3', 3);
    await settle();
    held.end();
    // A line that is as long as the longest one gets no more.
    expect(await tallyOf(long)).to.deep.equal({ [TOO_BUSY]: 4, [WRONG_CREDENTIALS]: 2 });
    expect(await tallyOf(short)).to.deep.equal({ [TOO_BUSY]: 2, [WRONG_CREDENTIALS]: 2 });
    expect(await tallyOf(next)).to.deep.equal({ [TOO_BUSY]: 1, [WRONG_CREDENTIALS]: 2 });
  });

  it('... of an account at many known sources, or of all unknown sources', async () => {
    const held = holdLogin({ maxPendingLogins: 6, throttle: createLoginThrottle() });
    held.end();
    const sources = Array.from({ length: 6 }, (_, source) => `192.0.2.${source}`);
    for (const source of sources) await held.attempt(KOFI.email, PASSWORD, source);
    await held.attempt(AWA.email, PASSWORD, SHOP);
    const end = held.quick.hold();
    const busy = held.attempt(KOFI.email, PASSWORD, OFFICE);
    const account = sources.map((source) => held.attempt(KOFI.email, PASSWORD, source));
    await settle();
    const unknown = sources.map((_, at) => held.attempt('nobody@mall.example', WRONG, `198.51.100.${at}`));
    await settle();
    const shop = held.attempt(AWA.email, PASSWORD, SHOP);
    await settle();
    end();
    expect(await tallyOf([shop, busy])).to.deep.equal({ good: 2 });
    // The login of Kofi from a new source is computed meanwhile, and counts for the unknown ones.
    expect(await tallyOf(unknown)).to.deep.equal({ [TOO_BUSY]: 4, [WRONG_CREDENTIALS]: 2 });
    expect(await tallyOf(account)).to.deep.equal({ [TOO_BUSY]: 3, good: 3 });
  });

  it('drops no login whose account is read, so that nobody multiplies the reads, and only a known source comes in beside them', async () => {
    const { store, reads, holdReads } = heldStore();
    const { attempt, end } = holdLogin({ maxPendingLogins: 3, throttle: createLoginThrottle(), store });
    end();
    await attempt(AWA.email, PASSWORD, SHOP);
    holdReads();
    const reading = [1, 2, 3].map((source) => attempt(KOFI.email, WRONG, `192.0.2.${source}`));
    await settle();
    expect(await attempt(KOFI.email, PASSWORD, '192.0.2.4')).to.equal(TOO_BUSY);
    const known = attempt(AWA.email, PASSWORD, SHOP);
    await settle();
    expect(reads).to.have.length(4);
    for (const endRead of reads) endRead();
    expect(await tallyOf(reading)).to.deep.equal({ [WRONG_CREDENTIALS]: 3 });
    expect(await known).to.equal('good');
  });

  it('lets at most 50 identical logins of an unknown source join, and 1,000 of all, and others open a place', async () => {
    const { store, reads, holdReads } = heldStore();
    const { attempt, end } = holdLogin({ throttle: createLoginThrottle(), store });
    end();
    await attempt(AWA.email, PASSWORD, SHOP);
    holdReads();
    const known = Array.from({ length: 51 }, () => attempt(AWA.email, PASSWORD, SHOP));
    await settle();
    expect(reads).to.have.length(51);
    const logins = Array.from({ length: 51 }, () => attempt(KOFI.email, WRONG, '192.0.2.20'));
    await settle();
    expect(reads).to.have.length(51 + 50);
    for (let index = 0; index < 20 * 51; index++) logins.push(attempt(KOFI.email, WRONG, `192.0.2.${index % 20}`));
    await settle();
    expect(reads).to.have.length(51 + 1_000);
    const opening = attempt(KOFI.email, PASSWORD, OFFICE);
    await settle();
    expect(await attempt(KOFI.email, PASSWORD, OFFICE)).to.equal(TOO_BUSY);
    known.push(attempt(AWA.email, PASSWORD, SHOP));
    await settle();
    expect(reads).to.have.length(51 + 1_000 + 2);
    for (const endRead of reads) endRead();
    expect(await tallyOf([...known, opening])).to.deep.equal({ good: 53 });
    expect((await tallyOf(logins))[TOO_BUSY]).to.equal(71);
  });

  it('is not joined by a caller that has disconnected before', () => {
    const caller = new Caller();
    caller.leave();
    const keys = { guess: '', email: '', source: '', emailAndSource: '', isSourceDetermined: true };
    const join = () => new LoginQueue(1).join(keys, true, caller);
    expect(thrownBy(join)).to.equal(caller.left);
  });

  it('is joined before anything is looked up, and is refused without a count', async () => {
    const { asked, quick, logIn } = await serveLogin({ maxPendingLogins: 1, hashing: { maxConcurrentHashes: 1 } });
    const end = quick.hold();
    const inside = [logIn(KOFI.email)];
    await until(() => quick.compared.length === 1);
    inside.push(logIn());
    await until(() => asked.length === 2);
    for (let guess = 0; guess < 20; guess++) expectTooBusy(await logIn(AWA.email, `${WRONG} ${guess}`));
    expect(asked).to.have.length(2);
    end();
    await Promise.all(inside);
    expect((await logIn()).status).to.equal(200);
  });

  it('takes one place for identical logins of a source, and tells another source nothing of them', async () => {
    const { attempt, quick, end } = await holdSlot({ maxPendingLogins: 1 });
    const same = Array.from({ length: 40 }, () => attempt(AWA.email, PASSWORD, SHOP));
    await settle();
    for (const password of [PASSWORD, WRONG]) {
      expect(await attempt(AWA.email, password, '203.0.113.8')).to.equal(TOO_BUSY);
    }
    expect(await attempt(AWA.email, WRONG, SHOP)).to.equal(TOO_BUSY);
    expect(await attempt(AWA.email.toUpperCase(), PASSWORD, SHOP)).to.equal(TOO_BUSY);
    end();
    expect(new Set(await Promise.all(same))).to.deep.equal(new Set(['good']));
    expect(quick.compared).to.deep.equal([WRONG, PASSWORD]);
  });
});

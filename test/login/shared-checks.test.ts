import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { createLoginThrottle, type Passwords, type UserStore } from '../../src/index.js';
import { SharedChecks, type WaitingLogin } from '../../src/login/shared-checks.js';
import { Caller } from '../../src/http/disconnect.js';
import { AWA, KOFI, PASSWORD, WRONG } from '../helpers/accounts.js';
import { expectWrongCredentials, TOO_BUSY } from '../helpers/answers.js';
import { serveLogin, tokenOf } from '../helpers/login-host.js';
import { type HeldLoginOptions, holdLogin, outcomeOf, requestFrom } from '../helpers/logins-in-progress.js';
import { QUICK_HASH } from '../helpers/quick-passwords.js';
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
function startFrom({ login }: Awaited<ReturnType<typeof holdSlot>>, ip: string, password = PASSWORD) {
  const socket = Object.assign(new EventEmitter(), { destroyed: false, remoteAddress: ip });
  const req = Object.assign(requestFrom(ip), { socket }) as unknown as IncomingMessage;
  const outcome = outcomeOf(login.attempt(req, { identifier: AWA.email, password }));
  return { outcome, hangUp: () => void socket.emit('close') };
}

const GONE = 'The caller has disconnected.';

describe('identical logins', () => {
  it('get a token each from one computation, which other spellings do not share even if all are unknown', async () => {
    const { logIn, quick, asked } = await serveLogin({ throttle: false });
    const end = quick.hold();
    const logins = Array.from({ length: 40 }, (_, caller) => logIn(AWA.email, PASSWORD, `198.51.100.${caller}`));
    const unknown = ['nobody@boutique.example', 'NOBODY@boutique.example'].map((spelling) => logIn(spelling));
    await until(() => asked.length === 42);
    end();
    expect(new Set((await Promise.all(logins)).map(tokenOf)).size).to.equal(40);
    for (const answer of await Promise.all(unknown)) expectWrongCredentials(answer);
    expect(quick.compared).to.have.length(3);
  });

  it('share nothing with another password, another hash or a decoy, and compute anew afterwards', async () => {
    const hashes = [QUICK_HASH, `${QUICK_HASH} `, 'quick:', null];
    let reads = 0;
    const account = { ...AWA, email: KOFI.email };
    const findCredentials: UserStore['findCredentials'] = () =>
      Promise.resolve({ account, passwordHash: hashes[reads++] ?? null });
    const { quick, attempt, end } = holdLogin({ store: { findCredentials }, hashing: { maxConcurrentHashes: 8 } });
    const logins = [PASSWORD, PASSWORD, PASSWORD, PASSWORD, WRONG].map((one) => attempt(KOFI.email, one, SHOP));
    await settle();
    expect(quick.compared).to.deep.equal([PASSWORD, PASSWORD, PASSWORD, PASSWORD, WRONG]);
    end();
    const wrong = 'wrong_credentials';
    expect(await Promise.all(logins)).to.deep.equal(['good', wrong, wrong, wrong, wrong]);
    await attempt(KOFI.email, PASSWORD, SHOP);
    expect(quick.compared).to.have.length(6);
  });

  it('are computed once for all known sources, and once for each unknown source, whose place in the queue differs', async () => {
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
    expect(quick.compared).to.have.length(2 + 1 + 3);
  });

  it('compute nothing when all their callers have disconnected, and leave the queue', async () => {
    const held = await holdSlot({ maxPendingLogins: 1 });
    const callers = [startFrom(held, SHOP), startFrom(held, SHOP)];
    await settle();
    for (const { hangUp } of callers) hangUp();
    held.end();
    for (const { outcome } of callers) expect(await outcome).to.equal(GONE);
    await held.busy;
    expect(held.quick.compared).to.deep.equal([WRONG]);
    expect(await held.attempt(AWA.email, PASSWORD, SHOP)).to.equal('good');
  });

  it('do not join a computation that ends because all its callers have disconnected', async () => {
    const callers: Caller[] = [];
    let joined: Promise<boolean> | undefined;
    const compare = async (_password: string, _hash: unknown, { onStart }: { onStart: () => void }) => {
      await settle();
      try {
        onStart();
      } catch (error) {
        joined ??= logIn();
        throw error;
      }
      return true;
    };
    const checks = new SharedChecks({ compare } as unknown as Passwords);
    const logIn = () => {
      const caller = new Caller();
      callers.push(caller);
      const login = { identifier: AWA.email, password: PASSWORD, address: SHOP, isKnown: true };
      const hash = { hash: QUICK_HASH, isDecoy: false };
      return checks.compare({
        ...login,
        hash,
        caller,
        leave: () => undefined,
      } as unknown as WaitingLogin);
    };
    const first = logIn();
    callers[0]?.leave();
    expect(await outcomeOf(first)).to.equal(GONE);
    expect(await joined).to.equal(true);
  });

  it('are computed when one caller stays', async () => {
    const held = await holdSlot();
    const [gone, stayed] = [startFrom(held, SHOP), startFrom(held, OFFICE)];
    await settle();
    gone.hangUp();
    held.end();
    expect(await stayed.outcome).to.equal('good');
    expect(held.quick.compared).to.deep.equal([WRONG, PASSWORD]);
  });

  it('give each caller that has disconnected its own AbortError when their computation fails', async () => {
    const held = await holdSlot();
    const [gone, stayed] = [startFrom(held, SHOP), startFrom(held, OFFICE)];
    await settle();
    gone.hangUp();
    held.end();
    held.quick.verify = () => Promise.reject(new Error('out of memory'));
    expect([await gone.outcome, await stayed.outcome]).to.deep.equal([GONE, 'out of memory']);
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
    const late = held.attempt(AWA.email, PASSWORD, OFFICE);
    await settle();
    const next = held.attempt(AWA.email, WRONG, OFFICE);
    endOfNext();
    expect(await Promise.all([waiting, late, next])).to.deep.equal(['good', 'good', 'wrong_credentials']);
  });
});

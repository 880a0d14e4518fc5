import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { createLogin, createLoginThrottle, createPasswords } from '../../src/index.js';
import { AWA, PASSWORD, WRONG } from '../helpers/accounts.js';
import { type FrozenTime, freezeTime } from '../helpers/frozen-time.js';
import { outcomeOf, requestFrom } from '../helpers/logins-in-progress.js';
import { QUICK_HASH, quickPasswords } from '../helpers/quick-passwords.js';

// Floods in simulated time: 32 ms for a hash, and two at a time. Simpler rules of the queue failed one of these floods each.

const HASH_MS = 32;
const STEP_MS = 16;
const LOGINS = 24;
/** High limits, so that the queue alone stands between a flood and a merchant. */
const UNLIMITED = { failures: 1_000_000, seconds: 900 };

describe('a flood of logins', () => {
  let time: FrozenTime;
  let isOver: boolean;
  const loops: Promise<void>[] = [];
  beforeEach(() => {
    time = freezeTime();
    isOver = false;
  });

  function floodedLogin() {
    const quick = quickPasswords(createPasswords, { maxConcurrentHashes: 2 });
    quick.verify = async (password, hash) => {
      await wait(HASH_MS);
      return hash === `quick:${password}`;
    };
    const findCredentials = (email: string) =>
      Promise.resolve({ account: { ...AWA, email }, passwordHash: email.startsWith('shop') ? QUICK_HASH : null });
    const throttle = createLoginThrottle({ emailAndSource: UNLIMITED, source: UNLIMITED, email: UNLIMITED });
    const store = { findCredentials, findById: () => Promise.resolve(null) };
    const login = createLogin(store, { passwords: quick.passwords, throttle });
    return (identifier: string, password: string, ip: string) =>
      outcomeOf(login.attempt(requestFrom(ip), { identifier, password }));
  }
  type LogIn = ReturnType<typeof floodedLogin>;

  function wait(ms: number): Promise<void> {
    return new Promise((resolve) => void setTimeout(resolve, ms));
  }

  /** Lets time pass until a promise has settled. */
  async function outwait<Result>(promise: Promise<Result>): Promise<Result> {
    let hasSettled = false;
    const settled = promise.finally(() => (hasSettled = true));
    while (!hasSettled) {
      time.pass(STEP_MS / 1_000);
      for (let turn = 0; turn < 3; turn++) await setImmediate();
    }
    return settled;
  }

  /** Calls again and again, 250 ms after each answer. */
  function loop(call: (round: number) => Promise<unknown>): void {
    const calls = async () => {
      for (let round = 0; !isOver; round++) {
        await call(round);
        await wait(250);
      }
    };
    loops.push(calls());
  }

  /** Lets 400 strangers guess from so many addresses, and one merchant log in, each 300 ms. */
  async function strangersAgainst(logIn: LogIn, addresses: number, sourceOf: (login: number) => string) {
    for (let stranger = 0; stranger < 400; stranger++) {
      const ip = `198.51.100.${stranger % addresses}`;
      loop((round) => logIn(`guess-${stranger}-${round}@else.example`, WRONG, ip));
    }
    return merchantAgainst(logIn, sourceOf);
  }

  async function merchantAgainst(logIn: LogIn, sourceOf: (login: number) => string): Promise<number> {
    await outwait(wait(1_000));
    const logins: Promise<string>[] = [];
    for (let login = 0; login < LOGINS; login++) {
      logins.push(logIn('shop@boutique.example', PASSWORD, sourceOf(login)));
      await outwait(wait(300));
    }
    const outcomes = await outwait(Promise.all(logins));
    isOver = true;
    await outwait(Promise.all(loops));
    return outcomes.filter((outcome) => outcome === 'good').length;
  }

  for (const [addresses, least] of [
    [1, 24],
    [2, 24],
    [3, 24],
    [10, 24],
    [200, 8],
  ] as const) {
    it(`from ${addresses} addresses lets a merchant at a new address log in at least ${least} of ${LOGINS} times`, async () => {
      const good = await strangersAgainst(floodedLogin(), addresses, (login) => `192.0.2.${login}`);
      expect(good).to.be.at.least(least);
    });
  }

  it('from 200 addresses lets a merchant at a known address log in each time', async () => {
    const logIn = floodedLogin();
    await outwait(logIn('shop@boutique.example', PASSWORD, '192.0.2.1'));
    expect(await strangersAgainst(logIn, 200, () => '192.0.2.1')).to.equal(LOGINS);
  });

  it('of 100 merchants behind one address after a restart lets all of them log in', async () => {
    const logIn = floodedLogin();
    const logins = Array.from({ length: 100 }, (_, shop) => logIn(`shop-${shop}@mall.example`, PASSWORD, '192.0.2.1'));
    expect((await outwait(Promise.all(logins))).filter((outcome) => outcome === 'good')).to.have.length(100);
  });

  it('of 300 known accounts of one address lets another known merchant log in each time', async () => {
    const logIn = floodedLogin();
    const known = ['shop@boutique.example', ...Array.from({ length: 300 }, (_, shop) => `shop-${shop}@mall.example`)];
    const sourceOf = (email: string) => (email === 'shop@boutique.example' ? '203.0.113.7' : '192.0.2.1');
    for (const email of known) await outwait(logIn(email, PASSWORD, sourceOf(email)));
    for (const email of known.slice(1)) loop(() => logIn(email, PASSWORD, sourceOf(email)));
    expect(await merchantAgainst(logIn, () => '203.0.113.7')).to.equal(LOGINS);
  });
});

import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { createLogin, createLoginThrottle, createPasswords } from '../../src/index.js';
import { AWA, PASSWORD, WRONG } from '../helpers/accounts.js';
import { type FrozenTime, freezeTime } from '../helpers/frozen-time.js';
import { addressOf } from '../helpers/login-host.js';
import { outcomeOfCall, requestFrom } from '../helpers/logins-in-progress.js';
import { QUICK_HASH, quickPasswords } from '../helpers/quick-passwords.js';

// Floods in simulated time: two hashes at a time, of 32 ms unless a flood says otherwise. Simpler rules of the queue failed
// one of these floods each. The numbers of a flood are divided by `SCALE`, because a login costs more time in a longer
// queue. `FLOODS=full` makes them as large as they are named.

const SCALE = process.env['FLOODS'] === 'full' ? 1 : 10;
const STEP_MS = 16;
const LOGINS = 16;
/** High limits, so that the queue alone stands between a flood and a merchant. */
const UNLIMITED = { failures: 1_000_000, seconds: 900 };

const SHOP = 'shop@boutique.example';
const SHOP_ADDRESS = '203.0.113.7';

type Credentials = readonly [identifier: string, password: string, ip: string];

interface Flood {
  /** The logins that callers send again and again, each a function of the round. */
  readonly attacks: readonly ((round: number) => Credentials)[];
  /** The good logins before, which make the sources known. */
  readonly known?: readonly Credentials[];
  readonly hashMs?: number;
  /** True when the store never answers for unknown emails. */
  readonly isStoreHanging?: true;
  readonly maxPendingLogins?: number;
}

/** Returns the number for this run. One stays one. */
function scaled(count: number): number {
  return Math.ceil(count / SCALE);
}

function times<Item>(count: number, make: (at: number) => Item): Item[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

/** Guesses at random emails, from so many addresses that nobody knows. */
function strangers(addresses: number, callers = 400): Flood {
  const guess = (at: number, round: number) => `guess-${at}-${round}@else.example`;
  return {
    attacks: times(scaled(callers), (at) => (round) => [guess(at, round), WRONG, addressOf(at % scaled(addresses))]),
  };
}

/** The right logins of so many accounts, each from one of so many known addresses, in 32 letter cases of the email. */
function merchants(manyAccounts: number, manyAddresses: number, callers = 400): Flood {
  const [accounts, addresses] = [scaled(manyAccounts), scaled(manyAddresses)];
  const emailOf = (at: number) => `flood-${at % accounts}@else.example`;
  const spell = (email: string, bits: number) =>
    Array.from(email, (letter, at) => ((bits >> at) & 1 ? letter.toUpperCase() : letter)).join('');
  return {
    known: times(Math.max(accounts, addresses), (at) => [emailOf(at), PASSWORD, addressOf(at % addresses)]),
    attacks: times(scaled(callers), (at) => (round) => [
      spell(emailOf(at), (at + round) % 32),
      PASSWORD,
      addressOf(at % addresses),
    ]),
  };
}

interface Shares {
  /** The share of good logins of a merchant from its known address. */
  readonly known: number;
  /** The share of good logins of a merchant from an address that is new each time. */
  readonly stranger: number;
  /** The share of the host's own calls that were computed. */
  readonly host: number;
}

const ALL = { known: 1, stranger: 1, host: 1 };

/** The least shares that each flood leaves to others. A flood of more lines than the queue has places leaves the rest to luck. */
const FLOODS: readonly (readonly [name: string, floods: readonly Flood[], least: Shares])[] = [
  ['of nobody', [{ attacks: [] }], ALL],
  ['of one merchant at 400 addresses', [merchants(1, 400)], ALL],
  ['of one merchant at 256 addresses, with slow hashes', [{ ...merchants(1, 256, 512), hashMs: 300 }], ALL],
  ['of 20 merchants at 20 addresses', [merchants(20, 20)], ALL],
  ['of 300 merchants at one address', [merchants(300, 1, 300)], ALL],
  ['of 250 merchants at 250 addresses', [merchants(250, 250, 250)], { known: 0.5, stranger: 0, host: 0.2 }],
  ['of strangers at one address', [strangers(1)], ALL],
  ['of strangers at 10 addresses', [strangers(10)], ALL],
  ['of strangers at 200 addresses', [strangers(200)], { ...ALL, stranger: 0.5 }],
  ['of strangers at 1,600 addresses', [strangers(1_600, 1_600)], { ...ALL, stranger: 0 }],
  ['while the store hangs for strangers', [{ ...strangers(400), isStoreHanging: true }], { ...ALL, stranger: 0 }],
  ['while one login may wait', [{ ...strangers(200), maxPendingLogins: 1 }], { ...ALL, stranger: 0 }],
  [
    'of the three largest at once',
    [merchants(1, 400), merchants(300, 1, 300), strangers(1_600, 1_600)],
    { ...ALL, stranger: 0 },
  ],
];

describe('a flood of logins', () => {
  let time: FrozenTime;
  let isOver: boolean;
  const loops: Promise<void>[] = [];
  beforeEach(() => {
    time = freezeTime();
    isOver = false;
  });

  function floodedHost({ hashMs = 32, isStoreHanging, maxPendingLogins = 200 }: Omit<Flood, 'attacks'> = {}) {
    const quick = quickPasswords(createPasswords, { maxConcurrentHashes: 2 });
    quick.verify = async (password, hash) => {
      await wait(hashMs);
      return hash === `quick:${password}`;
    };
    const { passwords } = quick;
    const findCredentials = (email: string) => {
      const isFound = /^(shop|flood)/i.test(email);
      if (isStoreHanging && !isFound) return new Promise<null>(() => undefined);
      return Promise.resolve({ account: { ...AWA, email }, passwordHash: isFound ? QUICK_HASH : null });
    };
    const throttle = createLoginThrottle({ emailAndSource: UNLIMITED, source: UNLIMITED, email: UNLIMITED });
    const store = { findCredentials, findById: () => Promise.resolve(null) };
    const login = createLogin(store, { passwords, throttle, maxPendingLogins: scaled(maxPendingLogins) });
    const logIn = (identifier: string, password: string, ip: string) =>
      outcomeOfCall(login.attempt(requestFrom(ip), { identifier, password }));
    return { logIn, verify: () => outcomeOfCall(passwords.verify(PASSWORD, QUICK_HASH)) };
  }

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

  /** Calls again and again, about 250 ms after each answer. The times differ, because equal ones would meet the same slots. */
  function loop(call: (round: number) => Promise<unknown>): void {
    const at = loops.length;
    const calls = async () => {
      for (let round = 0; !isOver; round++) {
        await call(round);
        await wait(150 + ((at * 31 + round * 17) % 200));
      }
    };
    loops.push(calls());
  }

  /** Makes a call each 300 ms, and resolves to the share of those that were good. */
  async function shareOf(call: (at: number) => Promise<string>): Promise<number> {
    const calls: Promise<string>[] = [];
    for (let at = 0; at < LOGINS; at++) {
      calls.push(call(at));
      await wait(300);
    }
    const outcomes = await Promise.all(calls);
    return outcomes.filter((outcome) => outcome === 'good').length / LOGINS;
  }

  async function sharesIn(floods: readonly Flood[]): Promise<Shares> {
    const [flood = { attacks: [] }] = floods;
    const { logIn, verify } = floodedHost(flood);
    const known = [[SHOP, PASSWORD, SHOP_ADDRESS] as const, ...floods.flatMap((one) => one.known ?? [])];
    for (const credentials of known) await outwait(logIn(...credentials));
    for (const attack of floods.flatMap(({ attacks }) => attacks)) loop((round) => logIn(...attack(round)));
    await outwait(wait(1_000));
    const shares = Promise.all([
      shareOf(() => logIn(SHOP, PASSWORD, SHOP_ADDRESS)),
      shareOf((at) => logIn('shop-2@boutique.example', PASSWORD, `192.0.2.${at}`)),
      shareOf(() => verify()),
    ]);
    const [ofKnown, ofStranger, ofHost] = await outwait(shares);
    isOver = true;
    await outwait(Promise.all(loops.splice(0)));
    return { known: ofKnown, stranger: ofStranger, host: ofHost };
  }

  for (const [name, floods, least] of FLOODS) {
    it(`${name} leaves others their share`, async () => {
      const shares = await sharesIn(floods);
      for (const who of ['known', 'stranger', 'host'] as const) expect(shares[who], who).to.be.at.least(least[who]);
    });
  }

  it('of 100 merchants behind one address after a restart lets all of them log in', async () => {
    const { logIn } = floodedHost();
    const logins = times(scaled(100), (shop) => logIn(`shop-${shop}@mall.example`, PASSWORD, '192.0.2.1'));
    expect(new Set(await outwait(Promise.all(logins)))).to.deep.equal(new Set(['good']));
  });
});

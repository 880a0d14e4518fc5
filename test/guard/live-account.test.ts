import { expect } from 'chai';
import { accountReader } from '../../src/guard/account-reader.js';
import { liveAccount } from '../../src/guard/live-account.js';
import { createPasswords, createTokens, type MerchantAccount, type UserStore } from '../../src/index.js';
import { AWA, KOFI } from '../helpers/accounts.js';
import { expectRevokedToken } from '../helpers/answers.js';
import { FRAMEWORK } from '../helpers/framework.js';
import { type Answer, bearer } from '../helpers/http.js';
import { logIn, tokenOf } from '../helpers/login-host.js';
import { servePayments } from '../helpers/payments.js';
import { QUICK_HASH, quickPasswords } from '../helpers/quick-passwords.js';
import { expectAuthError, rejectionOf } from '../helpers/thrown.js';
import { collectWarnings } from '../helpers/warnings.js';

/** The fixed time of the service, at 250 ms of a second. */
const NOW = Date.UTC(2026, 0, 15, 12, 0, 0, 250);
const ISSUED_AT = Math.floor(NOW / 1000) * 1000;
const SECOND = 1_000;

describe('liveAccount', () => {
  /** Checks a token of Awa's from `ISSUED_AT` against an account with these members. */
  function check(members: Partial<MerchantAccount> | null, readAtLogin?: number) {
    const store = {
      findById: (id: string) => Promise.resolve(members && { ...AWA, id, ...members }),
      findCredentials: () => Promise.resolve(null),
    } satisfies UserStore;
    const { id: sub, marchand } = AWA;
    const times = { iat: ISSUED_AT / 1000, exp: ISSUED_AT / 1000 + 18_000 };
    const validAfter = readAtLogin === undefined ? {} : { valid_after: readAtLogin };
    const claims = { iss: 'me', sub, ...times, referencl: marchand.referencl, ...validAfter };
    return liveAccount(accountReader(store, 5_000), claims, 'shop');
  }

  async function expectRevoked(...args: Parameters<typeof check>): Promise<void> {
    const error = expectAuthError(await rejectionOf(check(...args)), 'revoked_token');
    expect(error.headers).to.have.property('WWW-Authenticate').that.contains('realm="shop"');
  }

  it('returns the account as it is now, with its reference', async () => {
    const change = { marchand: { referencl: 'BTQ-2002', statut: 1 }, allowedSources: ['203.0.113.7'] };
    const { account, members } = await check(change);
    expect(account).to.deep.equal({ ...AWA, ...change });
    expect(members.marchand.referencl).to.equal('BTQ-2002');
    expect(members.allowedSources).to.deep.equal(['203.0.113.7']);
  });

  it('refuses a token whose account is gone or disabled', async () => {
    await expectRevoked(null);
    await expectRevoked({ disabled: true });
  });

  it('accepts a token when the account has no tokensValidAfter, whatever the token carries', async () => {
    for (const members of [{}, { tokensValidAfter: null }]) {
      for (const readAtLogin of [undefined, NOW]) await check(members, readAtLogin);
    }
  });

  it('accepts a token with exactly the value of the account, even one in the future', async () => {
    for (const instant of [0, ISSUED_AT, NOW, NOW + 3_600_000]) {
      await check({ tokensValidAfter: new Date(instant) }, instant);
    }
  });

  it('refuses any other token, unless it is more than 60 s younger than the value', async () => {
    for (const readAtLogin of [undefined, NOW - 10 * SECOND, NOW + 3_600_001]) {
      for (const age of [60_001, 3_600_000]) await check({ tokensValidAfter: new Date(ISSUED_AT - age) }, readAtLogin);
      for (const age of [60_000, 59_999, 9_999, 0, -250, -3_600_000]) {
        await expectRevoked({ tokensValidAfter: new Date(ISSUED_AT - age) }, readAtLogin);
      }
    }
  });
});

describe('tokensValidAfter', () => {
  beforeEach(() => void collectWarnings());

  async function serveAccounts() {
    const clock = { now: NOW };
    const tokens = createTokens({ clock: () => clock.now });
    const quick = quickPasswords(createPasswords);
    const login = { tokens, passwords: quick.passwords };
    const { client, store } = await servePayments(FRAMEWORK, { login, guard: { tokens } });
    for (const account of [AWA, KOFI]) store.put({ ...account, passwordHash: QUICK_HASH });
    return {
      clock,
      quick,
      store,
      /** Sets `tokensValidAfter`, as a machine with another clock does. */
      revoke: (instant: number) => store.put({ ...AWA, tokensValidAfter: new Date(instant), passwordHash: QUICK_HASH }),
      logIn: async (email?: string) => tokenOf(await logIn(client, email)),
      ask: (token: string) => client.send('GET', '/v1/guarded', { headers: bearer(token) }),
    };
  }

  function expectPass({ status, text }: Answer, { id } = AWA): void {
    expect(status, text).to.equal(200);
    expect(JSON.parse(text)).to.include({ id });
  }

  for (const [name, difference] of [
    ['right', 0],
    ['50 s ahead', 50 * SECOND],
    ['50 s behind', -50 * SECOND],
  ] as const) {
    it(`ends each older token and no later one when the clock that sets it is ${name}, even twice in a second`, async () => {
      const { clock, revoke, logIn, ask } = await serveAccounts();
      const kofis = await logIn(KOFI.email);
      clock.now = NOW - 5 * SECOND;
      const older = [await logIn()];
      clock.now = NOW;
      for (const milliseconds of [100, 300]) {
        older.push(await logIn());
        expectPass(await ask(older.at(-1) ?? ''));
        revoke(NOW + milliseconds + difference);
        for (const token of older) expectRevokedToken(await ask(token));
        clock.now = NOW + milliseconds + 100;
        expectPass(await ask(await logIn()));
      }
      expectPass(await ask(kofis), KOFI);
    });
  }
});

import { expect } from 'chai';
import { accountReader } from '../../src/guard/account-reader.js';
import { liveAccount } from '../../src/guard/live-account.js';
import type { MerchantAccount, UserStore } from '../../src/index.js';
import { AWA } from '../helpers/accounts.js';
import { REVOKED_TOKEN } from '../helpers/answers.js';
import { expectAuthError, rejectionOf } from '../helpers/thrown.js';

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
    const error = expectAuthError(await rejectionOf(check(...args)), REVOKED_TOKEN);
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

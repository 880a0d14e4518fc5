import { expect } from 'chai';
import type { MerchantAccount } from '../../src/index.js';
import { AWA, KOFI, withPassword } from '../helpers/accounts.js';
import { expectRevokedToken } from '../helpers/answers.js';
import { type Answer, bearer } from '../helpers/http.js';
import { FRAMEWORK } from '../helpers/framework.js';
import { logIn, tokenOf } from '../helpers/login-host.js';
import { servePayments } from '../helpers/payments.js';
import { collectWarnings } from '../helpers/warnings.js';
import { QUICK_HASH, quickPasswords } from '../helpers/quick-passwords.js';

/** The fixed time of the service, at 250 ms of a second. */
const NOW = Date.UTC(2026, 0, 15, 12, 0, 0, 250);
const SECOND = 1_000;

describe('the account of a token', () => {
  const { auth } = FRAMEWORK;
  beforeEach(() => void collectWarnings());

  async function serveAccounts() {
    const clock = { now: NOW };
    const tokens = auth.createTokens({ clock: () => clock.now });
    const quick = quickPasswords(auth.createPasswords);
    const login = { tokens, passwords: quick.passwords };
    const { client, store } = await servePayments(FRAMEWORK, { login, guard: { tokens } });
    store.put({ ...KOFI, passwordHash: QUICK_HASH });
    const put = (members: Partial<MerchantAccount>) => store.put({ ...AWA, ...members, passwordHash: QUICK_HASH });
    put({});
    return {
      clock,
      quick,
      store,
      tokens,
      put,
      /** Sets `tokensValidAfter`, as a machine with another clock does. */
      revoke: (instant: number) => put({ tokensValidAfter: new Date(instant) }),
      logIn: async (email?: string) => tokenOf(await logIn(client, email)),
      ask: (token: string) => client.send('GET', '/v1/guarded', { headers: bearer(token) }),
    };
  }

  function expectPass(answer: Answer, { id, marchand } = AWA): void {
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.json).to.include({ id, referencl: marchand.referencl });
  }

  describe('with tokensValidAfter', () => {
    it('accepts a token when the account has none, whatever the token carries', async () => {
      const { tokens, put, revoke, logIn, ask } = await serveAccounts();
      const plain = await logIn();
      revoke(NOW);
      const marked = await logIn();
      expect([tokens.verify(plain), tokens.verify(marked)].map((claims) => claims.valid_after)).to.deep.equal([
        undefined,
        NOW,
      ]);
      for (const members of [{ tokensValidAfter: null }, {}]) {
        put(members);
        for (const token of [plain, marked]) expectPass(await ask(token));
      }
    });

    for (const milliseconds of [0, 1, 999]) {
      it(`ends every older token and no later one, when it is set ${milliseconds} ms after a full second`, async () => {
        const { clock, revoke, logIn, ask } = await serveAccounts();
        const instant = Math.floor(NOW / SECOND) * SECOND + milliseconds;
        clock.now = instant - 10 * SECOND;
        const [first, second] = [await logIn(), await logIn()];
        const kofis = await logIn(KOFI.email);
        expectPass(await ask(first));

        clock.now = instant;
        const third = await logIn();
        revoke(instant);
        for (const old of [first, second, third]) expectRevokedToken(await ask(old));
        expectPass(await ask(kofis), KOFI);
        expectPass(await ask(await logIn()));
        expectRevokedToken(await ask(first));
      });
    }

    it('ends each token once, when two revocations and a login between them happen in one second (ASVS 7.4.3)', async () => {
      const { clock, revoke, logIn, ask } = await serveAccounts();
      const before = await logIn();
      revoke(NOW + 100);
      expectRevokedToken(await ask(before));

      clock.now = NOW + 200;
      const between = await logIn();
      expectPass(await ask(between));
      expectRevokedToken(await ask(before));

      revoke(NOW + 300);
      expectRevokedToken(await ask(between));
      clock.now = NOW + 400;
      const after = await logIn();
      expectPass(await ask(after));
      for (const old of [before, between]) expectRevokedToken(await ask(old));
    });

    for (const [name, difference] of [
      ['50 s ahead', 50 * SECOND],
      ['50 s behind', -50 * SECOND],
    ] as const) {
      it(`ends older tokens at once, when the clock that sets it is ${name}`, async () => {
        const { clock, revoke, logIn, ask } = await serveAccounts();
        clock.now = NOW - 5 * SECOND;
        const older = await logIn();
        clock.now = NOW;
        const old = await logIn();
        revoke(NOW + difference);
        for (const token of [older, old]) expectRevokedToken(await ask(token));

        const next = await logIn();
        expectPass(await ask(next));
        clock.now = NOW + 100;
        expectPass(await ask(next));

        revoke(NOW + 100 + difference);
        expectRevokedToken(await ask(next));
        expectPass(await ask(await logIn()));
      });
    }

    it('ends the token of a login that read the account before the change and is answered after it (ASVS 7.4.3)', async () => {
      const { clock, quick, store, logIn, ask } = await serveAccounts();
      const changed = { ...AWA, passwordHash: 'quick:another password', tokensValidAfter: new Date(NOW) };
      quick.verify = (password, hash) => {
        store.put(changed);
        clock.now = NOW + 2 * SECOND;
        return Promise.resolve(hash === `quick:${password}`);
      };
      const late = await logIn();
      expect(late.split('.')).to.have.length(3);
      expectRevokedToken(await ask(late));
    });

    it('accepts a token without valid_after that is more than 60 s younger, and refuses one that is exactly 60 s younger', async () => {
      const { revoke, logIn, ask } = await serveAccounts();
      const token = await logIn();
      const issuedAt = Math.floor(NOW / SECOND) * SECOND;
      for (const [age, passes] of [
        [3_600 * SECOND, true],
        [60_001, true],
        [60_000, false],
        [59_999, false],
        [0, false],
        [-3_600 * SECOND, false],
      ] as const) {
        revoke(issuedAt - age);
        if (passes) expectPass(await ask(token));
        else expectRevokedToken(await ask(token));
      }
    });

    it('applies the same 60 s to a token that carries another value', async () => {
      const { revoke, logIn, ask } = await serveAccounts();
      const issuedAt = Math.floor(NOW / SECOND) * SECOND;
      revoke(NOW - 10 * SECOND);
      const token = await logIn();
      expectPass(await ask(token));
      for (const other of [NOW - 10 * SECOND - 1, NOW - 10 * SECOND + 1, NOW, issuedAt - 60_000]) {
        revoke(other);
        expectRevokedToken(await ask(token));
      }
      revoke(issuedAt - 60_001);
      expectPass(await ask(token));
    });
  });

  it('that is disabled or deleted has its tokens refused, until it is restored', async () => {
    const { store, put, logIn, ask } = await serveAccounts();
    const token = await logIn();
    put({ disabled: true });
    expectRevokedToken(await ask(token));
    put({ disabled: false });
    expectPass(await ask(token));
    store.remove(AWA.id);
    expectRevokedToken(await ask(token));
    store.put(withPassword(AWA));
    expectPass(await ask(token));
  });
});

import { mock } from 'node:test';
import { inspect } from 'node:util';
import { expect } from 'chai';
import passport from 'passport';
import passportLocal from 'passport-local';
import { createLogin, createPasswords } from '../../src/index.js';
import { createPassportLocal } from '../../src/login/passport-local.js';
import { AWA, PASSWORD, WRONG } from '../helpers/accounts.js';
import { ACCOUNT_DISABLED, WRONG_CREDENTIALS } from '../helpers/answers.js';
import { outcomeOfCall, requestFrom } from '../helpers/logins-in-progress.js';
import { QUICK_HASH, quickPasswords } from '../helpers/quick-passwords.js';
import { rejectionOf } from '../helpers/thrown.js';

const { Strategy } = passportLocal;

afterEach('restore passport', () => {
  mock.restoreAll();
  passportLocal.Strategy = Strategy;
});

describe('createPassportLocal', () => {
  it('resolves to the result of the login, or rejects with its error', async () => {
    const throughPassportLocal = createPassportLocal();
    const error = new Error('of the login');
    const overlapping = [1, 2].map((number) => throughPassportLocal(() => Promise.resolve(number)));
    expect(await Promise.all(overlapping)).to.deep.equal([1, 2]);
    expect(await rejectionOf(throughPassportLocal(() => Promise.reject(error)))).to.equal(error);
  });

  it("calls nothing of the host's passport", async () => {
    const calls = (['use', 'authenticate', 'initialize', 'session'] as const).map((name) =>
      mock.method(passport, name),
    );
    expect(await createPassportLocal()(() => Promise.resolve('good'))).to.equal('good');
    expect(calls.map((call) => call.mock.callCount())).to.deep.equal([0, 0, 0, 0]);
  });

  it('shows a tool that wraps strategies no email, and a success only for a whole login', async () => {
    const seen: unknown[] = [];
    class WatchedStrategy extends Strategy {
      constructor(options: passportLocal.IStrategyOptionsWithRequest, verify: passportLocal.VerifyFunctionWithRequest) {
        super(options, (req, name, password, done) => {
          verify(req, name, password, (error: unknown, user, info) => {
            seen.push({ req, name, password, user });
            done(error, user, info);
          });
        });
      }
    }
    Object.assign(passportLocal, { Strategy: WatchedStrategy });
    const found = { account: { ...AWA, disabled: false }, passwordHash: QUICK_HASH };
    const store = { findCredentials: () => Promise.resolve(found), findById: () => Promise.resolve(null) };
    const login = createLogin(store, { passwords: quickPasswords(createPasswords).passwords });
    const attempt = (password: string) =>
      outcomeOfCall(login.attempt(requestFrom('192.0.2.7'), { identifier: AWA.email, password }));
    const outcomes = [await attempt(PASSWORD), await attempt(WRONG)];
    found.account.disabled = true;
    outcomes.push(await attempt(PASSWORD));
    expect(outcomes).to.deep.equal(['good', WRONG_CREDENTIALS, ACCOUNT_DISABLED]);
    expect(seen.map((one) => (one as { user?: unknown }).user)).to.deep.equal([true, undefined, undefined]);
    const shown = inspect(seen, { depth: Infinity, showHidden: true });
    for (const secret of [AWA.email, PASSWORD, WRONG]) expect(shown).not.to.contain(secret);
  });
});

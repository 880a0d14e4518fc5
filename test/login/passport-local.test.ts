import { mock } from 'node:test';
import { expect } from 'chai';
import type { Response } from 'express';
import passport from 'passport';
import passportLocal from 'passport-local';
import { createLogin, createPasswords, type MerchantAccount } from '../../src/index.js';
import { AWA, FERMEE, KOFI, PASSWORD, WRONG } from '../helpers/accounts.js';
import { ACCOUNT_DISABLED, STORE_UNAVAILABLE, WRONG_CREDENTIALS } from '../helpers/answers.js';
import { recordEvents } from '../helpers/events.js';
import { serveLogin } from '../helpers/login-host.js';
import { holdLogin, outcomeOfCall, requestFrom } from '../helpers/logins-in-progress.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { quickAccountStore, QUICK_HASH, quickPasswords } from '../helpers/quick-passwords.js';
import { settle } from '../helpers/until.js';

const { Strategy } = passportLocal;

type Verify = passportLocal.VerifyFunctionWithRequest;
type Outcome = Parameters<Parameters<Verify>[3]>;

afterEach('restore passport', () => {
  mock.restoreAll();
  passportLocal.Strategy = Strategy;
});

const idOf = (user: unknown) => (user as MerchantAccount | undefined)?.id;

/** Wraps the verify function of the strategies that are made until the test ends, as monitoring tools do. */
function wrapVerify(wrap: (verify: Verify) => Verify): void {
  class WrappedStrategy extends Strategy {
    constructor(options: passportLocal.IStrategyOptionsWithRequest, verify: Verify) {
      super(options, wrap(verify));
    }
  }
  Object.assign(passportLocal, { Strategy: WrappedStrategy });
}

/** Keeps back the outcome of each account with this id. */
function block(id: string, answer: () => void = () => undefined): void {
  wrapVerify((verify) => (given, identifier, password, done) => {
    verify(given, identifier, password, (...outcome) => {
      if (idOf(outcome[1]) === id) answer();
      else done(...outcome);
    });
  });
}

describe('the strategy of passport-local', () => {
  it('gets the identifier and the password, and reports the account, a failure, or the error', async () => {
    const seen: { given: object; texts: readonly string[]; outcome: Outcome }[] = [];
    wrapVerify((verify) => (given, identifier, password, done) => {
      verify(given, identifier, password, (...outcome) => {
        seen.push({ given, texts: [identifier, password], outcome });
        done(...outcome);
      });
    });
    const store = quickAccountStore();
    const login = createLogin(store, { passwords: quickPasswords(createPasswords).passwords });
    const req = requestFrom('192.0.2.7');
    const attempts = [
      { texts: [AWA.email, PASSWORD], code: 'good', account: '1' },
      { texts: [AWA.email, WRONG], code: WRONG_CREDENTIALS },
      { texts: ['nobody@boutique.example', PASSWORD], code: WRONG_CREDENTIALS },
      { texts: [FERMEE.email, PASSWORD], code: ACCOUNT_DISABLED, account: '3' },
      { texts: ['0', ' '], code: WRONG_CREDENTIALS },
      { texts: [KOFI.email, PASSWORD], code: STORE_UNAVAILABLE, isError: true },
    ];
    for (const { texts, code, account, isError = false } of attempts) {
      if (isError) store.findCredentials = () => Promise.reject(new Error('down'));
      const [identifier = '', password = ''] = texts;
      expect(await outcomeOfCall(login.attempt(req, { identifier, password }))).to.equal(code);
      const last = seen.at(-1);
      expect(last?.texts).to.deep.equal(texts);
      expect(last?.given).not.to.equal(req);
      const [error, user, info] = last?.outcome ?? [];
      expect([Boolean(error), idOf(user), info]).to.deep.equal([isError, account, undefined]);
    }
    expect(seen).to.have.length(attempts.length);
    expect(JSON.stringify(seen.map(({ outcome }) => outcome))).not.to.contain(QUICK_HASH);
  });

  it('gives each of overlapping logins its own result', async () => {
    const { attempt, end } = holdLogin();
    const logins = [
      attempt(AWA.email, PASSWORD, '192.0.2.1'),
      attempt(KOFI.email, WRONG, '192.0.2.2'),
      attempt(KOFI.email, PASSWORD, '192.0.2.3'),
    ];
    end();
    expect(await Promise.all(logins)).to.deep.equal(['good', WRONG_CREDENTIALS, 'good']);
  });

  it("calls nothing of the host's passport", async () => {
    const calls = (['use', 'authenticate', 'initialize', 'session'] as const).map((name) =>
      mock.method(passport, name),
    );
    const { attempt, end } = holdLogin();
    end();
    expect(await attempt(AWA.email, PASSWORD, '192.0.2.7')).to.equal('good');
    expect(calls.map((call) => call.mock.callCount())).to.deep.equal([0, 0, 0, 0]);
  });

  it('rejects the login when it reports no outcome, or one without a lookup', async () => {
    const wraps: ((verify: Verify) => Verify)[] = [
      () => (_given, _identifier, _password, done) => done(null, AWA),
      () => (_given, _identifier, _password, done) => done(null, false),
      (verify) => (given, identifier, password) => verify(given, identifier, password, () => undefined),
    ];
    for (const wrap of wraps) {
      wrapVerify(wrap);
      const { attempt, end } = holdLogin();
      end();
      expect(await attempt(AWA.email, PASSWORD, '192.0.2.7')).to.equal('passport-local reported no outcome');
    }
  });

  it('rejects the login with what a tool throws', async () => {
    wrapVerify((verify) => (given, identifier, password) => {
      verify(given, identifier, password, () => {
        throw new Error('of the tool');
      });
    });
    const { attempt, end } = holdLogin();
    end();
    expect(await attempt(AWA.email, PASSWORD, '192.0.2.7')).to.equal('of the tool');
  });

  it('leaves the place of a login whose outcome a tool keeps back', async () => {
    block(AWA.id);
    const { attempt, end } = holdLogin({ maxPendingLogins: 1 });
    end();
    for (const ip of ['192.0.2.1', '192.0.2.2']) await attempt(AWA.email, PASSWORD, ip);
    expect(await attempt(KOFI.email, PASSWORD, '192.0.2.3')).to.equal('good');
  });
});

onEachExpress('a tool that keeps the outcome of a login back', (framework) => {
  let current: Response | undefined;

  /** Serves the login to a tool that may answer. */
  async function serveBlocked(answer: (res: Response | undefined) => void) {
    block(AWA.id, () => answer(current));
    const host = await serveLogin({
      framework,
      before: [
        (_req, res, next) => {
          current = res;
          next();
        },
      ],
    });
    return { ...host, events: recordEvents(framework.auth.onAuthEvent) };
  }

  it('answers in place of the login, which reports no error and no event', async () => {
    const { logIn, hostErrors, events } = await serveBlocked((res) => res?.status(403).send('blocked'));
    for (let time = 0; time < 2; time++) {
      const answer = await logIn();
      expect([answer.status, answer.text]).to.deep.equal([403, 'blocked']);
    }
    await settle();
    expect([hostErrors, events]).to.deep.equal([[], []]);
    expect((await logIn(KOFI.email)).status).to.equal(200);
  });

  it('gets a 500 without an answer', async () => {
    const { logIn, hostErrors, events } = await serveBlocked(() => undefined);
    expect((await logIn()).status).to.equal(500);
    expect(hostErrors.map(String)).to.deep.equal(['Error: passport-local reported no outcome']);
    expect(events).to.deep.equal([]);
  });
});

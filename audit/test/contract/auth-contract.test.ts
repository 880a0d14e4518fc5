import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import type { Request, RequestHandler } from 'express';
import { createTokens, type MerchantAccount, type UserStore } from '../../../src/index.js';
import { authContract, type HostUnderTest } from '../../src/index.js';
import { AWA, FERMEE, KOFI, PASSWORD, PASSWORD_HASH } from '../../../test/helpers/accounts.js';
import { ACCOUNT_DISABLED, WRONG_CREDENTIALS } from '../../../test/helpers/answers.js';
import { stubComputations } from '../../../test/helpers/computations.js';
import { FRAMEWORK } from '../../../test/helpers/on-each-express.js';
import { serve } from '../../../test/helpers/http.js';
import { rejectionOf } from '../../../test/helpers/thrown.js';
import { HOST, NO_ROWS, outcomeOf, outcomeOfCase } from '../contract.js';
import { hostWith, pass, testServedHosts } from '../hosts.js';

const { auth, express } = FRAMEWORK;
const PIN = '2580';
const CASE = 'login and guard answer as docs/interface.md says';
const REASON = 'The guard is on single routes.';

const ACCOUNTS: Readonly<Record<string, MerchantAccount>> = { 'awa-1': AWA, 'kof-2': KOFI, 'fer-3': FERMEE };
const store: UserStore = {
  findCredentials: (identifier) => {
    const account = ACCOUNTS[identifier];
    return Promise.resolve(account ? { account, passwordHash: PASSWORD_HASH, identifier } : null);
  },
  findById: (id) => Promise.resolve(Object.values(ACCOUNTS).find((account) => account.id === id) ?? null),
};
interface Typed {
  readonly user: unknown;
  readonly pin: unknown;
}

/**
 * Makes a host with its own login, format of errors, user names and PINs. Its validator refuses every other form.
 * @param answerFirst returns an answer to a login in place of the right one
 */
function ownHostWith(answerFirst: (typed: Typed) => number | object | undefined = () => undefined): HostUnderTest {
  const attempts = auth.createLogin(store);
  const signIn: RequestHandler = (req: Request<object, unknown, Typed>, res, next) => {
    const { user, pin } = req.body;
    const answer = answerFirst(req.body);
    if (typeof answer === 'number') res.sendStatus(answer);
    else if (answer) res.status(401).json(answer);
    else if (/^[a-z]{3}-[1-9]$/.test(String(user)) && /^\d{4}$/.test(String(pin))) {
      const attempt = attempts.attempt(req, { identifier: String(user), password: String(pin) });
      attempt.then(({ token }) => res.json({ data: { jwt: token } })).catch(next);
    } else res.status(400).json({ text: 'That is not a user name and a PIN.' });
  };
  return hostWith({
    before: express.json(),
    store,
    login: express.Router().post('/sign-in', signIn),
    serves: { 'POST /v1/payments': [auth.requireOwnReference(), () => 202] },
    onError: auth.authErrorHandler({
      respond: (error, _req, res) => void res.status(error.status).set(error.headers).json({ fault: error.code }),
    }),
    merchant: { ...HOST.merchant, email: 'awa-1', password: PIN },
    otherMerchant: { ...HOST.otherMerchant, email: 'kof-2', password: PIN },
    disabledMerchant: { email: 'fer-3', password: PIN },
    loginPath: '/v1/sign-in',
    ownLogin: { body: (user, pin) => ({ user, pin }), tokenOf: (body) => (body as { data: { jwt: string } }).data.jwt },
    transactions: { ...HOST.transactions, path: '/v1/payments' },
    errors: 'own',
  });
}

describe('authContract of a host with its own login, user names and format of errors', () => {
  beforeEach(() => stubComputations(({ password }) => password === PIN));

  for (const { name, run } of authContract(() => Promise.resolve(ownHostWith()))) it(`holds: ${name}`, run);

  it('finds that an object in place of a text is no 4xx', async () => {
    const host = ownHostWith(({ user, pin }) => (user instanceof Object || pin instanceof Object ? 500 : undefined));
    expect(await outcomeOfCase(CASE, host)).to.match(
      /^POST \/v1\/sign-in \(a login with objects in place of texts\) got 500 in place of a 4xx\./,
    );
  });

  it('finds a token whose reference differs from that of the test', async () => {
    const { merchant, ...host } = ownHostWith();
    expect(await outcomeOfCase(CASE, { ...host, merchant: { ...merchant, referencl: 'BTQ-7' } })).to.match(
      /^marchand\.referencl of a good login is not the referencl that this test gave\./,
    );
  });

  it('says how to test a format of errors, where the host has not said so', async () => {
    expect(await outcomeOfCase(CASE, { ...ownHostWith(), errors: 'layout' })).to.match(
      /got 401 in place of 401 wrong_credentials\. .* If your refusals have another format, write errors: 'own'\./,
    );
  });

  it('finds that a wrong password of a disabled account is answered in another way than an unknown email', async () => {
    const outcomeFor = (fault: string) =>
      outcomeOfCase(
        CASE,
        ownHostWith(({ user, pin }) => (user === 'fer-3' && pin !== PIN ? { fault } : undefined)),
      );
    expect(await outcomeFor(ACCOUNT_DISABLED)).to.match(
      /\(a wrong password of a disabled account\) and an unknown email get different bodies,/,
    );
    expect(await outcomeFor(WRONG_CREDENTIALS)).to.equal('passed');
  });
});

describe('the case on login and guard', () => {
  const loginOnly = 'left out: The login was tested. Give transactions to test the guard.';
  testServedHosts(CASE, {
    'is left out where the host names it': { guard: pass, leaveOut: { [CASE]: REASON }, says: `left out: ${REASON}` },
    'leaves a request out that the host names': { demand: pass, leaveOut: { 'no reference': REASON } },
    'asks for no reference where no client sends one': { demand: pass, transactions: { body: () => ({}) } },
    'tests the login alone without transactions': { guard: pass, transactions: undefined as never, says: loginOnly },
  });
});

describe('authContract', () => {
  beforeEach(() => stubComputations(({ password }) => password === PASSWORD));

  /** Returns a host at the address of a server that answers each request in one way. */
  const hostAt = async (status: number, body = '{}') => {
    const answer: RequestListener = (_req, res) => res.writeHead(status).end(body);
    const { port } = await serve(answer);
    return { ...HOST, baseUrl: `http://127.0.0.1:${port}` };
  };
  const outcomesOf = async (host: HostUnderTest) => {
    const outcomes: string[] = [];
    for (const test of authContract(() => Promise.resolve(host))) outcomes.push(await outcomeOf(test));
    return outcomes;
  };

  it('wants an app or an address', async () => {
    expect(await outcomeOfCase(CASE, HOST)).to.equal('Let createHost resolve to { app } or to { baseUrl }.');
  });

  it('blames the limiters of the host and of the package for each 429, and nothing else', async () => {
    const host = { ...(await hostAt(429, '{"message":"Slow down"}')), tokens: createTokens(), ...NO_ROWS };
    const messages = (await outcomesOf(host)).filter((outcome) => !/^(passed$|left out: )/.test(outcome));
    expect(messages).to.have.length(1);
    expect(messages[0]).to.match(/ A limiter refused it: one of yours, or that of this package .*\. The body: /);
  });

  it('logs each merchant in once, the first one twice, and fails at most ten logins', async () => {
    const logins: Record<string, number> = {};
    const count: RequestHandler = (req, res, next) => {
      res.on('finish', () => {
        const { email } = (req.body ?? {}) as { email?: string };
        const key = res.statusCode === 200 ? String(email) : String(res.statusCode);
        if (req.originalUrl === '/v1/login') logins[key] = (logins[key] ?? 0) + 1;
      });
      next();
    };
    await outcomesOf(hostWith({ before: [express.json(), count], tokens: createTokens() }));
    const { [AWA.email]: awa, [KOFI.email]: kofi, 401: wrong = 0, 429: limited = 0 } = logins;
    expect([awa, kofi]).to.deep.equal([2, 1]);
    expect(wrong + limited).to.be.within(5, 10);
  });

  it('leaves out the cases that need what the host does not have, with the reason', async () => {
    const { merchant, baseUrl } = await hostAt(404);
    const ownLogin = { body: () => ({}), tokenOf: () => 'a.b.c' };
    const outcomes = (await outcomesOf({ merchant, baseUrl, ownLogin })).filter((one) => one.startsWith('left out'));
    const reasons = [
      ...['Give resources to test this.', 'Give app to test this.', 'Give app to test this.'],
      ...['Name routes that no merchant may use in refused to test this.', 'Give otherMerchant to test this.'],
    ];
    expect(outcomes).to.deep.equal(reasons.map((reason) => `left out: ${reason}`));
  });

  it('says that nothing was tested when createHost fails, without a stack of this package', async () => {
    const [first] = authContract(() => Promise.reject(new Error('no database')));
    const { message, stack } = (await rejectionOf(first?.run() ?? expect.fail())) as Error;
    expect(message).to.equal('createHost failed, so nothing was tested: no database.');
    expect(stack).to.equal(message);
  });

  it('closes the host after each case, even after a failure', async () => {
    let closed = 0;
    const close = () => Promise.resolve(void (closed += 1));
    expect(await outcomeOfCase(CASE, { ...(await hostAt(404)), close })).to.contain('got 404');
    expect(closed).to.equal(1);
  });
});

import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import type { Request, RequestHandler } from 'express';
import { createTokens, type MerchantAccount, type UserStore } from '../../../src/index.js';
import { authContract, type HostUnderTest } from '../../src/index.js';
import { AWA, FERMEE, KOFI, PASSWORD, PASSWORD_HASH } from '../../../test/helpers/accounts.js';
import { ACCOUNT_DISABLED, WRONG_CREDENTIALS } from '../../../test/helpers/answers.js';
import { stubComputations } from '../../../test/helpers/computations.js';
import { HOST, NO_ROWS, outcomeOf, outcomeOfCase } from '../contract.js';
import { FRAMEWORK } from '../../../test/helpers/on-each-express.js';
import { serve } from '../../../test/helpers/http.js';
import { expectTypeError, rejectionOf } from '../../../test/helpers/thrown.js';
import { hostWith, pass } from '../hosts.js';

const { auth, express } = FRAMEWORK;
const PIN = '2580';
const CASE = 'login and guard answer as docs/interface.md says';

const ACCOUNTS = new Map<string, MerchantAccount>([
  ['awa-1', AWA],
  ['kof-2', KOFI],
  ['fer-3', FERMEE],
]);
const store: UserStore = {
  findCredentials: (identifier) => {
    const account = ACCOUNTS.get(identifier);
    return Promise.resolve(account ? { account, passwordHash: PASSWORD_HASH, identifier } : null);
  },
  findById: (id) => Promise.resolve([...ACCOUNTS.values()].find((account) => account.id === id) ?? null),
};
interface Typed {
  readonly user: unknown;
  readonly pin: unknown;
}

/**
 * Makes a host with its own login, format of errors, user names and PINs. Its validator refuses every other form.
 * @param answerFirst returns an answer to a login in place of the right one
 * @param onPayments is mounted before the handler of payments
 */
function ownHostWith(
  answerFirst: (typed: Typed) => number | object | undefined = () => undefined,
  onPayments: RequestHandler = pass,
): HostUnderTest {
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
    mount: (app) => app.use('/v1/payments', onPayments),
    serves: { 'POST /v1/payments': [auth.requireOwnReference(), () => 202] },
    onError: auth.authErrorHandler({
      respond: (error, _req, res) => void res.status(error.status).set(error.headers).json({ fault: error.code }),
    }),
    merchant: { ...HOST.merchant, email: 'awa-1', password: PIN },
    otherMerchant: { ...HOST.otherMerchant, email: 'kof-2', password: PIN },
    disabledMerchant: { email: 'fer-3', password: PIN },
    loginPath: '/v1/sign-in',
    ownLogin: {
      body: (user, pin) => ({ user, pin }),
      tokenOf: (body) => (body as { data: { jwt: string } }).data.jwt,
    },
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

  it('compares refused logins without the members that differ each time', async () => {
    let number = 0;
    const host = ownHostWith(({ pin }) => (pin === PIN ? undefined : { fault: 'wrong', id: (number += 1) }));
    expect(await outcomeOfCase(CASE, host)).to.equal('passed');
  });
});

describe('authContract', () => {
  const REASON = 'The guard is on single routes.';
  const casesOf = (host: Partial<HostUnderTest>) => authContract(() => Promise.resolve({ ...HOST, ...host }));
  const errorOf = (host: Partial<HostUnderTest>) => rejectionOf(casesOf(host)[0]?.run() ?? expect.fail());
  /** Returns the address of a server that answers each request in one way. */
  const addressOf = async (status: number, body = '{}') => {
    const answer: RequestListener = (_req, res) =>
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
    return `http://127.0.0.1:${(await serve(answer)).port}`;
  };

  it('names each case once', () => {
    const names = casesOf({}).map(({ name }) => name);
    expect(names).to.deep.equal([...new Set(names)]);
  });

  it('refuses an argument that is not a function', () => {
    expectTypeError(() => authContract({} as never), 'authContract: createHost must be a function.');
  });

  const app = express();
  const COPY = 'Copy a route as the report of auditRoutes prints it, for example "GET /v1/payments/:id"';
  for (const [host, problem] of [
    [{}, 'let createHost resolve to { app } or { baseUrl }, and not to both.'],
    [{ otherMerchant: HOST.merchant }, 'otherMerchant needs another referencl.'],
    [{ app: {} as never }, 'app must be the Express app. In NestJS: app.getHttpAdapter().getInstance().'],
    [
      { app, leaveOut: { '5.8 a route': REASON } },
      `leaveOut has "5.8 a route", which is nothing of this host. ${COPY}, or the whole name of a case.`,
    ],
    [
      { app: express().get('/v1/refunds', pass), refused: { 'GET /v1/refund/*': REASON } },
      `refused has "GET /v1/refund/*", which is nothing of this host. ${COPY}.`,
    ],
    [
      { resources: [{ read: '/v1/transactions', create: () => Promise.resolve({}) }] },
      "a resource is { read: 'GET /v1/payments/:id', create: async (as) => ({ id }) }.",
    ],
    [{ app, leaveOut: { [CASE]: '' } }, `leaveOut of "${CASE}" needs a reason.`],
  ] satisfies [Partial<HostUnderTest>, string][]) {
    it(`refuses a host for a mistake in its description: ${problem}`, async () => {
      const error = await errorOf(host);
      expect(error).to.be.instanceOf(TypeError).with.property('message', `authContract: ${problem}`);
    });
  }

  it('fails one case for a mistake in the description of a host, and leaves the others out with its text', async () => {
    const [first, second, third] = casesOf({ app: express(), leaveOut: { '5.8 a route': REASON } });
    const run = () => first?.run() ?? expect.fail();
    const { message } = (await rejectionOf(run())) as Error;
    for (const other of [second, third]) {
      expect(await outcomeOf(other ?? expect.fail())).to.equal(`left out: ${message.slice(0, -1)}`);
    }
    expect(await rejectionOf(run())).to.be.instanceOf(TypeError);
  });

  it('takes entries for routes of the app with the address of a host too, but none for a case that is unknown', async () => {
    const baseUrl = await addressOf(404);
    const leaveOut = { 'GET /v1/rates/:code': REASON, '/v1/reports proxy': REASON };
    const host = { ...HOST, baseUrl, leaveOut, refused: { 'GET /v1/admin/*': REASON } };
    expect(await outcomeOfCase(CASE, host)).to.contain('got 404');
    expect(await errorOf({ baseUrl, leaveOut: { '5.8 a': REASON } })).to.be.instanceOf(TypeError);
  });

  it('leaves a case out that the host names, with its reason', async () => {
    const host = { ...HOST, baseUrl: await addressOf(404), leaveOut: { [CASE]: REASON } };
    expect(await outcomeOfCase(CASE, host)).to.equal(`left out: ${REASON}`);
  });

  it('leaves a request of a case out that the host names', async () => {
    const host = hostWith({ demand: pass });
    const name = 'no reference';
    stubComputations(({ password }) => password === PASSWORD);
    expect(await outcomeOfCase(CASE, host)).to.match(
      /^POST \/v1\/transactions \(no reference\) got 201 in place of 400/,
    );
    expect(await outcomeOfCase(CASE, { ...host, leaveOut: { [name]: REASON } })).to.equal('passed');
  });

  it('tests the login alone without transactions, and says so', async () => {
    stubComputations(({ password }) => password === PASSWORD);
    const host = hostWith();
    Reflect.deleteProperty(host, 'transactions');
    expect(await outcomeOfCase(CASE, host)).to.equal(
      'left out: The login was tested. Give transactions to test the guard.',
    );
  });

  it('asks for no reference where no client sends one', async () => {
    stubComputations(({ password }) => password === PASSWORD);
    expect(await outcomeOfCase(CASE, hostWith({ demand: pass, transactions: { body: () => ({}) } }))).to.equal(
      'passed',
    );
  });

  it('blames the limiters of the host and of the package for each 429, and nothing else', async () => {
    const host = { baseUrl: await addressOf(429, '{"message":"Slow down"}'), tokens: createTokens(), ...NO_ROWS };
    const outcomes: string[] = [];
    for (const test of casesOf(host)) outcomes.push(await outcomeOf(test));
    const messages = outcomes.filter((outcome) => !/^(passed$|left out: )/.test(outcome));
    expect(messages).to.have.length(1);
    for (const message of messages) {
      expect(message).to.match(
        / A limiter refused it: one of yours, or that of this package for failed logins .* higher limit\. The body: /,
      );
    }
  });

  it('logs each merchant in once, the first one twice, and fails at most ten logins', async () => {
    stubComputations(({ password }) => password === PASSWORD);
    const logins: Record<string, number> = {};
    const count: RequestHandler = (req, res, next) => {
      res.on('finish', () => {
        const { email } = (req.body ?? {}) as { email?: string };
        const key = res.statusCode === 200 ? String(email) : String(res.statusCode);
        if (req.originalUrl === '/v1/login') logins[key] = (logins[key] ?? 0) + 1;
      });
      next();
    };
    const host = hostWith({ before: [express.json(), count], tokens: createTokens() });
    for (const test of casesOf(host)) await outcomeOf(test);
    const { [AWA.email]: awa, [KOFI.email]: kofi, 401: wrong = 0, 429: limited = 0 } = logins;
    expect([awa, kofi]).to.deep.equal([2, 1]);
    expect(wrong + limited).to.be.within(5, 10);
  });

  it('leaves out the cases that need what the host does not have, with the reason', async () => {
    const { merchant } = HOST;
    const ownLogin = { body: () => ({}), tokenOf: () => 'a.b.c' };
    const host = { baseUrl: await addressOf(404), merchant, ownLogin };
    const leftOut: Record<string, number> = {};
    const skip = (reason: string) => (leftOut[reason] = (leftOut[reason] ?? 0) + 1);
    await Promise.allSettled(authContract(() => Promise.resolve(host)).map(({ run }) => run.call({ skip })));
    expect(leftOut).to.deep.equal({
      'Give app to test this.': 2,
      'Give resources to test this.': 2,
      'Name routes that no merchant may use in refused to test this.': 1,
    });
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
    expect(await outcomeOfCase(CASE, { ...HOST, baseUrl: await addressOf(404), close })).to.contain('got 404');
    expect(closed).to.equal(1);
  });
});

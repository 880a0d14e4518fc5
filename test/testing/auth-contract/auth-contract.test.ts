import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import { createTokens, type UserStore } from '../../../src/index.js';
import { authContract, type HostUnderTest } from '../../../src/testing/index.js';
import { AWA, FERMEE, KOFI, PASSWORD_HASH } from '../../helpers/accounts.js';
import { stubComputations } from '../../helpers/computations.js';
import { HOST, outcomeOf } from '../../helpers/contract.js';
import { FRAMEWORK } from '../../helpers/framework.js';
import { serve } from '../../helpers/http.js';
import { expectTypeError, rejectionOf } from '../../helpers/thrown.js';

const { auth, express } = FRAMEWORK;
const PIN = '2580';

/** Makes a host with its own login, format of errors, user names and PINs. Its validator refuses every other form. */
function createOwnHost(): HostUnderTest {
  const accounts = new Map(
    [AWA, KOFI, FERMEE].map((account) => [`${account.email.slice(0, 3)}-${account.id}`, account]),
  );
  const userStore: UserStore = {
    findCredentials: (typed) => {
      const account = accounts.get(typed);
      return Promise.resolve(account ? { account, passwordHash: PASSWORD_HASH, identifier: typed } : null);
    },
    findById: (id) => Promise.resolve([...accounts.values()].find((account) => account.id === id) ?? null),
  };
  const tokens = auth.createTokens();
  const login = auth.createLogin(userStore, { tokens });
  const app = express().use(express.json());
  app.post('/api/sign-in', (req, res, next) => {
    const { user, pin } = req.body as { user: string; pin: string };
    if (/^[a-z]{3}-[1-9]$/.test(user) && /^\d{4}$/.test(pin)) {
      const attempt = login.attempt(req, { identifier: user, password: pin });
      attempt.then(({ token }) => res.json({ data: { jwt: token } })).catch(next);
    } else res.status(400).json({ text: 'That is not a user name and a PIN.' });
  });
  app.use('/api', auth.requireBearer({ userStore, tokens }));
  app.post('/api/payments', auth.requireOwnReference(), (_req, res) => void res.status(202).json({ ok: true }));
  app.use(
    auth.authErrorHandler({
      respond: (error, _req, res) => void res.status(error.status).set(error.headers).json({ fault: error.code }),
      log: () => undefined,
    }),
  );
  return {
    app,
    merchant: { ...HOST.merchant, email: 'awa-1', password: PIN },
    otherMerchant: { email: 'kof-2', password: PIN, referencl: KOFI.marchand.referencl },
    disabledMerchant: { email: 'fer-3', password: PIN },
    loginPath: '/api/sign-in',
    ownLogin: {
      body: (user, pin) => ({ user, pin }),
      tokenOf: (body) => (body as { data: { jwt: string } }).data.jwt,
    },
    transactions: { ...HOST.transactions, path: '/api/payments' },
    errors: 'own',
  };
}

describe('authContract holds for a host with its own login, user names and format of errors', () => {
  beforeEach(() => stubComputations(({ password }) => password === PIN));

  for (const { name, run } of authContract(() => Promise.resolve(createOwnHost()))) it(name, run);
});

describe('authContract', () => {
  const ROUTE = '5.8 a route that does not exist gets 401 without a token';
  const REASON = 'The guard is on single routes.';
  const casesOf = (host: Partial<HostUnderTest>) => authContract(() => Promise.resolve({ ...HOST, ...host }));
  const outcomeFor = (host: Partial<HostUnderTest>) =>
    outcomeOf(casesOf(host).find(({ name }) => name === ROUTE) ?? expect.fail());
  const addressOf = async (listener: RequestListener) => `http://127.0.0.1:${(await serve(listener)).port}`;
  const notFound: RequestListener = (_req, res) => res.writeHead(404).end();

  it('names each case once, in a sentence', () => {
    const names = casesOf({}).map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    expect(names.length).to.be.greaterThan(20);
  });

  it('refuses an argument that is not a function', () => {
    expectTypeError(() => authContract({} as never), 'authContract: createHost must be a function.');
  });

  for (const [host, problem] of [
    [{}, 'let createHost resolve to { app } or { baseUrl }, and not to both.'],
    [{ otherMerchant: HOST.merchant }, 'otherMerchant needs another referencl.'],
    [
      { app: { listen: () => undefined } as never },
      'app must be the Express app. In NestJS: app.getHttpAdapter().getInstance().',
    ],
    [
      { leaveOut: [{ case: '5.8 a route', reason: REASON }] },
      'leaveOut names no case "5.8 a route". Copy the whole name of the case.',
    ],
    [{ leaveOut: [{ case: ROUTE, reason: '' }] }, `leaveOut of "${ROUTE}" needs a reason.`],
  ] satisfies [Partial<HostUnderTest>, string][]) {
    it(`refuses a host for a mistake in its description: ${problem}`, async () => {
      const [first] = casesOf(host);
      const error = await rejectionOf(first?.run() ?? Promise.resolve());
      expect(error).to.be.instanceOf(TypeError).with.property('message', `authContract: ${problem}`);
    });
  }

  it('leaves a case out that the host names, with its reason', async () => {
    const baseUrl = await addressOf(notFound);
    const leaveOut = [{ case: ROUTE, reason: REASON }];
    expect(await outcomeFor({ baseUrl, leaveOut })).to.equal(`left out: ${REASON}`);
    expect(await outcomeFor({ baseUrl })).to.contain('got 404 in place of 401 missing_token.');
  });

  it('blames a limiter of the host for each 429, and nothing else', async () => {
    const baseUrl = await addressOf((_req, res) => {
      res.writeHead(429, { 'Content-Type': 'application/json' }).end('{"message":"Slow down"}');
    });
    const outcomes: string[] = [];
    for (const test of casesOf({ baseUrl, tokens: createTokens() })) outcomes.push(await outcomeOf(test));
    const messages = outcomes.filter((outcome) => !/^(passed$|left out: )/.test(outcome));
    expect(messages).to.have.length.above(15);
    for (const message of messages) {
      expect(message).to.match(
        / A limiter refused it\. Wait, or start the host again, without a limiter of yours\. The body: /,
      );
    }
  });

  it('leaves out the cases that need what the host does not have, with the reason', async () => {
    const { merchant, transactions } = HOST;
    const ownLogin = { body: () => ({}), tokenOf: () => 'a.b.c' };
    const host = { baseUrl: await addressOf(notFound), merchant, transactions, ownLogin };
    const leftOut: Record<string, number> = {};
    const skip = (reason: string) => (leftOut[reason] = (leftOut[reason] ?? 0) + 1);
    await Promise.allSettled(authContract(() => Promise.resolve(host)).map(({ run }) => run.call({ skip })));
    expect(leftOut).to.deep.equal({
      'This host has its own login, with its own request and answer.': 7,
      'Give disabledMerchant to test this.': 1,
      'Give otherMerchant to test this.': 1,
      'Give tokens to test this.': 1,
      'Give transactions.idOf to test this. By id: no route of the app.': 1,
      'This host allows no browsers: no Access-Control-Allow-Origin.': 1,
    });
  });

  it('says that nothing was tested when createHost fails', async () => {
    const [first] = authContract(() => Promise.reject(new Error('no database')));
    expect(await outcomeOf(first ?? expect.fail())).to.equal('createHost failed, so nothing was tested: no database.');
  });

  it('closes the host after each case, even after a failure', async () => {
    let closed = 0;
    const close = () => Promise.resolve(void (closed += 1));
    expect(await outcomeFor({ baseUrl: await addressOf(notFound), close })).to.contain('got 404');
    expect(closed).to.equal(1);
  });
});

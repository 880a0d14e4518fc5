import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import type { RequestHandler } from 'express';
import jwt from 'jsonwebtoken';
import { createTokens, type UserStore } from '../../../src/index.js';
import { createTestTokens } from '../../../src/testing/index.js';
import { authContract, type HostUnderTest } from '../../src/index.js';
import { AWA, FERMEE, KOFI, PASSWORD, PASSWORD_HASH } from '../../../test/helpers/accounts.js';
import { stubComputations } from '../../../test/helpers/computations.js';
import { HOST, NO_ROWS, outcomeOf, outcomeOfCase } from '../contract.js';
import { FRAMEWORK } from '../../../test/helpers/framework.js';
import { serve } from '../../../test/helpers/http.js';
import { expectTypeError, rejectionOf } from '../../../test/helpers/thrown.js';
import { appWith } from '../faulty-hosts/fault.js';

const { auth, express } = FRAMEWORK;
const PIN = '2580';
const pass: RequestHandler = (_req, _res, next) => next();

/** A middleware that is mounted before the login, and one before the handler of payments. */
interface Added {
  readonly first?: RequestHandler;
  readonly onPayments?: RequestHandler;
}

/** Makes a host with its own login, format of errors, user names and PINs. Its validator refuses every other form. */
function createOwnHost({ first = pass, onPayments = pass }: Added = {}): HostUnderTest {
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
  const app = express().use(express.json(), first);
  app.post('/api/sign-in', (req, res, next) => {
    const { user, pin } = req.body as { user: string; pin: string };
    if (/^[a-z]{3}-[1-9]$/.test(user) && /^\d{4}$/.test(pin)) {
      const attempt = login.attempt(req, { identifier: user, password: pin });
      attempt.then(({ token }) => res.json({ data: { jwt: token } })).catch(next);
    } else res.status(400).json({ text: 'That is not a user name and a PIN.' });
  });
  app.use('/api', auth.requireBearer({ userStore, tokens }));
  app.use('/api/payments', onPayments);
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
    ...NO_ROWS,
  };
}

describe('authContract holds for a host with its own login, user names and format of errors', () => {
  beforeEach(() => stubComputations(({ password }) => password === PIN));

  for (const { name, run } of authContract(() => Promise.resolve(createOwnHost()))) it(name, run);
});

describe('authContract of a host with its own login and format of errors', () => {
  beforeEach(() => stubComputations(({ password }) => password === PIN));

  const outcomeFor = (name: string, added: Added) => {
    const cases = authContract(() => Promise.resolve(createOwnHost(added)));
    return outcomeOf(cases.find((test) => test.name.startsWith(name)) ?? expect.fail());
  };
  const onLogin =
    (answer: (body: { user?: unknown; pin?: unknown }) => number | object | undefined): RequestHandler =>
    (req, res, next) => {
      const found = req.path === '/api/sign-in' ? answer(req.body as object) : undefined;
      if (found === undefined) next();
      else if (typeof found === 'number') res.sendStatus(found);
      else res.status(401).json(found);
    };

  it('finds that an object in place of a text is no 4xx', async () => {
    const first = onLogin(({ user, pin }) => (user instanceof Object || pin instanceof Object ? 500 : undefined));
    expect(await outcomeFor('7 a login with a body', { first })).to.match(
      /^POST \/api\/sign-in with a body that is broken, or has an object in place of a text, got 500 in place of a 4xx\./,
    );
  });

  it('finds that a wrong password of a disabled account is answered in another way than an unknown email', async () => {
    const answerFor = (fault: string) =>
      onLogin(({ user, pin }) => (user === 'fer-3' && pin !== PIN ? { fault } : undefined));
    expect(await outcomeFor('7 a wrong password', { first: answerFor('account_disabled') })).to.match(
      /^A wrong password of a disabled account and an unknown email get different bodies,/,
    );
    expect(await outcomeFor('7 a wrong password', { first: answerFor('wrong_credentials') })).to.equal('passed');
  });

  it('compares refused logins without the members that differ each time', async () => {
    let number = 0;
    const first = onLogin(({ pin }) => (pin === PIN ? undefined : { fault: 'wrong', trace: { id: (number += 1) } }));
    expect(await outcomeFor('7 a wrong password', { first })).to.equal('passed');
  });

  it('names authErrorHandler where an answer in another layout lacks a header', async () => {
    const first: RequestHandler = (_req, res, next) => {
      const json = res.json.bind(res);
      res.json = (body) => {
        res.removeHeader('Retry-After');
        return json(body);
      };
      next();
    };
    const fix = 'Mount authErrorHandler() before every other error handler, or copy error.headers to the answer there.';
    expect(await outcomeFor('the eleventh', { first })).to.equal(`The 429 of a login has no Retry-After. ${fix}`);
  });

  it('counts no 403 that the own reference gets too', async () => {
    let requests = 0;
    const quota: RequestHandler = (_req, res, next) => ((requests += 1) > 1 ? void res.sendStatus(403) : next());
    expect(await outcomeFor('5.6 a reference of', { onPayments: quota })).to.match(
      /^POST \/api\/payments got 403 with the own reference too, so the 403 for a foreign one proves nothing\./,
    );
  });
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
      { leaveOut: { '5.8 a route': REASON } },
      'leaveOut has "5.8 a route", which is nothing of this host. Copy a route as the report of auditRoutes prints it, for ' +
        'example "GET /v1/payments/:id", or the whole name of a case.',
    ],
    [
      { app: express().get('/v1/refunds', notFound), refused: { 'GET /v1/refund/*': REASON } },
      'refused has "GET /v1/refund/*", which is nothing of this host. Copy a route as the report of auditRoutes prints it, ' +
        'for example "GET /v1/payments/:id".',
    ],
    [
      { resources: [{ read: '/v1/transactions', create: () => Promise.resolve({}) }] },
      "a resource is { read: 'GET /v1/payments/:id', create: async (as) => ({ id }) }.",
    ],
    [{ leaveOut: { [ROUTE]: '' } }, `leaveOut of "${ROUTE}" needs a reason.`],
  ] satisfies [Partial<HostUnderTest>, string][]) {
    it(`refuses a host for a mistake in its description: ${problem}`, async () => {
      const [first] = casesOf(host);
      const error = await rejectionOf(first?.run() ?? Promise.resolve());
      expect(error).to.be.instanceOf(TypeError).with.property('message', `authContract: ${problem}`);
    });
  }

  it('fails one case for a mistake in the description of a host, and leaves the others out with its text', async () => {
    const cases = casesOf({ app: express(), leaveOut: { '5.8 a route': REASON } }).slice(0, 3);
    const error = await rejectionOf(cases[0]?.run() ?? expect.fail());
    const left = [await outcomeOf(cases[1] ?? expect.fail()), await outcomeOf(cases[2] ?? expect.fail())];
    expect(left).to.deep.equal(Array(2).fill(`left out: ${(error as Error).message.slice(0, -1)}`));
    expect(await rejectionOf(cases[0]?.run() ?? expect.fail())).to.be.instanceOf(TypeError);
  });

  it('takes entries for routes of the app with the address of a host too, but none for a case that is unknown', async () => {
    const baseUrl = await addressOf(notFound);
    const leaveOut = { 'GET /v1/rates/:code': REASON, '/v1/reports proxy': REASON };
    expect(await outcomeFor({ baseUrl, leaveOut, refused: { 'GET /v1/admin/*': REASON } })).to.contain('got 404');
    expect(
      await rejectionOf(casesOf({ baseUrl, leaveOut: { '5.8 a': REASON } })[0]?.run() ?? expect.fail()),
    ).to.be.instanceOf(TypeError);
  });

  it('fails with a message alone, because a stack of this package would hide it', async () => {
    const baseUrl = await addressOf(notFound);
    const [first] = casesOf({ baseUrl });
    const { stack, message } = (await rejectionOf(first?.run() ?? expect.fail())) as Error;
    expect(stack).to.equal(message);
  });

  it('leaves a case out that the host names, with its reason', async () => {
    const baseUrl = await addressOf(notFound);
    const leaveOut = { [ROUTE]: REASON };
    expect(await outcomeFor({ baseUrl, leaveOut })).to.equal(`left out: ${REASON}`);
    expect(await outcomeFor({ baseUrl })).to.contain('got 404 in place of 401 missing_token.');
  });

  for (const [title, token] of [
    ['is opaque', 'opaque'],
    ['is a JWT of another type', jwt.sign({ iat: 1, exp: 18_001 }, 'secret')],
    ['has no exp', createTestTokens(createTokens()).withoutExpiry(AWA)],
  ] as const) {
    it(`says what the token of a login is not: it ${title}`, async () => {
      const baseUrl = await addressOf((_req, res) => res.writeHead(200).end());
      const host = { ...HOST, baseUrl, ownLogin: { body: () => ({}), tokenOf: () => token } };
      expect(await outcomeOfCase('5.4 a token is a JWT', host)).to.match(
        /^The token of a login is not a JWT of the type at\+jwt with exp = iat \+ 18,000\. /,
      );
    });
  }

  it('blames the limiters of the host and of the package for each 429, and nothing else', async () => {
    const baseUrl = await addressOf((_req, res) => {
      res.writeHead(429, { 'Content-Type': 'application/json' }).end('{"message":"Slow down"}');
    });
    const outcomes: string[] = [];
    for (const test of casesOf({ baseUrl, tokens: createTokens(), ...NO_ROWS })) outcomes.push(await outcomeOf(test));
    const messages = outcomes.filter((outcome) => !/^(passed$|left out: )/.test(outcome));
    expect(messages).to.have.length.above(15);
    for (const message of messages) {
      expect(message).to.match(
        / A limiter refused it: one of yours, or that of this package for failed logins .* higher limit\. The body: /,
      );
    }
  });

  it('logs each merchant in once, apart from the cases on a second login, and fails at most 30 logins', async () => {
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
    const host = { app: appWith({ before: [express.json(), count] }), tokens: createTokens(), ...NO_ROWS };
    for (const test of casesOf(host)) expect(await outcomeOf(test), test.name).to.match(/^(passed$|left out: )/);
    const { [AWA.email]: awa, [KOFI.email]: kofi, 401: wrong = 0, 429: limited = 0 } = logins;
    expect([awa, kofi]).to.deep.equal([3, 1]);
    expect(wrong + limited).to.be.within(20, 30);
  });

  it('leaves out the cases that need what the host does not have, with the reason', async () => {
    const { merchant } = HOST;
    const ownLogin = { body: () => ({}), tokenOf: () => 'a.b.c' };
    const host = { baseUrl: await addressOf(notFound), merchant, ownLogin };
    const leftOut: Record<string, number> = {};
    const skip = (reason: string) => (leftOut[reason] = (leftOut[reason] ?? 0) + 1);
    await Promise.allSettled(authContract(() => Promise.resolve(host)).map(({ run }) => run.call({ skip })));
    expect(leftOut).to.deep.equal({
      'This host has its own login, with its own request and answer.': 6,
      'Give transactions to test this.': 7,
      'No route takes the reference in its path.': 1,
      'Give disabledMerchant to test this.': 1,
      'Give otherMerchant to test this.': 1,
      'Give tokens to test this.': 1,
      'Give resources to test this.': 2,
      'Name routes that no merchant may use in refused to test this.': 1,
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

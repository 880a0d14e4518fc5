import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import express, { type Request } from 'express';
import {
  authErrorHandler,
  createLogin,
  createTokens,
  InMemoryUserStore,
  type Passwords,
  requireBearer,
  requireOwnReference,
  type UserStore,
} from 'express-merchant-auth';
import { authContract, type HostUnderTest } from 'express-merchant-auth-audit';
import { REQUEST_NAMES } from '../../audit/src/contract/our-answers.js';
import { AWA, PASSWORD, withPassword } from '../helpers/accounts.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { declareTests, loadSnippet, readPage, writeSnippets } from '../helpers/snippets.js';
import { rejectionOf } from '../helpers/thrown.js';

const PAGE = 'docs/testing.md';

const failedLogins = readPage('docs/failed-logins.md').replaceAll(/\s+/g, ' ');

describe(PAGE, () => {
  writeSnippets(PAGE);

  describe('shows a test of a host:', () => {
    const requests: (string | undefined)[] = [];
    const count = (message: unknown) => requests.push((message as { request: IncomingMessage }).request.url);

    before('count the requests', () => subscribe('http.server.request.start', count));
    after('stop counting', () => unsubscribe('http.server.request.start', count));
    beforeEach('expect a warning', () => void collectWarnings());
    declareTests('host.test.ts', PAGE);

    it('sends the number of requests that another page names', () => {
      const logins = requests.filter((url) => url?.startsWith('/v1/login'));
      const named = /sends about (\d+) requests to the login, and (\d+) in all/.exec(failedLogins)?.slice(1) ?? [];
      expect(named).to.have.length(2);
      for (const [index, sent] of [logins, requests].entries()) {
        expect(sent.length).to.be.closeTo(Number(named[index]), sent.length / 5);
      }
    });
  });

  it('names a request that a host leaves out', () => {
    const { entries } = loadSnippet('routes.test-host.ts', PAGE) as {
      entries: Required<Pick<HostUnderTest, 'leaveOut'>>;
    };
    expect(Object.keys(entries.leaveOut).filter((key) => REQUEST_NAMES.includes(key))).to.have.length(1);
  });

  describe('shows a login route of the host, with which the contract holds', () => {
    const createHost = () => {
      const tokens = createTokens();
      const userStore = new InMemoryUserStore([withPassword(AWA)]);
      const login = createLogin(userStore, { tokens });
      const app = express();
      app.post('/auth/sign-in', express.json(), (req, res, next) => {
        const { username, password } = req.body as { username: string; password: string };
        login
          .attempt(req, { identifier: username, password })
          .then(({ token }) => res.set('Cache-Control', 'no-store').json({ data: { token } }), next);
      });
      app.use('/v1', requireBearer({ userStore, tokens }));
      app.post('/v1/transactions', requireOwnReference(), (_req, res) => void res.sendStatus(201));
      const { signIn } = loadSnippet('sign-in.test-host.ts', PAGE) as { signIn: object };
      const merchant = { email: AWA.email, password: PASSWORD, referencl: 'BTQ-1001' };
      const transactions = { body: (refercence_cl: string | undefined) => ({ refercence_cl }) };
      return Promise.resolve({ app: app.use(authErrorHandler()), merchant, transactions, ...signIn });
    };
    const cases = authContract(createHost).filter(({ name }) => name.includes('login'));
    for (const { name, run } of cases) it(name, run);
  });

  describe('shows how a test finds open routes:', () => declareTests('audit.test.ts', PAGE));

  describe('shows how a test makes a token and sends requests:', () => declareTests('requests.test.ts', PAGE));

  it('shows passwords that are fast in tests, even after a login', async () => {
    const { fastPasswords: passwords, keepHashes } = loadSnippet('jest/fast-passwords.ts', PAGE) as {
      fastPasswords: Passwords;
      keepHashes: (store: InMemoryUserStore) => UserStore;
    };
    const passwordHash = `plain:${PASSWORD}`;
    const store = new InMemoryUserStore([{ ...AWA, passwordHash }]);
    const login = createLogin(keepHashes(store), { passwords });
    const request = { ip: '127.0.0.1', headers: {} } as Request;
    await login.attempt(request, { identifier: AWA.email, password: PASSWORD });
    await new Promise(setImmediate);
    expect((await store.findCredentials(AWA.email))?.passwordHash).to.equal(passwordHash);
    const refused = login.attempt(request, { identifier: AWA.email, password: 'not the password' });
    expect(await rejectionOf(refused)).to.include({ code: 'wrong_credentials' });
  });
});

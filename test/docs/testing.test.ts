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
import {
  blockOf,
  declareTests,
  loadSnippet,
  readPage,
  rowsOf,
  writeSnippet,
  writeSnippets,
} from '../helpers/snippets.js';
import { rejectionOf } from '../helpers/thrown.js';

const PAGE = 'docs/testing.md';

const GUARD = "app.use('/v1', auth.requireBearer({ userStore, tokens }));";

/** Puts each mistake of the page into its app, in the order of the table. */
const MISTAKES: readonly ((app: string) => string)[] = [
  (app) => app.replace(GUARD, `app.get('/v1/balance', (req, res) => res.end()); ${GUARD}`),
  (app) => app.replace('app.use(auth.authErrorHandler())', "app.get('/v1/:refercence_cl', (req, res) => res.end())"),
  (app) =>
    app.replace('requireBearer({ userStore, tokens })', "requireBearer({ userStore, tokens, reference: 'unchecked' })"),
  (app) => app.replace('rows.filter(isOwn(req)).find', 'rows.find'),
  (app) => app.replace('res.json(rows.filter(isOwn(req)))', 'res.json(rows)'),
  (app) => app.replace('app.post(', "app.get('/v1/payments/:id', (req, res) => res.json({})); app.post("),
  (app) => app.replace('(userStore, { tokens })', "(userStore, { tokens: auth.createTokens({ audience: 'x' }) })"),
  (app) =>
    app.replace(/^app.use\(auth.authErrorHandler.*$/m, '').replace('app.use(', 'app.use(express.json()); app.use('),
];

/** Runs the cases of the page's test over this app, and returns the messages of those that fail. */
async function messagesOf(app: string, folder: string): Promise<string[]> {
  writeSnippet('app.ts', app, folder);
  const declare = 'export const cases: unknown[] = [];\nconst test = (name: string, run: unknown) => cases.push(run);';
  const text = blockOf(PAGE, 'host.test.ts').replace("import { test } from 'node:test';", declare);
  writeSnippet('host.test.ts', text, folder);
  const { cases } = loadSnippet('host.test.ts', folder) as { cases: ((context: object) => unknown)[] };
  const messages: string[] = [];
  for (const run of cases) {
    await Promise.resolve({ skip: () => undefined })
      .then(run)
      .catch((error: unknown) => messages.push(String(error)));
  }
  return messages;
}

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

  rowsOf(PAGE, 'mistake').forEach(([mistake = '', message = ''], index) => {
    it(`shows a test that finds the mistake: ${mistake}`, async () => {
      collectWarnings();
      const app = blockOf(PAGE, 'app.ts');
      const wrong = MISTAKES[index]?.(app) ?? app;
      expect(wrong).not.to.equal(app);
      expect((await messagesOf(wrong, `testing/${index}`)).join('\n')).to.include(message);
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
    const { fastPasswords: passwords, keepHashes } = loadSnippet('fast-passwords.ts', PAGE) as {
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

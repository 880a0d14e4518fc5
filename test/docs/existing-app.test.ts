import { createHmac } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import express, { type Express, type Request, type RequestHandler, type Router } from 'express';
import type { Login, MerchantAccount, Tokens, UserStore } from 'express-merchant-auth';
import * as auth from 'express-merchant-auth';
import type { OpenApiDocument } from 'express-merchant-auth/openapi';
import { auditRoutes, type SeedAccount, userStoreContract } from 'express-merchant-auth/testing';
import { AWA, KOFI, PASSWORD, withPassword } from '../helpers/accounts.js';
import { bearer, clientOf, serve } from '../helpers/http.js';
import { tokenOf } from '../helpers/login-host.js';
import { blockOf, loadSnippet, writeSnippets } from '../helpers/snippets.js';
import { setVariable } from '../helpers/variables.js';

const PAGE = 'docs/existing-app.md';

interface ShopAccount extends MerchantAccount {
  readonly username: string;
  readonly role: 'owner' | 'cashier';
}

interface Row {
  readonly account: ShopAccount;
  readonly passwordHash: string | null;
}

const snippet = (file: string) => loadSnippet(file, PAGE);
const OWNER: ShopAccount = { ...AWA, username: 'awa', role: 'owner' };

/** Returns the exports of `auth.ts`. Its store is the same object in each test. */
const shared = () => snippet('auth.ts') as { tokens: Tokens; userStore: auth.InMemoryUserStore };
const headersOf = (account: MerchantAccount) => bearer(shared().tokens.issue(account));

const createStore = (rows: readonly Row[]) => {
  const { UserNameStore } = snippet('user-name-store.ts') as {
    UserNameStore: new (of: readonly Row[]) => UserStore<ShopAccount>;
  };
  return new UserNameStore(rows);
};

describe(PAGE, () => {
  before(() => {
    Object.assign(process.env, { OPERATOR_SECRET: 'of the operator', REPORTS_KEY: 'of the jobs' });
    writeSnippets(PAGE);
  });

  beforeEach(() => {
    shared().userStore.put(withPassword(AWA));
  });

  it('shows an app with logins, payments, sibling paths and a raw webhook', async () => {
    const { app } = snippet('app.ts') as { app: Express };
    const client = await serve(app);
    const post = async (path: string, body: unknown, headers = {}) =>
      (await client.send('POST', `/api/v1/${path}`, { body, headers })).status;

    const login = await client.send('POST', '/api/v1/auth/login', { body: { email: AWA.email, password: PASSWORD } });
    const headers = bearer(tokenOf(login));
    const form = { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' };
    expect(await post('payments', { refercence_cl: 'BTQ-1001' }, headers)).to.equal(201);
    expect(await post('payments', { refercence_cl: 'CNT-1002' }, headers)).to.equal(403);
    expect(await post('payments', 'refercence_cl=BTQ-1001', form)).to.equal(201);
    expect(await post('payments', {})).to.equal(401);
    const balance = async (reference: string) =>
      (await client.send('GET', `/api/v1/payments/merchants/${reference}/balance`, { headers })).status;
    expect([await balance('BTQ-1001'), await balance('CNT-1002')]).to.deep.equal([200, 403]);

    const signIn = { username: AWA.email, password: PASSWORD };
    const { json } = await client.send('POST', '/api/v1/auth/sign-in', { body: signIn });
    expect(json).to.have.nested.property('data.user', AWA.id);
    expect(await post('auth/sign-in', { username: AWA.email })).to.equal(400);

    const bytes = '{ "paid" : true }';
    const sign = createHmac('sha256', 'of the operator').update(bytes).digest('hex');
    const webhook = (signature: string) =>
      post('webhooks/operator', bytes, { 'Content-Type': 'application/json', 'X-Signature': signature });
    expect([await webhook(sign), await webhook(sign.replace(/^./, 'z'))]).to.deep.equal([204, 403]);
  });

  it('shows a guard on single routes, and what a middleware after it sets', async () => {
    const { walletRoutes } = snippet('wallets.ts') as { walletRoutes: Router };
    const app = express().use(walletRoutes, auth.authErrorHandler());
    const client = await serve(app);
    expect(auditRoutes(app).findings).to.deep.equal(['GET /rates: no guard']);
    const { json } = await client.send('GET', '/balance', { headers: headersOf(AWA) });
    expect(json).to.deep.equal({ wallet: 'BTQ-1001', balance: 0 });
  });

  it('shows a registration, after which its token and its password work', async () => {
    const { register } = snippet('register.ts') as { register: (email: string, password: string) => Promise<string> };
    const { app } = snippet('app.ts') as { app: Express };
    const client = await serve(app);
    const email = 'new@boutique.example';
    const headers = bearer(await register(email, PASSWORD));
    const login = await client.send('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } });
    const { referencl: refercence_cl } = (login.json as { marchand: { referencl: string } }).marchand;
    const paid = await client.send('POST', '/api/v1/payments', { headers, body: { refercence_cl } });
    expect([login.status, paid.status]).to.deep.equal([200, 201]);
  });

  it('shows a route that renews a token', async () => {
    const { renewal } = snippet('renew.ts') as { renewal: Router };
    const client = await serve(express().use(renewal, auth.authErrorHandler()));
    const { json, headers } = await client.send('POST', '/auth/renew', { headers: headersOf(AWA) });
    const { token } = json as { token: string };
    expect([shared().tokens.verify(token).sub, headers['cache-control']]).to.deep.equal([AWA.id, 'no-store']);
    expect((await client.send('POST', '/auth/renew')).status).to.equal(401);
  });

  it('shows a test that names the routes of the app which need no guard', () => {
    const shown = [...blockOf(PAGE, 'routes.test.ts').matchAll(/'([A-Z]+ \/\S+: no guard)'/g)];
    const { app } = snippet('app.ts') as { app: Express };
    expect(auditRoutes(app).findings)
      .to.deep.equal(shown.map(([, finding]) => finding))
      .and.have.length(2);
  });

  describe('shows a store for user names and roles', () => {
    const createEmptyStore = () => {
      const rows: Row[] = [];
      return Promise.resolve({
        store: createStore(rows),
        seed(accounts: readonly SeedAccount[]) {
          // The cases log in by email.
          for (const { passwordHash, ...account } of accounts) {
            rows.push({ account: { ...account, username: account.email, role: 'owner' }, passwordHash });
          }
          return Promise.resolve();
        },
        close: () => Promise.resolve(),
      });
    };
    for (const { name, run } of userStoreContract(createEmptyStore)) it(name, run);
  });

  it('shows a handler that lets a role pass and refuses the other one', async () => {
    const { requireRole } = snippet('require-role.ts') as { requireRole: (role: string) => RequestHandler };
    const cashier = { ...OWNER, id: '2', role: 'cashier' } as const;
    const userStore = createStore([OWNER, cashier].map((account) => ({ account, passwordHash: null })));
    const app = express().use(auth.requireBearer({ userStore, tokens: shared().tokens }));
    const client = await serve(app.get('/', requireRole('owner'), (_req, res) => void res.sendStatus(204)));
    const statusFor = async (account: ShopAccount) =>
      (await client.send('GET', '/', { headers: headersOf(account) })).status;
    expect([await statusFor(OWNER), await statusFor(cashier)]).to.deep.equal([204, 403]);
  });

  it('shows how code without the request finds the merchant, of two requests at once', async () => {
    const { keepMerchant, currentMerchant } = snippet('current-merchant.ts') as {
      keepMerchant: RequestHandler;
      currentMerchant: () => auth.Merchant | undefined;
    };
    shared().userStore.put(withPassword(KOFI));
    const { guard } = snippet('auth.ts') as { guard: auth.Guard };
    let answerFirst: (() => void) | undefined;
    const handler: RequestHandler = async (_req, res) => {
      if (answerFirst === undefined) await new Promise<void>((resolve) => (answerFirst = resolve));
      else answerFirst();
      res.json(currentMerchant()?.referencl);
    };
    const client = await serve(express().use(auth.requireBearer({ guard }), keepMerchant, handler));
    const answers = [AWA, KOFI].map((account) => client.send('GET', '/', { headers: headersOf(account) }));
    expect((await Promise.all(answers)).map(({ json }) => json)).to.deep.equal(['BTQ-1001', 'CNT-1002']);
    expect(currentMerchant()).to.equal(undefined);
  });

  it('shows an app that writes all refusals in its own format', async () => {
    const { app } = snippet('own-format.ts') as { app: Express };
    const { status, headers, json } = await (await serve(app)).send('GET', '/v1/transactions');
    const description = 'Send the header Authorization: Bearer <token>.';
    expect([status, json]).to.deep.equal([401, { ok: false, reason: 'missing_token', text: description }]);
    expect(headers['www-authenticate']).to.equal('Bearer realm="merchant"');
  });

  it('shows an app that sends problem details', async () => {
    const { respond } = snippet('problem-details.ts') as { respond: auth.Respond };
    const { guard, login } = snippet('auth.ts') as { guard: auth.Guard; login: Login };
    const app = express().use(auth.createLoginRouter(login, { respond }), auth.requireBearer({ guard, respond }));
    const client = await serve(app);
    const { status, headers, json } = await client.send('GET', '/');
    expect([status, headers['content-type']]).to.deep.equal([401, 'application/problem+json; charset=utf-8']);
    expect(headers['www-authenticate']).to.equal('Bearer realm="merchant"');
    const code = 'missing_token';
    expect(json).to.deep.equal({
      type: `https://pay.example/problems/${code}`,
      title: 'Token missing',
      status: 401,
      detail: 'Send the header Authorization: Bearer <token>.',
      code,
    });
    const refused = await client.send('POST', '/login', { body: { email: AWA.email } });
    expect(refused.json).to.have.nested.property('errors[0].field', 'password');
  });

  it('shows a route for an API key or a token, which keeps the check of the reference', async () => {
    const { reports } = snippet('reports.ts') as { reports: Router };
    const client = await serve(express().use(reports, auth.authErrorHandler()));
    const statusOf = async (headers: Record<string, string>, reference = 'BTQ-1001') =>
      (await client.send('GET', `/${reference}`, { headers })).status;
    const token = headersOf(AWA);
    expect(await statusOf({ 'X-Api-Key': 'of the jobs' }, 'CNT-1002')).to.equal(200);
    expect(await statusOf({ ...token, 'X-Api-Key': 'of the job' })).to.equal(401);
    expect([await statusOf(token), await statusOf(token, 'CNT-1002'), await statusOf({})]).to.deep.equal([
      200, 403, 401,
    ]);
  });

  it('shows a guard of WebSockets', async () => {
    const { guardUpgrades } = snippet('websockets.ts') as {
      guardUpgrades: (of: never, accept: (...args: readonly [unknown, PassThrough]) => void) => void;
    };
    const server = new EventEmitter();
    guardUpgrades(server as never, (_req, socket) => socket.end('accepted'));
    const upgrade = (given: object) => {
      const socket = new PassThrough();
      const req = Object.assign(new IncomingMessage(socket as never), { headers: { upgrade: 'WebSocket', ...given } });
      server.emit('upgrade', req, socket);
      return text(socket);
    };
    expect(await upgrade({ authorization: headersOf(AWA).Authorization })).to.equal('accepted');
    expect(await upgrade({})).to.match(/^HTTP\/1\.1 401 Unauthorized\r\n/);
  });

  it('shows how a request that offers another protocol is served', async () => {
    const { guardUpgrades } = snippet('websockets.ts') as { guardUpgrades: (of: Server, accept: () => void) => void };
    const { app } = snippet('app.ts') as { app: Express };
    const server = createServer(app).listen(0, '127.0.0.1');
    guardUpgrades(server, () => expect.fail('not a WebSocket'));
    await once(server, 'listening');
    const client = clientOf((server.address() as AddressInfo).port);
    const headers = {
      ...headersOf(AWA),
      Connection: 'Upgrade, HTTP2-Settings',
      Upgrade: 'h2c',
      'HTTP2-Settings': 'AAEAAEAA',
    };
    for (const sending of [{}, { chunked: true }]) {
      const body = { refercence_cl: 'BTQ-1001', note: 'x'.repeat(70_000) };
      const paid = await client.send('POST', '/api/v1/payments', { ...sending, headers, body });
      expect(paid.status).to.equal(201);
    }
    server.closeAllConnections();
    server.close();
  });

  it('shows a context of GraphQL with the merchant, or without one', async () => {
    const { createContext } = snippet('graphql-context.ts') as {
      createContext: (of: { req: object }) => Promise<{ merchant: auth.Merchant | null }>;
    };
    const ask = (headers: object) => createContext({ req: { headers, socket: {} } });
    expect(await ask({ authorization: headersOf(AWA).Authorization })).to.have.nested.property('merchant.id', AWA.id);
    expect(await ask({})).to.deep.equal({ merchant: null });
  });

  it('shows an API document with the login and the refusals of the guard', () => {
    const { document } = snippet('api-document.ts') as { document: OpenApiDocument };
    expect(document.paths).to.have.keys('/v1/login', '/v1/transactions');
    const responses = document.paths as Readonly<Record<string, object>>;
    expect(responses).to.have.nested.property('/v1/transactions.get.responses').that.includes.keys('200', '401', '403');
  });

  it('shows two modes in one process: neither accepts the tokens of the other, for another merchant with the same id', async () => {
    const settings = {
      DIGEST_KEY: 'a digest key of the tests, of 32 bytes or more',
      SANDBOX_SECRET: 'the secret of the sandbox, of 32 bytes or more',
      LIVE_SECRET: 'the secret of live, of 32 bytes or more',
    };
    for (const [name, value] of Object.entries(settings)) setVariable(name, value);
    const { app, sandboxStore, liveStore } = snippet('modes.ts') as {
      readonly app: Express;
      readonly sandboxStore: auth.InMemoryUserStore;
      readonly liveStore: auth.InMemoryUserStore;
    };
    const modes = [
      { realm: 'sandbox', path: '/sandbox/v1', account: AWA, store: sandboxStore },
      { realm: 'live', path: '/v1', account: { ...KOFI, id: AWA.id }, store: liveStore },
    ] as const;
    for (const { store, account } of modes) store.put(withPassword(account));
    const client = await serve(app);
    for (const { realm, path, account } of modes) {
      const body = { email: account.email, password: PASSWORD };
      const headers = bearer(tokenOf(await client.send('POST', `${path}/login`, { body })));
      for (const mode of modes) {
        const refercence_cl = mode.account.marchand.referencl;
        const answer = await client.send('POST', `${mode.path}/transactions`, { headers, body: { refercence_cl } });
        if (mode.realm === realm) expect(answer.json).to.deep.equal({ mode: realm, refercence_cl });
        else {
          expect(answer.json).to.include({ code: 401, error: 'invalid_token' });
          expect(answer.headers['www-authenticate']).to.match(new RegExp(`^Bearer realm="${mode.realm}"`));
        }
      }
    }
  });

  it('shows a flag of the merchant, which sends its payments elsewhere from the next request on', async () => {
    const { operatorOf } = snippet('test-flag.ts') as { operatorOf: (req: Request) => string };
    const { tokens, userStore } = shared();
    const app = express().use(auth.requireBearer({ userStore, tokens }), (req, res) => void res.json(operatorOf(req)));
    const client = await serve(app);
    for (const [flag, operator] of [
      [{ isTest: true }, 'simulator'],
      [{ isTest: false }, 'operator'],
      [{}, 'simulator'],
    ] as const) {
      userStore.put({ ...withPassword(AWA), ...flag });
      expect((await client.send('GET', '/', { headers: headersOf(AWA) })).json).to.equal(operator);
    }
  });
});

import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect } from 'chai';
import express, { type Express, type RequestHandler, type Router } from 'express';
import type { MerchantAccount, Tokens, UserStore } from 'express-merchant-auth';
import * as auth from 'express-merchant-auth';
import type { OpenApiDocument } from 'express-merchant-auth/openapi';
import { auditRoutes, type SeedAccount, userStoreContract } from 'express-merchant-auth/testing';
import { AWA, KOFI, PASSWORD, PASSWORD_HASH, withPassword } from '../helpers/accounts.js';
import { expectInvalidBody, expectWrongCredentials } from '../helpers/answers.js';
import { bearer, serve } from '../helpers/http.js';
import { blocksOf, complaintsAbout, loadSnippet, writeSnippets } from '../helpers/snippets.js';

const PAGE = 'docs/existing-app.md';

interface ShopAccount extends MerchantAccount {
  readonly username: string;
  readonly role: 'owner' | 'cashier';
}

interface Row {
  readonly account: ShopAccount;
  readonly passwordHash: string | null;
}

type Accept = (req: IncomingMessage, socket: Duplex, head: Buffer, merchant: auth.Merchant) => void;

const snippet = (file: string) => loadSnippet(file, PAGE);

/** Returns the exports of `auth.ts`. Its store is the same object in each test. */
const shared = () => snippet('auth.ts') as { tokens: Tokens; userStore: auth.InMemoryUserStore };

const tokenIn = ({ json }: { readonly json: unknown }) =>
  (json as { authorisation: { token: string } }).authorisation.token;

describe(PAGE, () => {
  before(() => {
    process.env['OPERATOR_SECRET'] = 'of the operator';
    process.env['REPORTS_KEY'] = 'of the jobs';
    expect(complaintsAbout(writeSnippets(PAGE))).to.deep.equal([]);
  });

  beforeEach(() => {
    shared().userStore.put(withPassword(AWA));
  });

  it('shows an app with parsers before the guard, sibling paths and a raw webhook', async () => {
    const { app } = snippet('app.ts') as { app: Express };
    const client = await serve(app);
    const login = await client.send('POST', '/api/v1/auth/login', { body: { email: AWA.email, password: PASSWORD } });
    const headers = bearer(tokenIn(login));
    const post = (path: string, body: unknown, more: object = {}) =>
      client.send('POST', path, { body, headers: { ...headers, ...more } });

    const paid = await post('/api/v1/payments', { refercence_cl: 'BTQ-1001', amount: 5 });
    expect([paid.status, paid.json]).to.deep.equal([201, { refercence_cl: 'BTQ-1001', amount: 5 }]);
    expect((await post('/api/v1/payments', { refercence_cl: 'CNT-1002' })).status).to.equal(403);
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect((await post('/api/v1/payments', 'refercence_cl=BTQ-1001&amount=5', form)).status).to.equal(201);
    expect((await post('/api/v1/payments', 'refercence_cl=CNT-1002', form)).status).to.equal(403);
    expect((await client.send('POST', '/api/v1/payments', { body: {} })).status).to.equal(401);
    const balance = (reference: string) =>
      client.send('GET', `/api/v1/payments/merchants/${reference}/balance`, { headers });
    expect((await balance('BTQ-1001')).json).to.deep.equal({ refercence_cl: 'BTQ-1001', balance: 0 });
    expect((await balance('CNT-1002')).status).to.equal(403);

    const malformed = await post('/api/v1/payments', '{"a":', { 'Content-Type': 'application/json' });
    expect(malformed.json).to.include({ code: 400, error: 'invalid_body' });
    const bytes = '{ "paid" : true }';
    const signature = createHmac('sha256', 'of the operator').update(bytes).digest('hex');
    const webhook = (sign: string) =>
      client.send('POST', '/api/v1/webhooks/operator', {
        body: bytes,
        headers: { 'Content-Type': 'application/json', 'X-Signature': sign },
      });
    expect((await webhook(signature)).status).to.equal(204);
    expect((await webhook(signature.replace(/^./, 'z'))).status).to.equal(403);
  });

  it('shows a test that names the routes of the app which need no guard', () => {
    const { text = '' } = blocksOf(PAGE).find(({ file }) => file === 'routes.test.ts') ?? {};
    const shown = [...text.matchAll(/'([A-Z]+ \/\S+: no guard)'/g)].map(([, finding]) => finding);
    const { app } = snippet('app.ts') as { app: Express };
    expect(auditRoutes(app).findings).to.deep.equal(shown).and.have.length(2);
  });

  it('shows a login route with its own request and response', async () => {
    const client = await serve((snippet('app.ts') as { app: Express }).app);
    const signIn = (body: object) => client.send('POST', '/api/v1/auth/sign-in', { body });

    const answer = await signIn({ username: AWA.email, password: PASSWORD });
    const { token } = (answer.json as { data: { token: string } }).data;
    expect(answer.text).to.equal(JSON.stringify({ success: true, data: { user: AWA.id, token } }));
    expect([answer.status, answer.headers['cache-control']]).to.deep.equal([200, 'no-store']);
    expect(shared().tokens.verify(token).sub).to.equal(AWA.id);

    expectWrongCredentials(await signIn({ username: AWA.email, password: 'not the password' }));
    const description = 'The password must be a text of 1 to 255 characters, without NUL.';
    expectInvalidBody(await signIn({ username: AWA.email }), description);
  });

  describe('shows a store for user names and roles, which', () => {
    const OWNER: ShopAccount = { ...AWA, username: 'awa', role: 'owner' };
    const CASHIER: ShopAccount = { ...KOFI, username: 'kofi', role: 'cashier' };
    const rows = [OWNER, CASHIER].map((account) => ({ account, passwordHash: PASSWORD_HASH }));
    const createStore = (of: readonly Row[]) => {
      const { ShopStore } = snippet('shop-store.ts') as {
        ShopStore: new (rows: readonly Row[]) => UserStore<ShopAccount>;
      };
      return new ShopStore(of);
    };

    const createEmptyStore = () => {
      const found: Row[] = [];
      return Promise.resolve({
        store: createStore(found),
        seed(accounts: readonly SeedAccount[]) {
          // The cases log in by email.
          for (const { passwordHash, ...account } of accounts) {
            found.push({ account: { ...account, username: account.email, role: 'owner' }, passwordHash });
          }
          return Promise.resolve();
        },
        close: () => Promise.resolve(),
      });
    };
    for (const { name, run } of userStoreContract(createEmptyStore)) it(name, run);

    it('logs in by user name and by phone', async () => {
      const login = auth.createLogin(createStore(rows), { tokens: shared().tokens });
      const app = express().use(express.json());
      app.post('/', (req, res, next) => {
        login.attempt(req, req.body as auth.LoginCredentials).then(({ account }) => res.json(account), next);
      });
      const client = await serve(app.use(auth.authErrorHandler()));
      const logIn = (identifier: string) => client.send('POST', '/', { body: { identifier, password: PASSWORD } });
      for (const identifier of ['awa', 'AWA', AWA.phone]) {
        const answer = await logIn(identifier);
        if (identifier === 'AWA') expectWrongCredentials(answer);
        else expect(answer.json).to.deep.equal(OWNER);
      }
      expectWrongCredentials(await logIn(AWA.email));
    });

    it('lets a role pass and refuses the other one', async () => {
      const { requireRole } = snippet('require-role.ts') as { requireRole: (role: string) => RequestHandler };
      const { tokens } = shared();
      const app = express();
      app.use(auth.requireBearer({ userStore: createStore(rows), tokens }));
      app.get('/refunds', requireRole('owner'), (req, res) => void res.json((req as { user?: unknown }).user));
      const client = await serve(app);
      const get = (account: MerchantAccount) =>
        client.send('GET', '/refunds', { headers: bearer(tokens.issue(account)) });
      const owner = await get(OWNER);
      expect(owner.status).to.equal(200);
      expect(owner.json)
        .to.include({ id: AWA.id, referencl: 'BTQ-1001' })
        .and.have.keys('id', 'referencl', 'account', 'claims');
      expect(owner.json).to.have.nested.property('account.role', 'owner');
      const cashier = await get(CASHIER);
      expect([cashier.status, cashier.json]).to.deep.equal([
        403,
        { success: false, code: 403, message: 'Only for the role owner' },
      ]);
    });

    it('logs in by a phone number in each form, and counts its failures together', async () => {
      const { createPhoneLogin } = snippet('phone-login.ts') as { createPhoneLogin: (store: UserStore) => Router };
      const app = express().use(express.json(), createPhoneLogin(createStore(rows)), auth.authErrorHandler());
      const client = await serve(app);
      const logIn = (phone: unknown, password = PASSWORD) =>
        client.send('POST', '/phone', { body: { phone, password } });
      for (const phone of ['+2250700000001', '07 00 00 00 01', '(07) 00-00.00-01']) {
        const answer = await logIn(phone);
        expect(answer.status, phone).to.equal(200);
        expect(answer.headers['cache-control']).to.equal('no-store');
        expect(shared().tokens.verify((answer.json as { token: string }).token).sub).to.equal(AWA.id);
      }
      for (const phone of ['', undefined, 7, ['+2250700000001', 'x'], {}]) {
        expectWrongCredentials(await logIn(phone));
      }
      for (const phone of ['+2250700000002', '07 00 00 00 02']) {
        for (let guess = 0; guess < 5; guess++) expectWrongCredentials(await logIn(phone, 'not the password'));
      }
      expect((await logIn('0700000002')).status).to.equal(429);
    });
  });

  it('shows how to remove a plus tag, and nothing else', () => {
    const { removePlusTag } = snippet('phone-login.ts') as { removePlusTag: (typed: string) => string };
    expect(removePlusTag('awa+till2@boutique.example')).to.equal('awa@boutique.example');
    expect(removePlusTag('awa+a+b@boutique.example')).to.equal('awa@boutique.example');
    for (const typed of ['awa@boutique.example', '+2250700000001', 'awa', ''])
      expect(removePlusTag(typed)).to.equal(typed);
  });

  it('shows an app that writes all refusals in its own format', async () => {
    const { app } = snippet('own-format.ts') as { app: Express };
    const client = await serve(app);
    const text = 'Send the header Authorization: Bearer <token>.';
    const missing = await client.send('GET', '/v1/transactions');
    expect([missing.status, missing.json]).to.deep.equal([401, { ok: false, reason: 'missing_token', text }]);
    expect(missing.headers['www-authenticate']).to.equal('Bearer realm="merchant"');
    const login = await client.send('POST', '/v1/login', { body: { email: AWA.email, password: 'not the password' } });
    expect([login.status, login.json]).to.deep.equal([
      401,
      {
        ok: false,
        reason: 'wrong_credentials',
        text: 'The email or the password is wrong. Check both and log in again.',
      },
    ]);
    const { userStore, tokens } = shared();
    const headers = bearer(tokens.issue(AWA));
    userStore.findById = () => Promise.reject(new Error('the database is away'));
    const { error } = console;
    console.error = () => undefined;
    try {
      const away = await client.send('GET', '/v1/transactions', { headers });
      expect(away.json).to.include({ ok: false, reason: 'store_unavailable' });
      expect([away.status, away.headers['retry-after']]).to.deep.equal([503, '5']);
    } finally {
      console.error = error;
      Reflect.deleteProperty(userStore, 'findById');
    }
  });

  it('shows a route for an API key or a token, which keeps the check of the reference', async () => {
    const { reports } = snippet('reports.ts') as { reports: Router };
    const client = await serve(express().use(reports, auth.authErrorHandler()));
    const statusOf = async (headers: Record<string, string>, reference = 'BTQ-1001') =>
      (await client.send('GET', `/${reference}`, { headers })).status;
    const token = bearer(shared().tokens.issue(AWA));
    expect(await statusOf({ 'X-Api-Key': 'of the jobs' }, 'CNT-1002')).to.equal(200);
    expect(await statusOf({ ...token, 'X-Api-Key': 'of the job' })).to.equal(401);
    expect(await statusOf(token)).to.equal(200);
    expect(await statusOf(token, 'CNT-1002')).to.equal(403);
    expect(await statusOf({})).to.equal(401);
  });

  it('shows a guard of WebSockets behind a proxy', async () => {
    const { guardUpgrades } = snippet('websockets.ts') as {
      guardUpgrades: (of: http.Server, accept: Accept) => void;
    };
    const sources: unknown[] = [];
    const stop = auth.onAuthEvent(({ source }) => sources.push(source));
    const server = http.createServer().listen(0, '127.0.0.1');
    guardUpgrades(server, (_req, socket, _head, { id }) => {
      socket.end(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Id: ${id}\r\n\r\n`,
      );
    });
    await once(server, 'listening');
    const upgrade = async (headers: object) => {
      const { port } = server.address() as AddressInfo;
      const forwarded = { 'X-Forwarded-For': '192.0.2.1, 203.0.113.7', Connection: 'Upgrade', Upgrade: 'websocket' };
      const request = http.request({ port, host: '127.0.0.1', headers: { ...headers, ...forwarded } }).end();
      const [answer] = (await Promise.race([once(request, 'upgrade'), once(request, 'response')])) as [IncomingMessage];
      answer.socket.destroy();
      return [answer.statusCode, answer.headers['x-id'] ?? answer.headers['www-authenticate']];
    };
    try {
      expect(await upgrade(bearer(shared().tokens.issue(AWA)))).to.deep.equal([101, AWA.id]);
      expect(await upgrade({})).to.deep.equal([401, 'Bearer realm="merchant"']);
      expect(sources).to.deep.equal(['203.0.113.7']);
    } finally {
      stop();
      server.close();
    }
  });

  it('shows a context of GraphQL with the merchant, or without one', async () => {
    const { createContext } = snippet('graphql-context.ts') as {
      createContext: (of: { req: IncomingMessage }) => Promise<{ merchant: auth.Merchant | null }>;
    };
    const client = await serve((req: IncomingMessage, res: http.ServerResponse) => {
      createContext({ req }).then(
        ({ merchant }) => res.end(String(merchant?.id)),
        (error: unknown) => res.end((error as auth.AuthError).code),
      );
    });
    const ask = async (headers = {}) => (await client.send('GET', '/', { headers })).text;
    expect(await ask(bearer(shared().tokens.issue(AWA)))).to.equal(AWA.id);
    expect(await ask()).to.equal('undefined');
    expect(await ask(bearer('a.b.c'))).to.equal('invalid_token');
  });

  it('shows an API document with the login and the refusals of the guard', () => {
    const { document } = snippet('api-document.ts') as { document: OpenApiDocument };
    expect(document.paths).to.have.keys('/v1/login', '/v1/transactions');
    expect(document.paths)
      .to.have.nested.property('/v1/transactions.get.responses')
      .that.includes.keys('200', '401', '403');
  });
});

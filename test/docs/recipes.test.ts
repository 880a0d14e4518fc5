import { EventEmitter, once } from 'node:events';
import http, { createServer, IncomingMessage, type Server } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { mock } from 'node:test';
import { expect } from 'chai';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { MerchantAccount, Tokens } from 'express-merchant-auth';
import * as auth from 'express-merchant-auth';
import { auditRoutes } from 'express-merchant-auth-audit';
import type { OpenApiDocument } from 'express-merchant-auth/openapi';
import { AWA, KOFI, PASSWORD, withPassword } from '../helpers/accounts.js';
import { expectForeignReference, expectInvalidToken, INVALID_TOKEN } from '../helpers/answers.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { bearer, serve, start } from '../helpers/http.js';
import { tokenOf } from '../helpers/login-host.js';
import { loadSnippet, writeSnippets } from '../helpers/snippets.js';
import { until } from '../helpers/until.js';

const PAGE = 'docs/recipes.md';

interface ShopAccount extends MerchantAccount {
  readonly role: 'owner' | 'cashier';
}

interface Shared {
  readonly tokens: Tokens;
  readonly userStore: auth.InMemoryUserStore;
  readonly guard: auth.Guard;
}

const snippet = (file: string) => loadSnippet(file, PAGE);
const OWNER: ShopAccount = { ...AWA, role: 'owner' };

/** Returns the exports of `auth.ts`. Its store is the same object in each test. */
const shared = () => snippet('auth.ts') as Shared;
const headersOf = (account: MerchantAccount) => bearer(shared().tokens.issue(account));

describe(PAGE, () => {
  before(() => {
    process.env['REPORTS_KEY'] = 'of the jobs';
    writeSnippets(PAGE);
  });

  beforeEach(() => {
    shared().userStore.put(withPassword(AWA));
  });

  afterEach(() => {
    mock.restoreAll();
  });

  it('shows how a reference with another name is demanded and compared, and how the fields of a body are picked', async () => {
    const { payouts } = snippet('payouts.ts') as { payouts: Router };
    const client = await serve(express().use(payouts, auth.authErrorHandler()));
    const headers = headersOf(AWA);
    for (const [body, status] of [
      [{ merchantId: 'BTQ-1001' }, 201],
      [{ merchantId: 'CNT-1002' }, 403],
      [{ merchantId: 'BTQ-1001', also: { walletId: 'CNT-1002' } }, 403],
    ] as const) {
      const answer = await client.send('POST', '/payouts', { headers, body });
      expect(answer.status, JSON.stringify(body)).to.equal(status);
    }
    const body = { merchantId: 'BTQ-1001', refercence_cl: 'CNT-1002', amount: 5 };
    const { json } = await client.send('POST', '/payouts', { headers, body });
    expect(json).to.deep.equal({ merchantId: 'BTQ-1001', amount: 5 });
  });

  it('shows a route that renews a token', async () => {
    const { renewal } = snippet('renew.ts') as { renewal: Router };
    const client = await serve(express().use(renewal, auth.authErrorHandler()));
    const { json, headers } = await client.send('POST', '/auth/renew', { headers: headersOf(AWA) });
    const { token } = json as { token: string };
    expect([shared().tokens.verify(token).sub, headers['cache-control']]).to.deep.equal([AWA.id, 'no-store']);
    expect((await client.send('POST', '/auth/renew')).status).to.equal(401);
  });

  it('shows a handler that lets a role pass and refuses the other one', async () => {
    const { requireRole } = snippet('require-role.ts') as { requireRole: (role: string) => RequestHandler };
    const cashier: ShopAccount = { ...KOFI, role: 'cashier' };
    const { userStore, guard } = shared();
    for (const account of [OWNER, cashier]) userStore.put({ ...account, passwordHash: null });
    const app = express().use(auth.requireBearer({ guard }));
    const client = await serve(app.get('/', requireRole('owner'), (_req, res) => void res.sendStatus(204)));
    const statusFor = async (account: ShopAccount) =>
      (await client.send('GET', '/', { headers: headersOf(account) })).status;
    expect([await statusFor(OWNER), await statusFor(cashier)]).to.deep.equal([204, 403]);
  });

  it('shows a route that an administrator and a manager share with the owner', async () => {
    const { wallets } = snippet('wallets.ts') as { wallets: Router };
    const statusesFor = async (isAdmin: boolean, managed: readonly string[]) => {
      const account = { ...withPassword(AWA), isAdmin, managed };
      shared().userStore.put(account);
      const client = await serve(express().use(wallets, auth.authErrorHandler()));
      const paths = ['BTQ-1001', 'CNT-1002', 'CNT-1002?refercence_cl=CNT-1002'];
      const answers = paths.map((path) => client.send('GET', `/wallets/${path}`, { headers: headersOf(AWA) }));
      return (await Promise.all(answers)).map(({ status }) => status);
    };
    expect(await statusesFor(false, [])).to.deep.equal([200, 403, 403]);
    expect(await statusesFor(false, ['CNT-1002'])).to.deep.equal([200, 200, 403]);
    expect(await statusesFor(true, [])).to.deep.equal([200, 200, 403]);
    expect((await auditRoutes(express().use(wallets))).findings).to.deep.equal([]);
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
    const app = express().use(auth.requireBearer({ guard: shared().guard }), (req, res) => void res.json(req.body));
    const server = createServer(app);
    guardUpgrades(server, () => expect.fail('not a WebSocket'));
    const client = await start(server);
    const headers = {
      ...headersOf(AWA),
      Connection: 'Upgrade, HTTP2-Settings',
      Upgrade: 'h2c',
      'HTTP2-Settings': 'AAEAAEAA',
    };
    for (const sending of [{}, { chunked: true }]) {
      const body = { refercence_cl: 'BTQ-1001', note: 'x'.repeat(70_000) };
      const paid = await client.send('POST', '/', { ...sending, headers, body });
      expect(paid.json).to.deep.equal(body);
    }
  });

  it('shows a response that ends with its token', async () => {
    const time = freezeTime();
    const { stream } = snippet('stream.ts') as { stream: Router };
    const responses: Response[] = [];
    const keep: RequestHandler = (_req, res, next) => {
      responses.push(res);
      next();
    };
    const { port } = await serve(express().use(keep, stream));
    const request = http.get({ port, host: '127.0.0.1', path: '/stream', headers: headersOf(AWA) });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.headers['content-type']).to.equal('text/event-stream; charset=utf-8');
    time.pass(5 * 3600 - 1);
    expect(responses[0]?.writableEnded).to.equal(false);
    time.pass(1);
    expect(await text(response)).to.equal('');
  });

  for (const moment of ['before', 'after'] as const) {
    it(`clears the timer of a response whose client leaves ${moment} it starts`, async () => {
      const { stream } = snippet('stream.ts') as { stream: Router };
      const started = mock.method(globalThis, 'setTimeout');
      const cleared = mock.method(globalThis, 'clearTimeout');
      const leave: RequestHandler = (_req, res, next) => {
        res.once('close', () => next());
        res.destroy();
      };
      const handlers: RequestHandler[] = moment === 'before' ? [leave, stream] : [stream];
      const { port } = await serve(express().use(handlers));
      const request = http.get({ port, host: '127.0.0.1', path: '/stream', headers: headersOf(AWA) });
      request.on('response', (response) => response.destroy()).on('error', () => undefined);
      const timer = () => started.mock.calls.find(({ arguments: [, ms = 0] }) => ms > 17_000_000)?.result;
      await until(() => cleared.mock.calls.some(({ arguments: [value] }) => value !== undefined && value === timer()));
    });
  }

  it('shows a guard and a context of GraphQL, for requests with and without a token', async () => {
    const { checkAnyToken, merchantIn } = snippet('graphql.ts') as {
      checkAnyToken: RequestHandler;
      merchantIn: (req: Request) => auth.Merchant | null;
    };
    const app = express().use(checkAnyToken, (req, res) => void res.json(merchantIn(req)?.referencl ?? null));
    const client = await serve(app);
    const send = (headers = {}, body: object = {}) => client.send('POST', '/', { headers, body });
    expect((await send()).json).to.equal(null);
    expect((await send(headersOf(AWA))).json).to.equal('BTQ-1001');
    expectInvalidToken(await send(bearer('not.a.token')));
    expectForeignReference(await send(headersOf(AWA), { variables: { refercence_cl: 'CNT-1002' } }));
    expect((await send(headersOf(AWA), { variables: { reference: 'CNT-1002' } })).json).to.equal('BTQ-1001');
  });

  it('shows an API document with the login and the refusals of the guard', () => {
    const { document } = snippet('api-document.ts') as { document: OpenApiDocument };
    expect(document.paths).to.have.keys('/v1/login', '/v1/transactions');
    const responses = document.paths as Readonly<Record<string, object>>;
    expect(responses).to.have.nested.property('/v1/transactions.get.responses').that.includes.keys('200', '401', '403');
  });

  it('shows two modes in one process: neither accepts the tokens of the other, for another merchant with the same id', async () => {
    const { createMode } = snippet('modes.ts') as { createMode: (mode: object, digestKey: string) => Router };
    const modes = [
      { realm: 'sandbox', path: '/sandbox/v1', account: AWA },
      { realm: 'live', path: '/v1', account: { ...KOFI, id: AWA.id } },
    ] as const;
    const app = express();
    for (const { realm, path, account } of modes) {
      const userStore = new auth.InMemoryUserStore([withPassword(account)]);
      const secret = `the secret of ${realm}, of 32 bytes or more`;
      app.use(path, createMode({ realm, secret, userStore }, 'a digest key of the tests, of 32 bytes or more'));
    }
    app.use(auth.authErrorHandler());
    const client = await serve(app);
    for (const { realm, path, account } of modes) {
      const body = { email: account.email, password: PASSWORD };
      const headers = bearer(tokenOf(await client.send('POST', `${path}/login`, { body })));
      for (const mode of modes) {
        const refercence_cl = mode.account.marchand.referencl;
        const answer = await client.send('POST', `${mode.path}/transactions`, { headers, body: { refercence_cl } });
        if (mode.realm === realm) expect(answer.json).to.deep.equal({ mode: realm, refercence_cl });
        else {
          expect(answer.json).to.include({ code: 401, error: INVALID_TOKEN });
          expect(answer.headers['www-authenticate']).to.match(new RegExp(`^Bearer realm="${mode.realm}"`));
        }
      }
    }
  });
});

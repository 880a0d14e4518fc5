import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import express, { type Express, type Router } from 'express';
import type { Login, Tokens } from 'express-merchant-auth';
import * as auth from 'express-merchant-auth';
import { auditRoutes } from 'express-merchant-auth-audit';
import { AWA, PASSWORD, withPassword } from '../helpers/accounts.js';
import { MISSING_TOKEN } from '../helpers/answers.js';
import { bearer, serve } from '../helpers/http.js';
import { tokenOf } from '../helpers/login-host.js';
import { declareTests, loadSnippet, reportOf, writeSnippets } from '../helpers/snippets.js';

const PAGE = 'docs/existing-app.md';

interface AuthServiceSnippet {
  login(req: express.Request, body: unknown): Promise<object>;
}

const snippet = (file: string) => loadSnippet(file, PAGE);

/** Returns the exports of `auth.ts`. Its store is the same object in each test. */
const shared = () => snippet('auth.ts') as { tokens: Tokens; userStore: auth.InMemoryUserStore };

describe(PAGE, () => {
  process.env['OPERATOR_SECRET'] = 'of the operator';
  writeSnippets(PAGE);

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
    expect((await auditRoutes(app)).findings).to.deep.equal(['GET /rates: open']);
    const { json } = await client.send('GET', '/balance', { headers: bearer(shared().tokens.issue(AWA)) });
    expect(json).to.deep.equal({ wallet: 'BTQ-1001', balance: 0 });
  });

  it('shows a login in a service, which counts failures for the caller of the request', async () => {
    const { AuthService } = snippet('auth-service.ts') as { AuthService: new () => AuthServiceSnippet };
    const app = express().use(express.json());
    app.post(
      '/',
      (req, res, next) => void new AuthService().login(req, req.body).then((value) => res.json(value), next),
    );
    const client = await serve(app.use(auth.authErrorHandler()));
    const { json } = await client.send('POST', '/', { body: { username: AWA.email, password: PASSWORD } });
    expect(json).to.have.keys('user', 'token').and.include({ user: AWA.id });
    const sources: unknown[] = [];
    const stop = auth.onAuthEvent(({ type, source }) => type === 'login_failed' && sources.push(source));
    await client.send('POST', '/', { body: { username: AWA.email, password: 'calebasse' } }).finally(stop);
    expect(sources).to.deep.equal(['127.0.0.1']);
  });

  describe('shows a test of its routes:', () => declareTests('routes.test.ts', PAGE));

  it('shows unit tests that pass: of a route behind the guard, of a login without a request, and of a replaced one', () => {
    expect(reportOf('unit.test.ts', PAGE)).to.match(/^# pass 3$/m);
  });

  it('shows an app that writes all refusals in its own format', async () => {
    const { app } = snippet('own-format.ts') as { app: Express };
    const { status, headers, json } = await (await serve(app)).send('GET', '/v1/transactions');
    const description = 'Send the header Authorization: Bearer <token>.';
    expect([status, json]).to.deep.equal([401, { ok: false, reason: MISSING_TOKEN, text: description }]);
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
    expect(json).to.deep.equal({
      type: `https://pay.example/problems/${MISSING_TOKEN}`,
      title: 'Token missing',
      status: 401,
      detail: 'Send the header Authorization: Bearer <token>.',
      code: MISSING_TOKEN,
    });
    const refused = await client.send('POST', '/login', { body: { email: AWA.email } });
    expect(refused.json).to.have.nested.property('errors[0].field', 'password');
  });
});

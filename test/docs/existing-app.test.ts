import { createHmac } from 'node:crypto';
import { hash } from '@node-rs/bcrypt';
import { expect } from 'chai';
import express, { type Express, type Router } from 'express';
import type { Tokens } from 'express-merchant-auth';
import * as auth from 'express-merchant-auth';
import { auditRoutes } from 'express-merchant-auth-audit';
import { AWA, PASSWORD, withPassword } from '../helpers/accounts.js';
import { MISSING_TOKEN } from '../helpers/answers.js';
import { bearer, type Client, serve } from '../helpers/http.js';
import { tokenOf } from '../helpers/login-host.js';
import {
  blocksOf,
  complaintsAbout,
  loadApp,
  loadSnippet,
  reportOf,
  writeSnippet,
  writeSnippets,
} from '../helpers/snippets.js';

const PAGE = 'docs/existing-app.md';

const snippet = (file: string) => loadSnippet(file, PAGE);

/** Replaces the database and the imports of the two hosts that the diff compares. */
const ROWS = `
  import { compare } from '@node-rs/bcrypt';
  import express from 'express';
  import {
    authErrorHandler, createLoginRouter, createPasswords, merchantOf, requireBearer, requireOwnReference,
    type MerchantAccount, type UserStore,
  } from 'express-merchant-auth';
  import jwt from 'jsonwebtoken';
  import passport from 'passport';
  import { ExtractJwt, Strategy } from 'passport-jwt';
  const secretOrKey = process.env['JWT_SECRET']!;
  const decoyHashes = ['$2y$10$CQAuiw3MW8IVKNC5ysXJYuUmfiID6g7t5TO9b5PXqizTOX8RQi5m2'];
  interface Row { id: number; email: string; phone: string; password: string; referencl: string; statut: number }
  export const rows: Row[] = [];
  const findByEmail = async (email: string) => rows.find((row) => row.email === email);
  const findById = async (id: string | undefined) => rows.find((row) => String(row.id) === id);
  const loginAnswer = ({ email, phone, referencl, statut }: Row, token: string) => ({
    status: 'Success', success: true, code: 200, message: 'Login success', user: { email, phone },
    marchand: { referencl, statut }, authorisation: { token, type: 'bearer' },
  });
`;

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
    const open = ['POST /api/v1/webhooks/operator: open', 'POST /api/v1/auth/sign-in: open'];
    expect((await auditRoutes(app)).findings).to.deep.equal(open);
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

  it('shows the type of req.user, which a host with and without the types of passport can declare', () => {
    const files = writeSnippets(PAGE).filter((file) => file.endsWith('express-user.ts'));
    const handler = [
      "import type { RequestHandler } from 'express';",
      'export const handler: RequestHandler = ({ user }, res) => {',
      '  const referencl: string | undefined = user?.referencl;',
      '  // @ts-expect-error -- it has no hash',
      '  res.json([referencl, user?.passwordHash]);',
      '};',
    ].join('\n');
    const plain = writeSnippet('reads-user.ts', handler, PAGE);
    const withPassport = writeSnippet('reads-user-of-passport.ts', `import 'passport';\n${handler}`, PAGE);
    expect(complaintsAbout([...files, plain])).to.deep.equal([]);
    expect(complaintsAbout([...files, withPassport])).to.deep.equal([]);
  });

  it('shows unit tests that pass: of a route behind the guard, and of a replaced login', () => {
    expect(reportOf('unit.test.ts', PAGE)).to.match(/^# pass 2$/m);
  });

  it('shows a host before and after its migration from passport-jwt, with the same login and other tokens', async () => {
    const { email, phone, marchand } = AWA;
    const row = { id: 1, email, phone, password: await hash(PASSWORD, 10), ...marchand };
    const diff = blocksOf(PAGE).find(({ language }) => language === 'diff')?.text ?? '';
    const hostOf = async (file: string, removed: RegExp) => {
      const code = diff.replace(removed, '').replace(/^[ +-]/gm, '');
      expect(complaintsAbout([writeSnippet(file, `${ROWS}${code}app.listen(3000);`, PAGE)])).to.deep.equal([]);
      const app = await loadApp(file, PAGE);
      (snippet(file) as { rows: object[] }).rows.push(row);
      return serve(app);
    };
    const [oldHost, newHost] = [await hostOf('before.ts', /^\+.*\n/gm), await hostOf('after.ts', /^-.*\n/gm)];
    const logIn = (host: Client, password = PASSWORD) => host.send('POST', '/v1/login', { body: { email, password } });
    const pay = async (host: Client, token: string) => {
      const body = { refercence_cl: 'BTQ-1001' };
      return (await host.send('POST', '/v1/transactions', { body, headers: bearer(token) })).status;
    };

    const [before, after] = [await logIn(oldHost), await logIn(newHost)];
    expect(after.text.replace(tokenOf(after), '')).to.equal(before.text.replace(tokenOf(before), ''));
    expect([await pay(oldHost, tokenOf(before)), await pay(oldHost, tokenOf(after))]).to.deep.equal([201, 201]);
    expect([await pay(newHost, tokenOf(before)), await pay(newHost, tokenOf(after))]).to.deep.equal([401, 201]);
    // The new host refuses passwords of fewer than six characters.
    expect([(await logIn(oldHost, 'court')).status, (await logIn(newHost, 'court')).status]).to.deep.equal([401, 400]);
  });

  it('shows an app that sends problem details', async () => {
    const { app } = snippet('own-format.ts') as { app: Express };
    const client = await serve(app);
    const { status, headers, json } = await client.send('GET', '/v1/transactions');
    expect([status, headers['content-type']]).to.deep.equal([401, 'application/problem+json; charset=utf-8']);
    expect(headers['www-authenticate']).to.equal('Bearer realm="merchant"');
    expect(json).to.deep.equal({
      type: `https://pay.example/problems/${MISSING_TOKEN}`,
      title: 'Token missing',
      status: 401,
      detail: 'Send the header Authorization: Bearer <token>.',
      code: MISSING_TOKEN,
    });
    const refused = await client.send('POST', '/v1/login', { body: { email: AWA.email } });
    expect(refused.json).to.have.nested.property('errors[0].field', 'password');
  });
});

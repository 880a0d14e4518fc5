import { execFileSync, spawn } from 'node:child_process';
import { createHmac, pbkdf2Sync } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { expect } from 'chai';
import express, { type ErrorRequestHandler, type Express } from 'express';
import type { Pool } from 'pg';
import { demoAccounts } from '../../example-app/src/demo-accounts.js';
import * as auth from '../../src/index.js';
import { type StoreUnderTest, userStoreContract } from '../../src/testing/index.js';
import { catalogue } from '../../src/errors/catalogue.js';
import { AWA, withPassword } from '../helpers/accounts.js';
import { expectInvalidBody, expectStoreUnavailable, expectWrongCredentials } from '../helpers/answers.js';
import { bearer, serve } from '../helpers/http.js';
import { withPostgres } from '../helpers/databases.js';
import {
  blocksOf,
  complaintsAbout,
  loadApp,
  loadSnippet,
  readPage,
  writeSnippet,
  writeSnippets,
} from '../helpers/snippets.js';

/** The cells of every row of the page's tables, without the code marks. */
function rowsOf(page: string): string[][] {
  const lines = readPage(page)
    .split('\n')
    .filter((line) => line.startsWith('|'));
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

/** Replaces the parts of the session that differ from one run to the next. */
function normalize(text = ''): string {
  return text
    .replace(/eyJ[\w-]+[\w.-]*/g, '<token>')
    .replace(/"id":"[\da-f-]{36}"/g, '"id":"<id>"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<instant>')
    .replaceAll('\r', '')
    .trim();
}

describe('README.md', () => {
  before(function () {
    this.timeout(60_000);
    const files = writeSnippets('README.md');
    expect(complaintsAbout(files)).to.deep.equal([]);
  });

  it('names a file for every block of code', () => {
    const names = blocksOf('README.md')
      .filter(({ language }) => ['ts', 'js'].includes(language))
      .map(({ file }) => file);
    expect(names).to.deep.equal([
      'shortest-host.mjs',
      'postgres-user-store.ts',
      'user-store.test.ts',
      'create-store.ts',
      'existing/test-token.ts',
      'existing/auth.ts',
      'existing/payments.ts',
      'existing/webhook.ts',
      'existing/own-login.ts',
      'existing/app.ts',
      'existing/host.test.ts',
      'django-format.ts',
      'shared-throttle.ts',
      'keys.ts',
      'audit.ts',
      'error-log.ts',
    ]);
  });

  it('shows a shortest host that logs in, takes a transaction and refuses a foreign one', async () => {
    const client = await serve(await loadApp('shortest-host.mjs'));
    const login = await client.send('POST', '/v1/login', { body: { email: AWA.email, password: 'baobab-2026' } });
    const headers = bearer((login.json as { authorisation: { token: string } }).authorisation.token);
    const own = await client.send('POST', '/v1/transactions', {
      headers,
      body: { refercence_cl: 'BTQ-1001', amount: 5 },
    });
    expect([own.status, own.json]).to.deep.equal([201, { refercence_cl: 'BTQ-1001', amount: 5 }]);
    const foreign = await client.send('POST', '/v1/transactions', { headers, body: { refercence_cl: 'CNT-1002' } });
    expect(foreign.status).to.equal(403);
    expect((await client.send('POST', '/v1/transactions')).status).to.equal(401);
  });

  it('shows an existing host with parsers in front, sibling paths and a raw webhook', async () => {
    process.env['OPERATOR_SECRET'] = 'of the operator';
    const { app } = loadSnippet('existing/app.ts') as { app: Express };
    const { userStore } = loadSnippet('existing/auth.ts') as { userStore: auth.InMemoryUserStore };
    userStore.put(withPassword(AWA));
    const client = await serve(app);
    const login = await client.send('POST', '/api/v1/auth/login', {
      body: { email: AWA.email, password: 'baobab-2026' },
    });
    const headers = bearer((login.json as { authorisation: { token: string } }).authorisation.token);
    const post = (path: string, body: unknown, more: object = {}) =>
      client.send('POST', path, { body, headers: { ...headers, ...more } });

    expect((await post('/api/v1/payments', { refercence_cl: 'BTQ-1001', amount: 5 })).json).to.deep.equal({
      refercence_cl: 'BTQ-1001',
      amount: 5,
    });
    expect((await post('/api/v1/payments', { refercence_cl: 'CNT-1002' })).status).to.equal(403);
    const { tokenOf } = loadSnippet('existing/test-token.ts') as { tokenOf: (id: string) => Promise<string> };
    const made = { body: { refercence_cl: 'BTQ-1001' }, headers: bearer(await tokenOf(AWA.id)) };
    expect((await client.send('POST', '/api/v1/payments', made)).status).to.equal(201);
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

  it('shows a login route of the host, with its own request and answer', async () => {
    const { app } = loadSnippet('existing/app.ts') as { app: Express };
    const { tokens, userStore } = loadSnippet('existing/auth.ts') as {
      tokens: auth.Tokens;
      userStore: auth.InMemoryUserStore;
    };
    userStore.put(withPassword(AWA));
    const client = await serve(app);
    const signIn = (body: object) => client.send('POST', '/api/v1/auth/sign-in', { body });

    const answer = await signIn({ username: AWA.email, password: 'baobab-2026' });
    const { token } = (answer.json as { data: { token: string } }).data;
    expect(answer.text).to.equal(JSON.stringify({ success: true, data: { user: AWA.id, token } }));
    expect([answer.status, answer.headers['cache-control']]).to.deep.equal([200, 'no-store']);
    expect(tokens.verify(token).sub).to.equal(AWA.id);

    expectWrongCredentials(await signIn({ username: AWA.email, password: 'not the password' }));
    const description = 'The password must be a text of 1 to 255 characters, without NUL.';
    expectInvalidBody(await signIn({ username: AWA.email }), description);
  });

  it('shows a UserStore over SQL in 25 lines that binds what it is given', async () => {
    const { PostgresUserStore } = loadSnippet('postgres-user-store.ts') as {
      PostgresUserStore: new (pool: Pool) => auth.UserStore;
    };
    const block = blocksOf('README.md').find(({ file }) => file === 'postgres-user-store.ts');
    expect(block?.text.trim().split('\n').length).to.be.at.most(30);
    const asked: unknown[][] = [];
    const row = {
      id: 7,
      email: AWA.email,
      phone: '',
      referencl: 'BTQ-1001',
      statut: 1,
      disabled: false,
      tokens_valid_after: null,
      password_hash: 'x',
    };
    const query = (text: string, values: unknown[]) => {
      asked.push([text, values]);
      return Promise.resolve({ rows: values[0] === 'nobody' ? [] : [row] });
    };
    const store = new PostgresUserStore({ query } as unknown as Pool);
    const account = {
      id: '7',
      email: AWA.email,
      phone: '',
      marchand: { referencl: 'BTQ-1001', statut: 1 },
      disabled: false,
      tokensValidAfter: null,
    };
    expect(await store.findById('7')).to.deep.equal(account);
    expect(await store.findCredentials("o'awa@boutique.example")).to.deep.equal({ account, passwordHash: 'x' });
    expect([await store.findById('nobody'), await store.findCredentials('nobody')]).to.deep.equal([null, null]);
    expect(asked.slice(0, 2)).to.deep.equal([
      ['SELECT * FROM merchants WHERE id = $1', ['7']],
      ['SELECT * FROM merchants WHERE email = $1', ["o'awa@boutique.example"]],
    ]);
  });

  it('shows the same test of a store for each runner, and its first lines compile', function () {
    this.timeout(120_000);
    const block = blocksOf('README.md').find(({ file }) => file === 'user-store.test.ts');
    const [first = '', ...rest] = (block?.text ?? '').trim().split('\n');
    expect(rest).to.have.length(3);
    const rows = rowsOf('README.md');
    const table = rows.slice(rows.findIndex(([cell]) => cell === 'runner') + 2).slice(0, 4);
    expect(table.map(([runner]) => runner)).to.deep.equal(['node:test', 'mocha', 'Jest', 'Vitest']);
    expect(table[0]?.[1]).to.equal(first);
    const files = table.map(([, line = ''], index) => writeSnippet(`runner-${index}.ts`, [line, ...rest].join('\n')));
    // Neither is installed here.
    const runners = ['@jest/globals', 'vitest'].map(
      (name) => `declare module '${name}' { export function test(name: string, run: () => Promise<void>): void; }`,
    );
    expect(complaintsAbout([...files, writeSnippet('runners.d.ts', runners.join('\n'))])).to.deep.equal([]);
  });

  const createStore = () => {
    const snippet = loadSnippet('create-store.ts') as { createStore: () => Promise<StoreUnderTest> };
    return snippet.createStore();
  };

  it('empties no table unless it is told in which database', async () => {
    const given = process.env;
    // Where nothing listens, should it connect all the same.
    process.env = { ...given, TEST_DATABASE_URL: '', PGHOST: '127.0.0.1', PGPORT: '1' };
    try {
      const [created] = await Promise.allSettled([createStore()]);
      expect(created).to.have.nested.property('reason.message', 'TEST_DATABASE_URL is not set.');
    } finally {
      process.env = given;
    }
  });

  withPostgres('shows a UserStore over PostgreSQL that passes the contract', (postgres) => {
    const given = process.env['TEST_DATABASE_URL'];

    before('make the table that README.md shows', async () => {
      const { text = '' } = blocksOf('README.md').find(({ language }) => language === 'sql') ?? {};
      await postgres.query(text);
      process.env['TEST_DATABASE_URL'] = postgres.url;
    });

    after(() => {
      process.env['TEST_DATABASE_URL'] = given;
    });

    for (const { name, run } of userStoreContract(createStore)) it(name, run);
  });

  it('shows the format of Django, which logs in with what Django has stored', async () => {
    const { passwords } = loadSnippet('django-format.ts') as { passwords: auth.Passwords };
    const salt = 'qrSt0uVw';
    const output = pbkdf2Sync('baobab-2026', salt, 1_000, 32, 'sha256').toString('base64');
    const stored = `pbkdf2_sha256$1000$${salt}$${output}`;
    expect(await passwords.verify('baobab-2026', stored)).to.equal(true);
    expect(await passwords.verify('not the password', stored)).to.equal(false);
    expect(await passwords.verify('baobab-2026', stored.replace('$1000$', '$9000000$'))).to.equal(false);
    expect(passwords.needsRehash(stored)).to.equal(true);
  });

  it('shows an audit that prints failed logins and no email', async () => {
    const { stopListening } = loadSnippet('audit.ts') as { stopListening: () => void };
    const printed: unknown[][] = [];
    const { warn } = console;
    console.warn = (...values: unknown[]) => void printed.push(values);
    try {
      const { createLoginRouter, InMemoryUserStore } = await import('express-merchant-auth');
      const client = await serve(express().use(createLoginRouter(new InMemoryUserStore())));
      await client.send('POST', '/login', { body: { email: AWA.email, password: 'not the password' } });
    } finally {
      console.warn = warn;
      stopListening();
    }
    expect(printed.map(([, reason]) => reason)).to.deep.equal(['unknown_email']);
    expect(JSON.stringify(printed)).not.to.include('awa@');
  });

  it('shows a log of errors with the request, the detail and the cause', async () => {
    const { errorHandler } = loadSnippet('error-log.ts') as { errorHandler: ErrorRequestHandler };
    const { requireBearer, createTokens } = await import('express-merchant-auth');
    const away = new Error('the database is away');
    const userStore = { findCredentials: () => Promise.resolve(null), findById: () => Promise.reject(away) };
    const client = await serve(express().use(requireBearer({ userStore }), errorHandler));
    const printed: unknown[][] = [];
    const { error } = console;
    console.error = (...values: unknown[]) => void printed.push(values);
    try {
      const answer = await client.send('GET', '/payments', { headers: bearer(createTokens().issue(AWA)) });
      expectStoreUnavailable(answer);
    } finally {
      console.error = error;
    }
    expect(printed).to.deep.equal([['GET', '/payments', 'store_unavailable', 'UserStore.findById failed.', away]]);
  });

  it('shows a curl session with the real output of the example app', async function () {
    this.timeout(30_000);
    try {
      execFileSync('curl', ['--version']);
    } catch {
      console.log('      skipped: the curl session of README.md, since there is no curl');
      this.skip();
    }
    const main = path.resolve(__dirname, '../../example-app/dist/main.js');
    const app = spawn(process.execPath, [main], {
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [line] = (await once(app.stdout, 'data')) as [Buffer];
      const address = /localhost:\d+/.exec(line.toString())?.[0] ?? '';
      const [session] = blocksOf('README.md').filter(({ language }) => language === 'console');
      const steps = (session?.text ?? '').split(/^\$ /m).slice(1);
      const commands = steps.map((step) => step.split('\n', 1)[0]);
      const script = commands.map((command) => `printf '\\0'; ${command}`).join('\n');
      const printed = execFileSync('bash', ['-c', script.replaceAll('localhost:3000', address)]).toString();
      const expected = steps.map((step) => step.slice(step.indexOf('\n')));
      expect(printed.split('\0').slice(1).map(normalize)).to.deep.equal(expected.map(normalize));
      expect(printed).to.include('eyJ');
    } finally {
      app.kill();
      await once(app, 'exit');
    }
  });

  it('names every demo account and its password', () => {
    for (const { email, password } of demoAccounts) {
      expect(readPage('README.md')).to.include(`\`${email}\` (\`${password}\`)`);
    }
  });

  it('lists every error with the status and message of the catalogue, in its order', () => {
    const listed = rowsOf('README.md').filter(([error = '']) => /^[a-z]+(_[a-z]+)+$/.test(error));
    const known = Object.entries(catalogue).map(([code, { status, message }]) => [code, String(status), message]);
    expect(listed.map((row) => row.slice(0, 3))).to.deep.equal(known);
  });

  it('lists every option of every factory, and none that does not exist', () => {
    const factories = {
      createLogin: (options: never) => auth.createLogin(new auth.InMemoryUserStore(), options),
      createLoginRouter: (options: never) => auth.createLoginRouter(new auth.InMemoryUserStore(), options),
      requireBearer: auth.requireBearer,
      requireOwnReference: auth.requireOwnReference,
      authErrorHandler: auth.authErrorHandler,
      createTokens: auth.createTokens,
      createPasswords: auth.createPasswords,
      createLoginThrottle: auth.createLoginThrottle,
      createCachedUserStore: (options: never) => auth.createCachedUserStore(new auth.InMemoryUserStore(), options),
    };
    const rows = rowsOf('README.md');
    const table = rows.slice(rows.findIndex(([first]) => first === 'factory') + 2);
    const listed: Record<string, string[]> = {};
    let factory = '';
    for (const [name = '', option = ''] of table) {
      factory = name.replace(/\(.*/, '') || factory;
      const [, other = ''] = /^those of (\w+)$/.exec(option) ?? [];
      (listed[factory] ??= []).push(...(listed[other] ?? [option]));
    }
    for (const [name, create] of Object.entries(factories)) {
      const refused = () => create({ '?': true } as never);
      const known = (listed[name] ?? []).join(', ');
      expect(refused).to.throw(TypeError, `${name}: unknown option "?". Known options: ${known}.`);
    }
    expect(Object.keys(listed)).to.deep.equal(Object.keys(factories));
  });
});

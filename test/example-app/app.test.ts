import { mock } from 'node:test';
import { InMemoryUserStore } from 'express-merchant-auth';
import { expect } from 'chai';
import { demoAccounts } from '../../example-app/src/demo-accounts.js';
import { InMemoryTransactionStore } from '../../example-app/src/transactions/in-memory-transaction-store.js';
import {
  expectAccountDisabled,
  expectError,
  expectInvalidToken,
  expectMissingToken,
  expectRevokedToken,
  expectStoreUnavailable,
  expectWrongCredentials,
} from '../helpers/answers.js';
import { type Answer, bearer } from '../helpers/http.js';
import { serveApp } from './serve-app.js';

function expectNoRoute(answer: Answer): void {
  const description = 'There is no such route.';
  expectError(answer, { code: 404, error: 'not_found', message: 'Not found', description });
}

function expectInternalError(answer: Answer): void {
  const description = 'Something went wrong here. Try again later.';
  expectError(answer, { code: 500, error: 'internal_error', message: 'Internal error', description });
}

describe('example-app: createApp', () => {
  let printed: string[];

  beforeEach('collect what the package prints', () => {
    printed = [];
    mock.method(console, 'error', (line: string) => void printed.push(line));
  });

  afterEach('print again', () => {
    mock.restoreAll();
  });

  it('is healthy without a token, outside /v1', async () => {
    const { client } = await serveApp();
    const answer = await client.send('GET', '/healthz');
    expect(answer.status).to.equal(200);
    expect(answer.text).to.equal('{"status":"Success","success":true,"code":200,"message":"Healthy"}');
    expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
  });

  for (const { email, password, phone, marchand } of [
    {
      email: 'awa@boutique.example',
      password: 'baobab-2026',
      phone: '+2250700000001',
      marchand: { referencl: 'BTQ-1001', statut: 1 },
    },
    {
      email: 'kofi@cantine.example',
      password: 'calebasse-2026',
      phone: '+2250700000002',
      marchand: { referencl: 'CNT-1002', statut: 1 },
    },
  ]) {
    it(`logs ${email} in, with a token that opens the routes behind the guard`, async () => {
      const { client } = await serveApp();
      const answer = await client.send('POST', '/v1/login', { body: { email, password } });
      const { token } = (answer.json as { authorisation: { token: string } }).authorisation;
      expect(answer.status).to.equal(200);
      expect(answer.json).to.deep.equal({
        status: 'Success',
        success: true,
        code: 200,
        message: 'Login success',
        user: { email, phone },
        marchand,
        authorisation: { token, type: 'bearer' },
      });
      expect((await client.send('GET', '/v1/transactions', { headers: bearer(token) })).status).to.equal(200);
    });
  }

  it('refuses a login with a wrong password, and one to the disabled account with the right one', async () => {
    const { client } = await serveApp();
    const logIn = (email: string, password: string) => client.send('POST', '/v1/login', { body: { email, password } });
    expectWrongCredentials(await logIn('awa@boutique.example', 'calebasse-2026'));
    expectWrongCredentials(await logIn('fermee@ancien.example', 'baobab-2026'));
    expectAccountDisabled(await logIn('fermee@ancien.example', 'fermeture-2026'));
  });

  it('refuses everything else under /v1 without a good token, also unknown routes', async () => {
    const { client } = await serveApp();
    for (const [method, path] of [
      ['POST', '/v1/transactions'],
      ['GET', '/v1/transactions'],
      ['GET', '/v1/transactions/1'],
      ['GET', '/v1/login'],
      ['DELETE', '/v1/no/such/route'],
      ['GET', '/v1/transactions/%ff'],
      ['GET', '/v1'],
    ] as const) {
      expectMissingToken(await client.send(method, path));
      expectInvalidToken(await client.send(method, path, { headers: bearer('a.b.c') }));
    }
  });

  it('refuses the token of an account that was disabled after the login', async () => {
    const userStore = new InMemoryUserStore(demoAccounts);
    const { client, awa } = await serveApp({ userStore });
    const [account] = demoAccounts;
    if (account) userStore.put({ ...account, disabled: true });
    expectRevokedToken(await client.send('GET', '/v1/transactions', { headers: awa }));
  });

  it('answers unknown routes with 404 in the layout, under /v1 only with a token', async () => {
    const { client, awa } = await serveApp();
    for (const path of ['/v1/no/such/route', '/v1/login', '/v1/transactions/1/2', '/v1']) {
      expectNoRoute(await client.send('GET', path, { headers: awa }));
    }
    expectNoRoute(await client.send('PUT', '/v1/transactions', { headers: awa }));
    expectNoRoute(await client.send('GET', '/no/such/route'));
    expectNoRoute(await client.send('POST', '/login', { body: {} }));
    expectNoRoute(await client.send('POST', '/healthz'));
    expectNoRoute(await client.send('GET', '/%ff'));
  });

  it('answers a path that cannot be decoded with 400, and logs nothing', async () => {
    const app = await serveApp();
    const { client, awa } = app;
    const description = 'The path of the URL cannot be decoded. Percent-encode it as UTF-8, and write a % as %25.';
    const answer = await client.send('GET', '/v1/transactions/%ff', { headers: awa });
    expectError(answer, { code: 400, error: 'invalid_url', message: 'URL not valid', description });
    expect([...app.logged, ...printed]).to.deep.equal([]);
  });

  it('answers 503 when the accounts cannot be read, and prints why without a value of the request or the driver', async () => {
    const body = { email: 'awa@boutique.example', password: 'baobab-2026' };
    const away = Object.assign(new Error(`Duplicate entry '${body.email}'`), { code: 'ECONNRESET', sql: 'SELECT' });
    const userStore = { findCredentials: () => Promise.reject(away), findById: () => Promise.reject(away) };
    // Each app prints one line per second.
    const [login, list] = [await serveApp({ userStore }), await serveApp({ userStore })];
    expectStoreUnavailable(await login.client.send('POST', '/v1/login', { body }));
    expectStoreUnavailable(await list.client.send('GET', '/v1/transactions?page=2', { headers: list.awa }));
    expect(printed).to.have.length(2);
    for (const [index, method] of ['findCredentials', 'findById'].entries()) {
      const frames = `( at [^\\n]+)+`;
      const line = `express-merchant-auth store_unavailable: UserStore\\.${method} failed\\. Cause: Error ECONNRESET${frames}`;
      expect(printed[index]).to.match(new RegExp(`^${line}$`));
    }
    const token = list.awa['Authorization']?.slice('Bearer '.length) ?? '';
    for (const secret of [body.email, body.password, token, 'SELECT']) expect(printed.join()).not.to.include(secret);
    expect([...login.logged, ...list.logged]).to.deep.equal([]);
  });

  it('answers 500 to an unexpected error, and logs its stack without the members that can hold a request', async () => {
    const transactionStore = new InMemoryTransactionStore();
    transactionStore.list = () =>
      Promise.reject(Object.assign(new Error('no such table'), { parameters: ['a-secret-value'] }));
    const app = await serveApp({ transactionStore });
    expectInternalError(await app.client.send('GET', '/v1/transactions', { headers: app.awa }));
    expect(printed).to.deep.equal([]);
    expect(app.logged).to.have.length(1);
    expect(app.logged[0]).to.deep.include({ msg: 'Request failed', accountId: '1' });
    expect(app.logged[0]?.['trace']).to.match(/^Error: no such table\n +at /);
    expect(JSON.stringify(app.lines)).not.to.include('a-secret-value');
  });

  it('answers 500 also when the thrown value is not an Error, and does not log that value', async () => {
    const transactionStore = new InMemoryTransactionStore();
    transactionStore.list = () => Promise.reject({ password: 'a-secret-value' });
    const app = await serveApp({ transactionStore });
    expectInternalError(await app.client.send('GET', '/v1/transactions', { headers: app.awa }));
    expect(app.logged.map(({ trace }) => trace)).to.deep.equal(['A value that is not an Error was thrown.']);
    expect(JSON.stringify(app.lines)).not.to.include('a-secret-value');
  });

  it('logs no failure for a mistake of a caller', async () => {
    const app = await serveApp();
    const { client, awa } = app;
    await client.send('POST', '/v1/login', { body: { email: 'awa@boutique.example', password: 'wrong-2026' } });
    await client.send('GET', '/v1/transactions');
    await client.send('POST', '/v1/transactions', { headers: awa, body: { refercence_cl: 'CNT-1002' } });
    await client.send('POST', '/v1/transactions', { headers: awa, body: { refercence_cl: 'BTQ-1001' } });
    await client.send('GET', '/v1/transactions/1', { headers: awa });
    expect([...app.logged, ...printed]).to.deep.equal([]);
  });
});

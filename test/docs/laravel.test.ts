import bcrypt from '@node-rs/bcrypt';
import { expect } from 'chai';
import express, { type Express, type RequestHandler } from 'express';
import type { Pool } from 'mysql2/promise';
import type { UserStore } from '../../src/index.js';
import { DEFAULT_LIMITS } from '../../src/throttle/throttle-options.js';
import { FOREIGN_REFERENCE, REVOKED_TOKEN, WRONG_CREDENTIALS } from '../helpers/answers.js';
import { stubComputations } from '../helpers/computations.js';
import { withMysql } from '../helpers/databases.js';
import { bearer, type Client, serve } from '../helpers/http.js';
import { tokenOf } from '../helpers/login-host.js';
import { blockOf, declareTests, loadSnippet, writeSnippets } from '../helpers/snippets.js';
import { withVariables } from '../helpers/variables.js';

const PAGE = 'docs/laravel.md';

interface Host {
  readonly pool: Pool;
  readonly userStore: UserStore;
  readonly authRoutes: RequestHandler;
}

/** Made by PHP: the hash of `password` that every new Laravel project had in its user factory. */
const PHP_HASH = '$2y$10$92IXUNpkjO0rOQ5byMi.Ye4oKoEa3Ro9llC/.og/at2.uheWG/igi';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const ROW = { name: 'Awa', email: 'awa@boutique.example', password: PHP_HASH };
const MERCHANT = { ...ROW, marchand_id: 1, phone: '+2250700000001' };

withMysql(PAGE, (database) => {
  writeSnippets(PAGE);
  const variables = { DATABASE_URL: database.url, TEST_DATABASE_URL: database.url };
  const host = withVariables(variables, () => loadSnippet('laravel-host.ts', PAGE) as Host);
  // The tests of the page end the pool, which they share here.
  const endPool = host.pool.end.bind(host.pool);
  host.pool.end = () => Promise.resolve();

  const insert = (row: Readonly<Record<string, unknown>>, table = 'users') => {
    const places = Object.keys(row).map(() => '?');
    return database.query(
      `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${places.join(', ')})`,
      Object.values(row),
    );
  };
  const empty = async () => {
    for (const table of ['users', 'marchands']) await database.query(`DELETE FROM ${table}`);
  };
  const hashOf = async (email: string) => (await host.userStore.findCredentials(email))?.passwordHash;

  before('make the tables as Laravel does, then add the columns', async () => {
    for (const file of ['marchands.sql', 'users.sql']) await database.query(blockOf(PAGE, file));
    await database.query(
      'ALTER TABLE users DROP FOREIGN KEY users_ibfk_1, DROP marchand_id, ADD code_marchand varchar(64)',
    );
    await insert({ ...ROW, code_marchand: 'BTQ-1001' });
    for (const line of blockOf(PAGE, 'fill-marchands.sql').trim().split('\n')) await database.query(line);
    await database.query(blockOf(PAGE, 'add-columns.sql'));
  });

  after('close its connections', endPool);

  it('shows how to fill the table of merchants from a column of users', async () => {
    expect((await host.userStore.findCredentials(ROW.email))?.account.marchand.referencl).to.equal('BTQ-1001');
  });

  describe('shows laravel-user-store.test.ts:', () => {
    withVariables(variables, () => declareTests('laravel-user-store.test.ts', PAGE));
  });

  describe('shows laravel-app.test.ts:', () => {
    const { verify } = bcrypt;
    beforeEach('compute for the passwords of the two merchants alone, because each takes a quarter of a second', () => {
      const isRight = (password: string) => ['baobab-2026', 'calebasse-2026'].includes(password);
      stubComputations(({ password, hash = '' }) => isRight(password) && verify(password, hash));
    });
    withVariables(variables, () => declareTests('laravel-app.test.ts', PAGE));
  });

  describe('behind the login', () => {
    let client: Client;

    beforeEach('serve an app over two merchants without accounts', async () => {
      await database.query('TRUNCATE users'); // forgets the greatest id too
      await empty();
      await insert({ id: 1, referencl: 'BTQ-1001' }, 'marchands');
      await insert({ id: 2, referencl: 'CNT-1002', is_test: true }, 'marchands');
      const { app } = loadSnippet('laravel-app.ts', PAGE) as { readonly app: Express };
      client = await serve(express().use('/v1', host.authRoutes).use(app));
    });

    const logIn = (email: string, password = 'password') =>
      client.send('POST', '/v1/login', { body: { email, password } });
    const pay = (headers: Readonly<Record<string, string>>, refercence_cl: string) =>
      client.send('POST', '/v1/transactions', { headers, body: { refercence_cl, amount: 500 } });

    it("replaces a hash of a lower cost by one of Laravel's own, which logs in again", async () => {
      await insert(MERCHANT);
      expect((await logIn(MERCHANT.email)).status).to.equal(200);
      while ((await hashOf(MERCHANT.email)) === PHP_HASH);
      expect(await hashOf(MERCHANT.email)).to.match(/^\$2y\$12\$[./A-Za-z0-9]{53}$/);
      expect((await logIn(MERCHANT.email)).status).to.equal(200);
    });

    it('lets each account of a merchant pay for it, and for no other merchant', async () => {
      const accounts = [MERCHANT.email, 'awa2@boutique.example', 'kofi@cantine.example'];
      for (const [index, email] of accounts.entries()) {
        await insert({ ...MERCHANT, email, marchand_id: index < 2 ? 1 : 2 });
        const headers = bearer(tokenOf(await logIn(email)));
        const [own, other] = index < 2 ? ['BTQ-1001', 'CNT-1002'] : ['CNT-1002', 'BTQ-1001'];
        const paid = (await pay(headers, own ?? '')).json;
        expect(paid).to.deep.equal({ refercence_cl: own, amount: 500, is_test: index === 2 });
        expect((await pay(headers, other ?? '')).json).to.include({ code: 403, error: FOREIGN_REFERENCE });
      }
    });

    it('answers at the path and in the form of tymon/jwt-auth, to JSON and to forms', async () => {
      await insert(MERCHANT);
      for (const sending of [
        { body: { email: MERCHANT.email, password: 'password' } },
        { body: `email=${MERCHANT.email}&password=password`, headers: FORM },
      ]) {
        const { access_token: token, ...rest } = (await client.send('POST', '/oauth/login', sending)).json as {
          readonly access_token: string;
        };
        expect(rest).to.deep.equal({ token_type: 'bearer', expires_in: 18_000 });
        expect((await pay(bearer(token), 'BTQ-1001')).status).to.equal(201);
        const sent = { headers: { ...bearer(token), ...FORM }, body: 'refercence_cl=BTQ-1001&amount=500' };
        expect((await client.send('POST', '/v1/transactions', sent)).json).to.include({ amount: '500' });
      }
    });

    it('counts the failed logins of both routes together', async () => {
      stubComputations(() => false);
      const body = (guess: number) => ({ email: 'nobody@boutique.example', password: `passwort ${guess}` });
      const { failures } = DEFAULT_LIMITS.emailAndSource;
      for (let guess = 0; guess < failures; guess++) await client.send('POST', '/oauth/login', { body: body(guess) });
      expect((await client.send('POST', '/v1/login', { body: body(failures) })).status).to.equal(429);
    });

    it('knows no users without a merchant', async () => {
      await insert(ROW);
      expect((await logIn(ROW.email)).json).to.include({ code: 401, error: WRONG_CREDENTIALS });
    });

    it('logs an account out everywhere, and tells it who it is until then', async () => {
      await insert(MERCHANT);
      const headers = bearer(tokenOf(await logIn(MERCHANT.email)));
      const { email, phone } = MERCHANT;
      expect((await client.send('GET', '/v1/me', { headers })).json).to.deep.equal({ id: '1', email, phone });
      expect((await client.send('POST', '/v1/logout', { headers })).status).to.equal(204);
      expect((await pay(headers, 'BTQ-1001')).json).to.include({ code: 401, error: REVOKED_TOKEN });
    });
  });
});

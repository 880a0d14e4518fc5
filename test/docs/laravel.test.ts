import { expect } from 'chai';
import express, { type RequestHandler } from 'express';
import type { Pool } from 'mysql2/promise';
import type { UserStore } from '../../src/index.js';
import { type StoreUnderTest, userStoreContract } from '../../src/testing/index.js';
import { withMysql } from '../helpers/databases.js';
import { bearer, type Client, serve } from '../helpers/http.js';
import { tokenOf } from '../helpers/login-host.js';
import { blockOf, loadSnippet, writeSnippets } from '../helpers/snippets.js';

const PAGE = 'docs/laravel.md';

interface Host {
  readonly pool: Pool;
  readonly userStore: UserStore;
  readonly login: RequestHandler;
  readonly guard: RequestHandler;
}

/** Made by PHP: the hash of `password` that every new Laravel project had in its user factory. */
const PHP_HASH = '$2y$10$92IXUNpkjO0rOQ5byMi.Ye4oKoEa3Ro9llC/.og/at2.uheWG/igi';

const ROW = { name: 'Awa', email: 'awa@boutique.example', password: PHP_HASH };
const MERCHANT = { ...ROW, referencl: 'BTQ-1001', phone: '+2250700000001' };

withMysql(PAGE, (database) => {
  writeSnippets(PAGE);
  let host: Host;

  const insert = (row: Readonly<Record<string, unknown>>) => {
    const places = Object.keys(row).map(() => '?');
    return database.query(
      `INSERT INTO users (${Object.keys(row).join(', ')}) VALUES (${places.join(', ')})`,
      Object.values(row),
    );
  };
  const hashOf = async (email: string) => (await host.userStore.findCredentials(email))?.passwordHash;

  before('make the table as Laravel does, then add the columns', async () => {
    await database.query(blockOf(PAGE, 'users.sql'));
    await insert({ ...ROW, email: 'staff@boutique.example' });
    await database.query(blockOf(PAGE, 'add-merchant-columns.sql'));
    const { DATABASE_URL: before } = process.env;
    process.env['DATABASE_URL'] = database.url;
    host = loadSnippet('laravel-host.ts', PAGE) as Host;
    if (before === undefined) delete process.env['DATABASE_URL'];
    else process.env['DATABASE_URL'] = before;
  });

  after('close its connections', () => host.pool.end());

  describe('kept to the contract', () => {
    const createStore = async (): Promise<StoreUnderTest> => {
      await database.query('DELETE FROM users');
      return {
        store: host.userStore,
        async seed(accounts) {
          for (const { id, email, phone, passwordHash: password, marchand, disabled, tokensValidAfter } of accounts) {
            const { referencl, statut } = marchand;
            const row = { id, name: 'Somebody', email, phone, password, referencl, statut, disabled };
            await insert({ ...row, tokens_valid_after: tokensValidAfter });
          }
        },
        close: () => Promise.resolve(),
      };
    };
    for (const { name, run } of userStoreContract(createStore)) it(name, run);

    it('finds ids of an unsigned bigint, and no further ones', async () => {
      const id = '18446744073709551615';
      await database.query('DELETE FROM users');
      await insert({ ...MERCHANT, id });
      expect(await host.userStore.findById(id)).to.include({ id });
      expect(await host.userStore.findById('18446744073709551616')).to.equal(null);
    });
  });

  describe('behind the login', () => {
    let client: Client;

    beforeEach('serve an app over an empty table', async () => {
      await database.query('TRUNCATE users');
      const answer: RequestHandler = (_req, res) => void res.json({});
      client = await serve(express().use('/v1', host.login, host.guard, answer));
    });

    const logIn = (email: string, password = 'password') =>
      client.send('POST', '/v1/login', { body: { email, password } });

    it("takes Laravel's hash as it is, for any spelling that the table holds equal", async () => {
      await insert(MERCHANT);
      expect((await logIn('Awa@Boutique.example')).json).to.deep.include({
        user: { email: MERCHANT.email, phone: MERCHANT.phone },
        marchand: { referencl: 'BTQ-1001', statut: 1 },
      });
      expect((await logIn(MERCHANT.email, 'passwort')).status).to.equal(401);
    });

    it("replaces a hash of a lower cost by one of Laravel's own, which logs in again", async () => {
      await insert(MERCHANT);
      expect((await logIn(MERCHANT.email)).status).to.equal(200);
      while ((await hashOf(MERCHANT.email)) === PHP_HASH);
      expect(await hashOf(MERCHANT.email)).to.match(/^\$2y\$12\$[./A-Za-z0-9]{53}$/);
      expect((await logIn(MERCHANT.email)).status).to.equal(200);
    });

    it('knows no users without a referencl', async () => {
      await insert(ROW);
      expect((await logIn(ROW.email)).json).to.include({ code: 401, error: 'wrong_credentials' });
    });

    it('refuses a token from the moment that the SQL of the page names', async () => {
      await insert(MERCHANT);
      const headers = bearer(tokenOf(await logIn(MERCHANT.email)));
      expect((await client.send('GET', '/v1/transactions', { headers })).status).to.equal(200);
      await database.query('UPDATE users SET tokens_valid_after = UTC_TIMESTAMP(3)');
      expect((await client.send('GET', '/v1/transactions', { headers })).json).to.include({
        code: 401,
        error: 'revoked_token',
      });
    });
  });
});

import { hostname } from 'node:os';
import { expect } from 'chai';
import express, { type RequestHandler } from 'express';
import * as auth from 'express-merchant-auth';
import type { Pool } from 'pg';
import { AWA, KOFI, PASSWORD, PASSWORD_HASH, WRONG } from '../helpers/accounts.js';
import { expectTooManyAttempts } from '../helpers/answers.js';
import { withPostgres } from '../helpers/databases.js';
import type { FRAMEWORK } from '../helpers/framework.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { type LoginHostConfig, serveLogin } from '../helpers/login-host.js';
import { printedBy } from '../helpers/printed.js';
import { QUICK_HASH } from '../helpers/quick-passwords.js';
import { blockOf, loadSnippet, readPage, writeSnippet, writeSnippets } from '../helpers/snippets.js';
import { rejectionOf } from '../helpers/thrown.js';

const PAGE = 'docs/pci-dss.md';
const STORES = 'docs/writing-a-store.md';

const SHOP = '203.0.113.7';
const OTHER = '198.51.100.9';

/** Makes a function of the page take a pool whose queries go to this function. */
const poolOf = (query: (sql: string, values: unknown[]) => Promise<unknown>) => ({ query }) as unknown as Pool;

describe(PAGE, () => {
  before(() => {
    writeSnippets(PAGE);
  });

  describe('the lock', () => {
    /** Serves a login with the throttle of the page, which comes from the built package. */
    function serveLocked() {
      const { throttle } = loadSnippet('lock.ts', PAGE) as Required<Pick<LoginHostConfig, 'throttle'>>;
      return serveLogin({ framework: { auth, express } as unknown as typeof FRAMEWORK, throttle });
    }

    it('begins with the tenth wrong password, from any address, and lasts 30 minutes (PCI 8.3.4)', async () => {
      const time = freezeTime();
      const { logIn, fail } = await serveLocked();
      for (let from = 1; from <= 9; from++) await fail(1, AWA.email, `198.51.100.${from}`);
      time.pass(1_790);
      await fail(1, AWA.email, '198.51.100.10');
      expectTooManyAttempts(await logIn(AWA.email, PASSWORD, SHOP), 1_800);
      time.pass(1_799);
      expectTooManyAttempts(await logIn(AWA.email, PASSWORD, SHOP), 1);
      time.pass(1);
      expect((await logIn(AWA.email, PASSWORD, SHOP)).status).to.equal(200);
    });

    it('spares a known address until ten different wrong passwords come from there', async () => {
      const time = freezeTime();
      const { logIn, fail } = await serveLocked();
      const tryFromShop = async (password = PASSWORD) => (await logIn(KOFI.email, password, SHOP)).status;
      expect(await tryFromShop()).to.equal(200);
      await fail(10, KOFI.email, OTHER);
      for (let repetition = 0; repetition < 10; repetition++) expect(await tryFromShop(WRONG)).to.equal(429);
      expect(await tryFromShop()).to.equal(200);
      for (let guess = 0; guess < 10; guess++) {
        time.pass(60);
        expect(await tryFromShop(`${WRONG}, ${guess}`)).to.equal(429);
      }
      // The lock of the email has 20 minutes left.
      expectTooManyAttempts(await logIn(KOFI.email, PASSWORD, SHOP), 1_200);
    });
  });

  withPostgres('the unused accounts', (database) => {
    it('are closed after 89 days without a login, and no others (PCI 8.2.6)', async () => {
      const [, add = '', close = ''] = /\n(ALTER .*;)\n(UPDATE .*;)/.exec(blockOf(PAGE, 'unused-accounts.sql')) ?? [];
      const insert = (login: string) =>
        database.query("INSERT INTO shops (login, secret_hash, code) VALUES (?, '', '') RETURNING id", [login]);
      await database.query(blockOf(STORES, 'shops.sql'));
      const [back] = await insert('back');
      await database.query(add);
      for (const login of ['used', 'unused', 'new']) await insert(login);
      for (const [login, days] of Object.entries({ used: 88, unused: 90, back: 90 })) {
        const sql = `UPDATE shops SET last_login_at = now() - interval '${days} days' WHERE login = ?`;
        await database.query(sql, [login]);
      }

      const account = { ...AWA, id: String(back?.['id']) };
      const { logIn } = await serveLogin({
        store: { findCredentials: () => Promise.resolve({ account, passwordHash: QUICK_HASH }) },
      });
      const writes: Promise<unknown>[] = [];
      const { recordLogins } = loadSnippet('last-login.ts', PAGE) as { recordLogins: (pool: Pool) => () => void };
      const stop = recordLogins(
        poolOf((sql, values) => {
          writes.push(database.query(sql, values));
          return Promise.resolve();
        }),
      );
      await logIn(AWA.email, WRONG);
      await logIn().finally(stop);
      expect(await Promise.all(writes)).to.have.length(1);

      await database.query(close);
      const closed = await database.query('SELECT login FROM shops WHERE closed_at IS NOT NULL');
      expect(closed).to.deep.equal([{ login: 'unused' }]);
    });
  });

  it('hashes a new password of twelve characters with letters and digits that is not one of the last four (PCI 8.3.6, 8.3.7)', async () => {
    const { hashNewPassword } = loadSnippet('new-password.ts', PAGE) as {
      hashNewPassword: (password: string, lastFour: readonly string[]) => Promise<string>;
    };
    for (const password of ['baobab-2026', 'baobab-baobab', '2026-2026-2026', `2026-${'b'.repeat(251)}`]) {
      expect(await rejectionOf(hashNewPassword(password, [])), password).to.have.property('name', 'RangeError');
    }
    const last = await hashNewPassword('éléphant-2026', [PASSWORD_HASH]);
    const before = [PASSWORD_HASH, PASSWORD_HASH, PASSWORD_HASH, last];
    expect(await rejectionOf(hashNewPassword('éléphant-2026', before))).to.have.property('name', 'RangeError');
    expect(await hashNewPassword('éléphant-2027', before)).to.match(/^\$argon2id\$/);
  });

  it("refuses a password from an address that is not one of the merchant's servers, even without a list", async () => {
    const [, member = ''] = /`(allowedSources: [^`]+)`/.exec(readPage(PAGE)) ?? [];
    const text = blockOf(STORES, 'shop-store.ts').replace('disabled: row', `${member},\n  $&`);
    writeSnippet('shop-store.ts', text, PAGE);
    const { ShopStore } = loadSnippet('shop-store.ts', PAGE) as { ShopStore: new (pool: Pool) => auth.UserStore };
    const shop = { id: 1, login: AWA.email, secret_hash: QUICK_HASH, code: 'BTQ-1001', state: 1, closed_at: null };
    for (const [list, status] of [
      [[SHOP], 200],
      [null, 403],
    ] as const) {
      const rows = [{ ...shop, allowed_sources: list }];
      const { logIn } = await serveLogin({ store: new ShopStore(poolOf(() => Promise.resolve({ rows }))) });
      expect((await logIn(AWA.email, PASSWORD, SHOP)).status).to.equal(status);
      expect((await logIn(AWA.email, PASSWORD, OTHER)).status).to.equal(403);
    }
  });

  describe('the log', () => {
    interface AuditLog {
      readonly nameResource: RequestHandler;
      readonly stopListening: () => void;
    }

    let log: AuditLog;

    before(() => {
      log = loadSnippet('audit-log.ts', PAGE) as AuditLog;
    });

    after(() => {
      log.stopListening();
    });

    /** Runs a function, and returns the entries of the log. */
    async function entriesOf(run: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
      const printed = await printedBy('log', run);
      return printed.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
    }

    it('has the user, the type, the time, the address and the resource, and no cause (PCI 10.2.1, 10.2.2)', async () => {
      freezeTime();
      const down = Object.assign(new Error('duplicate key'), { detail: `Key (login)=(${AWA.email})` });
      const hosts = [{}, { findCredentials: () => Promise.reject(down) }].map((store) =>
        serveLogin({ store, before: [log.nameResource] }),
      );
      const body = { email: AWA.email, password: WRONG };
      const entries = await entriesOf(async () => {
        for (const host of hosts) await (await host).client.send('POST', '/v1/login?token=secret', { body });
      });
      const emailDigest = entries[0]?.['emailDigest'];
      expect(emailDigest).to.match(/^[0-9a-f]{32}$/);
      const common = { time: new Date().toISOString(), realm: 'merchant', source: '127.0.0.1', host: hostname() };
      const resource = 'POST /v1/login';
      expect(entries).to.deep.equal([
        { ...common, type: 'login_failed', reason: 'wrong_password', emailDigest, accountId: AWA.id, resource },
        { ...common, type: 'store_failed', reason: 'store_unavailable', resource },
      ]);
    });

    it('has the acts of an operator (PCI 10.2.1.2)', async () => {
      const { login } = await serveLogin();
      const tokens = auth.createTokens();
      const entries = await entriesOf(async () => {
        await login.forgive(AWA.email);
        tokens.replaceKeys([{ kid: 'next', algorithm: 'HS256', secret: 'the next secret of the suite, 32 bytes' }]);
      });
      expect(entries.map(({ type, host }) => [type, host])).to.deep.equal([
        ['login_forgiven', hostname()],
        ['keys_replaced', hostname()],
      ]);
    });
  });
});

import path from 'node:path';
import { expect } from 'chai';
import express, { type RequestHandler } from 'express';
import { authErrorHandler, createPasswords } from 'express-merchant-auth';
import type { Pool } from 'pg';
import { type StoreUnderTest, userStoreContract } from '../../src/testing/index.js';
import { type TestDatabase, withPostgres } from '../helpers/databases.js';
import { serve } from '../helpers/http.js';
import { blocksOf, complaintsAbout, loadSnippet, readPage, writeSnippet, writeSnippets } from '../helpers/snippets.js';

const PAGE = 'docs/writing-a-store.md';

/** The changes that the page names for a table with integer ids, emails in any letter case, and other types. */
const CHANGES: Readonly<Record<string, readonly (readonly [from: string, to: string])[]>> = {
  'shops.sql': [
    ['id uuid PRIMARY KEY DEFAULT gen_random_uuid()', 'id integer PRIMARY KEY'],
    ['login text NOT NULL UNIQUE', 'login text NOT NULL'],
    ['state integer', 'state bigint'],
    ['closed_at timestamptz', "blocked char(1) NOT NULL DEFAULT 'N'"],
    ['ALTER TABLE', 'CREATE UNIQUE INDEX ON shops (lower(login));\nALTER TABLE'],
  ],
  'shop-store.ts': [
    [
      'const isId = (id: string) => /^[\\da-f]{8}(-[\\da-f]{4}){3}-[\\da-f]{12}$/.test(id);',
      'const isId = (id: string) => /^[1-9]\\d{0,18}$/.test(id) && BigInt(id) < 2n ** 63n;',
    ],
    ['SELECT * FROM shops WHERE id = $1', 'SELECT * FROM shops WHERE id = $1::bigint'],
    ['WHERE id = $1 AND', 'WHERE id = $1::bigint AND'],
    ['login = $1', 'lower(login) = lower($1)'],
    ['row.closed_at !== null', "row.blocked !== 'N'"],
  ],
  'shop-store.test.ts': [
    ["describe('ShopStore'", "describe('ShopStore over another table'"],
    [
      'login, mobile, secret_hash, code, state, closed_at, logged_out_at)',
      'login, mobile, secret_hash, code, state, blocked, logged_out_at, id)',
    ],
    ['$6, $7)', '$6, $7, $8)'],
    ['for (const { email', 'for (const { id, email'],
    ['const closedAt = disabled ? new Date() : null;', "const blocked = disabled ? 'Y' : 'N';"],
    ['closedAt, tokensValidAfter]', 'blocked, tokensValidAfter, id]'],
  ],
};

type Changes = typeof CHANGES;

const SUITE = `describe('ShopStore', () => {
  for (const { name, run } of userStoreContract(createStore)) it(name, run);
});`;

/** Tables that must not change, by what the page calls them, with the cases that it says fail. */
const UNCHANGED: Readonly<Record<string, Changes>> = {
  'has no `logged_out_at`': {
    'shops.sql': [['ALTER TABLE shops ADD logged_out_at timestamptz(3);', '']],
    'shop-store.ts': [['async replacePasswordHash', 'async leftOut']],
    'shop-store.test.ts': [
      [SUITE, 'export { createStore };'],
      ['closed_at, logged_out_at)', 'closed_at)'],
      ['$6, $7)', '$6)'],
      ['closedAt, tokensValidAfter]', 'closedAt]'],
    ],
  },
  'has a hash in `char(60)`': {
    'shops.sql': [['secret_hash text', 'secret_hash char(60)']],
    'shop-store.ts': [['async replacePasswordHash', 'async leftOut']],
    'shop-store.test.ts': [[SUITE, 'export { createStore };']],
  },
};

/** The first lines for the test runners, as the page lists them. */
function linesOfRunners(): Readonly<Record<string, string>> {
  const lines = readPage(PAGE).matchAll(/^- ([\w:]+): `(import \{ describe, it \} from '[^']+';)`$/gm);
  return Object.fromEntries([...lines].map(([, runner = '', line = '']) => [runner, line]));
}

/** Replaces one text, which must be there once. */
function replaceOnce(before: string, from: string, to: string): string {
  expect(before.split(from), from).to.have.length(2);
  return before.replace(from, () => to);
}

/** Returns the suite of the page for another test runner. */
function suiteFor(runner: string, suite: string): string {
  const lines = linesOfRunners();
  return replaceOnce(suite, lines['node:test'] ?? '', lines[runner] ?? '');
}

/** Writes the page's files for mocha, and as another table needs them. Returns their directory. */
function writeChanged(changes: Changes, page: string): string {
  const files = blocksOf(PAGE).filter((block) => block.file in changes);
  const [target = ''] = files.map(({ file, text }) => {
    const original = file.endsWith('.test.ts') ? suiteFor('mocha', text) : text;
    const changed = (changes[file] ?? []).reduce((before, [from, to]) => replaceOnce(before, from, to), original);
    return writeSnippet(file, changed, page);
  });
  return path.dirname(target);
}

/** Loads the page's suite where it is started: beside `shops.sql`. */
function loadSuite(directory: string, page: string): unknown {
  const before = process.cwd();
  process.chdir(directory);
  try {
    return loadSnippet('shop-store.test.ts', page);
  } finally {
    process.chdir(before);
  }
}

/** Runs the suite of the page as a part of this one, on another database. */
function runSuiteOf(page: string, directory: string, { url }: TestDatabase): void {
  const { TEST_DATABASE_URL: before } = process.env;
  beforeEach('name the database', () => {
    process.env['TEST_DATABASE_URL'] = url;
  });
  afterEach('name the server again', () => {
    process.env['TEST_DATABASE_URL'] = before;
  });
  loadSuite(directory, page);
}

describe(PAGE, () => {
  it('names each change that another table needs', () => {
    const named = (CHANGES['shop-store.ts'] ?? []).map(([, to]) => to);
    for (const change of named) expect(readPage(PAGE)).to.include(/\$1::bigint/.exec(change)?.[0] ?? change);
  });

  it('shows the line of each test runner, with which the suite compiles', () => {
    expect(Object.keys(linesOfRunners())).to.deep.equal(['node:test', 'mocha', 'Jest', 'Vitest']);
    const page = 'docs/test-runners';
    const { text: suite = '' } = blocksOf(PAGE).find(({ file }) => file === 'shop-store.test.ts') ?? {};
    const { text: store = '' } = blocksOf(PAGE).find(({ file }) => file === 'shop-store.ts') ?? {};
    const suites = Object.keys(linesOfRunners()).map((runner, index) =>
      writeSnippet(`runner-${index}.test.ts`, suiteFor(runner, suite), page),
    );
    // Jest and Vitest are not installed here.
    const declarations = ['@jest/globals', 'vitest'].map(
      (name) =>
        `declare module '${name}' { type Run = (name: string, run: () => unknown) => void; export const describe: Run, it: Run; }`,
    );
    const others = [
      writeSnippet('shop-store.ts', store, page),
      writeSnippet('runners.d.ts', declarations.join('\n'), page),
    ];
    expect(complaintsAbout([...suites, ...others])).to.deep.equal([]);
  });

  it('shows a suite that needs the name of a database, and takes no other one', () => {
    const given = process.env;
    // If the suite connects all the same, nothing answers there.
    process.env = { ...given, TEST_DATABASE_URL: '', PGHOST: '127.0.0.1', PGPORT: '1' };
    try {
      const page = 'docs/no-database';
      const directory = writeChanged(UNCHANGED['has no `logged_out_at`'] ?? {}, page);
      expect(() => loadSuite(directory, page)).to.throw('TEST_DATABASE_URL is not set.');
    } finally {
      process.env = given;
    }
  });

  withPostgres('shows a store that passes the contract kit', (database) => {
    const page = 'docs/own-table';
    runSuiteOf(page, writeChanged({ 'shops.sql': [], 'shop-store.ts': [], 'shop-store.test.ts': [] }, page), database);

    after('nothing is left in the database', async () => {
      const rows = await database.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'contract%'");
      expect(rows).to.deep.equal([]);
    });
  });

  withPostgres('shows a store that passes the contract kit over another table, once it is changed', (database) => {
    const page = 'docs/another-table';
    runSuiteOf(page, writeChanged(CHANGES, page), database);
  });

  withPostgres('shows a login route', (database) => {
    it('that takes plus tags and phone numbers in several forms for the stored login', async () => {
      writeSnippets(PAGE);
      await database.query(blocksOf(PAGE).find(({ file }) => file === 'shops.sql')?.text ?? '');
      const hash = await createPasswords().hash('baobab-2026');
      for (const shop of ['awa@boutique.example', '+2250700000001']) {
        await database.query('INSERT INTO shops (login, secret_hash, code) VALUES (?, ?, ?)', [shop, hash, shop]);
      }
      const { DATABASE_URL: before } = process.env;
      process.env['DATABASE_URL'] = database.url;
      const { ownLogin, pool } = loadSnippet('own-login.ts', PAGE) as { ownLogin: RequestHandler; pool: Pool };
      if (before === undefined) delete process.env['DATABASE_URL'];
      else process.env['DATABASE_URL'] = before;
      try {
        const client = await serve(express().use(ownLogin, authErrorHandler()));
        const logIn = (email: unknown) => client.send('POST', '/login', { body: { email, password: 'baobab-2026' } });
        for (const typed of ['awa+till@boutique.example', 'Awa@boutique.example', '07 00 00 00 01', '+2250700000001']) {
          const { status } = await logIn(typed);
          expect(status, typed).to.equal(typed.startsWith('Awa') ? 401 : 200);
        }
        expect((await logIn('kofi+till@boutique.example')).status).to.equal(401);
        expect((await logIn(1)).status).to.equal(400);
      } finally {
        await pool.end();
      }
    });
  });

  withPostgres('names what fails over a table that must not change:', (database) => {
    const given = process.env['TEST_DATABASE_URL'];
    before('name the database', () => {
      process.env['TEST_DATABASE_URL'] = database.url;
    });
    after('name the server again', () => {
      process.env['TEST_DATABASE_URL'] = given;
    });

    for (const [index, [table, changes]] of Object.entries(UNCHANGED).entries()) {
      it(`one that ${table.replaceAll('`', '')}`, async () => {
        const page = `docs/unchanged-table-${index}`;
        const suite = loadSuite(writeChanged(changes, page), page) as { createStore: () => Promise<StoreUnderTest> };
        const failed: string[] = [];
        for (const { name, run } of userStoreContract(suite.createStore)) await run().catch(() => failed.push(name));
        const row = readPage(PAGE)
          .split('\n')
          .find((line) => line.startsWith(`| ${table} `));
        const cell = row?.split('|')[2] ?? '';
        expect(failed).to.deep.equal([...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
      });
    }
  });
});

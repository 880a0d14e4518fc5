import { expect } from 'chai';
import { type TestDatabase, withPostgres } from '../helpers/databases.js';
import { blocksOf, loadSnippet, readPage, writeSnippet, writeSnippets } from '../helpers/snippets.js';

const PAGE = 'docs/writing-a-store.md';

/** A table with integer ids, emails in any letter case, and other types; and what the page says to change for it. */
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
    ['row.closed_at !== null', "row.blocked === 'Y'"],
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

/** The page's own suite runs as a part of this one, on a database of its own. */
function runSuiteOf(page: string, { url }: TestDatabase): void {
  const { TEST_DATABASE_URL: before } = process.env;
  beforeEach('name the database', () => {
    process.env['TEST_DATABASE_URL'] = url;
  });
  afterEach('name the server again', () => {
    process.env['TEST_DATABASE_URL'] = before;
  });
  loadSnippet('shop-store.test.ts', page);
}

describe(PAGE, () => {
  it('names each change that another table needs', () => {
    const named = (CHANGES['shop-store.ts'] ?? []).map(([, to]) => to);
    for (const change of named) expect(readPage(PAGE)).to.include(/\$1::bigint/.exec(change)?.[0] ?? change);
  });

  withPostgres('shows a store that passes the contract kit', (database) => {
    writeSnippets(PAGE);
    runSuiteOf(PAGE, database);

    after('nothing is left in the database', async () => {
      const rows = await database.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'contract%'");
      expect(rows).to.deep.equal([]);
    });
  });

  withPostgres('shows a store that passes the contract kit over another table, once it is changed', (database) => {
    for (const { file, text } of blocksOf(PAGE).filter((block) => block.file in CHANGES)) {
      const changed = (CHANGES[file] ?? []).reduce((before, [from, to]) => {
        expect(before.split(from), from).to.have.length(2);
        return before.replace(from, () => to);
      }, text);
      writeSnippet(file, changed, 'docs/another-table');
    }
    runSuiteOf('docs/another-table', database);
  });
});

import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import express, { type ErrorRequestHandler, type Express, type Request } from 'express';
import type { MerchantAccount } from 'express-merchant-auth';
import * as auth from 'express-merchant-auth';
import type { Pool, PoolClient } from 'pg';
import { AWA, KOFI, withPassword } from '../helpers/accounts.js';
import { withPostgres } from '../helpers/databases.js';
import { bearer, serve } from '../helpers/http.js';
import { blockOf, loadSnippet, readPage, writeSnippet } from '../helpers/snippets.js';

const PAGE = 'docs/recipes.md';
const FOLDER = 'docs/row-security';

/** Users belong to the whole server, so the user of the page gets another name here. */
const USER = `ema_test_${randomBytes(8).toString('hex')}`;
const [, CREATE_USER = '', ...ON_TABLE] =
  blockOf(PAGE, 'row-security.sql').replaceAll('payments_app', USER).match(/.*\n/g) ?? [];

const [, FORCE = ''] = /`(ALTER TABLE transactions FORCE[^`]+)`/.exec(readPage(PAGE)) ?? [];
const OWNER = `ALTER TABLE transactions OWNER TO ${USER}`;

interface Snippet {
  readonly pool: Pool;
  readonly asMerchant: <Result>(req: Request, run: (client: PoolClient) => Promise<Result>) => Promise<Result>;
}

/** Makes a host that runs the SQL in a body for the merchant of the request, and answers with the rows or the code. */
function sqlHost({ asMerchant }: Snippet, tokens: auth.Tokens): Express {
  const userStore = new auth.InMemoryUserStore([AWA, KOFI].map(withPassword));
  const app = express().use(auth.requireBearer({ userStore, tokens }));
  app.post('/', (req, res, next) => {
    const { sql } = req.body as { sql: string };
    void asMerchant(req, (client) => client.query(sql)).then(({ rows }) => res.json(rows), next);
  });
  const showCode: ErrorRequestHandler = ({ code }: { code: string }, _req, res, _next) => {
    res.status(500).json({ code });
  };
  return app.use(showCode);
}

withPostgres(`${PAGE}: row-level security`, (database) => {
  const tokens = auth.createTokens();
  let pool: Pool;
  let app: Express;

  before('make the user, and load the page', async () => {
    const password = randomBytes(16).toString('hex');
    await database.query(`${CREATE_USER} ALTER USER ${USER} PASSWORD '${password}'`);
    const url = Object.assign(new URL(database.url), { username: USER, password }).href;
    const text = blockOf(PAGE, 'as-merchant.ts').replace('process.env.DATABASE_URL', () => JSON.stringify(url));
    writeSnippet('as-merchant.ts', text, FOLDER);
    const page = loadSnippet('as-merchant.ts', FOLDER) as Snippet;
    ({ pool } = page);
    app = sqlHost(page, tokens);
  });

  beforeEach('make the table', async () => {
    await database.query('DROP TABLE IF EXISTS transactions; CREATE TABLE transactions (refercence_cl text)');
    await database.query(ON_TABLE.join(''));
  });

  after('drop the user', async () => {
    await pool.end();
    await database.query(`DROP TABLE transactions; DROP USER ${USER}`);
  });

  /** Runs SQL in a request of this merchant, and returns the body of the answer. */
  async function queryAs(account: MerchantAccount, sql: string): Promise<unknown> {
    const client = await serve(app);
    const { json } = await client.send('POST', '/', { headers: bearer(tokens.issue(account)), body: { sql } });
    return json;
  }

  const insertOf = ({ marchand }: MerchantAccount) =>
    `INSERT INTO transactions (refercence_cl) VALUES ('${marchand.referencl}') RETURNING refercence_cl`;
  const OF_AWA = { refercence_cl: 'BTQ-1001' };

  for (const [state, sql, seen] of [
    ['are seen without row-level security', 'ALTER TABLE transactions DISABLE ROW LEVEL SECURITY', [OF_AWA]],
    ['are hidden with row-level security', '', []],
    ['are seen by an app that owns the table', OWNER, [OF_AWA]],
    ['are hidden from an app that owns the table with FORCE', `${OWNER}; ${FORCE}`, []],
  ] as const) {
    it(`rows of another merchant ${state}, when a query forgets the merchant`, async () => {
      await database.query(sql);
      expect(await queryAs(AWA, insertOf(AWA))).to.deep.equal([OF_AWA]);
      expect(await queryAs(KOFI, 'SELECT refercence_cl FROM transactions')).to.deep.equal(seen);
    });
  }

  it('finds no row outside of the transaction, on a new connection and on one that a merchant used', async () => {
    await database.query("INSERT INTO transactions (refercence_cl) VALUES ('BTQ-1001'), ('')");
    const look =
      "SELECT pg_backend_pid() AS pid, current_setting('app.merchant', true) AS merchant, count(*)::int FROM transactions";
    const outside = async () => (await pool.query<{ pid: number }>(look)).rows;
    const usedBefore = await pool.connect();
    try {
      const [{ pid } = { pid: 0 }] = await outside();
      expect(await outside()).to.deep.equal([{ pid, merchant: null, count: 0 }]);
      expect(await queryAs(AWA, look)).to.deep.equal([{ pid, merchant: 'BTQ-1001', count: 1 }]);
      expect(await outside()).to.deep.equal([{ pid, merchant: '', count: 0 }]);
      expect(await queryAs(AWA, 'SELECT 1 / 0')).to.deep.equal({ code: '22012' });
      expect(await outside()).to.deep.equal([{ pid, merchant: '', count: 0 }]);
      expect(await queryAs(KOFI, look)).to.deep.equal([{ pid, merchant: 'CNT-1002', count: 0 }]);
    } finally {
      usedBefore.release();
    }
  });

  it('rejects when the connection is lost, and takes a new one for the next request', async () => {
    const lost = await queryAs(AWA, 'SELECT pg_terminate_backend(pg_backend_pid())');
    expect(lost).to.deep.equal({ code: '57P01' });
    expect(await queryAs(AWA, insertOf(AWA))).to.deep.equal([OF_AWA]);
  });
});

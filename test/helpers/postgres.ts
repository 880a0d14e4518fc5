import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/** A database that is this suite's own. */
export interface TestPostgres {
  readonly url: string;
  /** The address in TEST_DATABASE_URL. */
  readonly given: string;
  /** Runs SQL in the database. */
  query(sql: string): Promise<void>;
}

/** Runs a suite on the PostgreSQL of TEST_DATABASE_URL; without it the suite is skipped, or fails where it has to run (CI). */
export function withPostgres(title: string, suite: (postgres: TestPostgres) => void): void {
  const given = process.env['TEST_DATABASE_URL'];
  if (given === undefined || given === '') {
    const missing = `${title}: needs a PostgreSQL, whose address is to be in TEST_DATABASE_URL`;
    if (process.env['CI'] === undefined) it.skip(missing);
    else {
      it(missing, () => {
        throw new Error('TEST_DATABASE_URL is not set.');
      });
    }
    return;
  }
  const name = `ema_test_${randomBytes(8).toString('hex')}`;
  const url = new URL(given);
  url.pathname = `/${name}`;

  describe(title, () => {
    before('create the database', () => runSql(given, `CREATE DATABASE ${name}`));
    suite({ url: url.href, given, query: (sql) => runSql(url.href, sql) });
    after('drop the database', () => runSql(given, `DROP DATABASE ${name} WITH (FORCE)`));
  });
}

async function runSql(connectionString: string, sql: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

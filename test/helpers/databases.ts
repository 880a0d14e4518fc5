import { randomBytes } from 'node:crypto';
import { createConnection, createPool } from 'mysql2/promise';
import pg from 'pg';
import { withService } from './unavailable.js';

type Rows = readonly Readonly<Record<string, unknown>>[];

/** A database for one suite. It is empty at the start and dropped at the end. */
export interface TestDatabase {
  readonly kind: 'postgres' | 'mysql';
  /** The value for DATABASE_URL. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Returns the URL of the database through a proxy at this port of loopback. */
  urlThrough(port: number): string;
  /** Runs one statement, with `?` for its values, on a connection that no store uses. */
  query(sql: string, values?: readonly unknown[]): Promise<Rows>;
  /** Blocks the table for all other connections until the returned function is called. */
  lockTable(table: string): Promise<() => Promise<void>>;
  /** Blocks writes of all other transactions to the table, as a slow transaction does. */
  lockRows(table: string): Promise<() => Promise<void>>;
  /** Closes all other connections to the database, as an operator can. */
  endConnections(): Promise<void>;
}

type WithDatabase = (title: string, suite: (database: TestDatabase) => void) => void;

/** Runs a suite on a new database in the PostgreSQL of TEST_DATABASE_URL. */
export const withPostgres: WithDatabase = (title, suite) => {
  withService(title, 'a PostgreSQL', 'TEST_DATABASE_URL', (server) => {
    const { name, url, ...place } = placeIn(server, 5432);
    const pool = new pg.Pool({ connectionString: url });
    // `endConnections` ends its idle connections.
    pool.on('error', () => undefined);

    async function administer(sql: string): Promise<void> {
      const client = new pg.Client({ connectionString: server.href });
      await client.connect();
      await client.query(sql);
      await client.end();
    }

    async function hold(lock: string): Promise<() => Promise<void>> {
      const client = await pool.connect();
      await client.query(lock);
      return async () => {
        await client.query('ROLLBACK');
        client.release();
      };
    }

    before('make the database', () => administer(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`));
    suite({
      kind: 'postgres',
      url,
      ...place,
      async query(sql, values = []) {
        let number = 0;
        const { rows } = await pool.query<Rows[number]>(
          sql.replaceAll('?', () => `$${++number}`),
          [...values],
        );
        return rows;
      },
      lockTable: (table) => hold(`BEGIN; LOCK TABLE ${table}`),
      lockRows: (table) => hold(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`),
      async endConnections() {
        const others = 'datname = current_database() AND pid <> pg_backend_pid()';
        await pool.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE ${others}`);
      },
    });
    after('drop the database', async () => {
      await pool.end();
      // PostgreSQL waits for the connections that are being closed. With FORCE, it would end them in the middle of a close.
      await administer(`DROP DATABASE ${name}`);
    });
  });
};

/** Runs a suite on a new database in the MySQL or MariaDB of TEST_MYSQL_URL. */
const withMysql: WithDatabase = (title, suite) => {
  withService(title, 'a MySQL or MariaDB', 'TEST_MYSQL_URL', (server) => {
    const { name, url, ...place } = placeIn(server, 3306);
    const pool = createPool({ uri: url, timezone: 'Z', supportBigNumbers: true, bigNumberStrings: true });

    async function administer(sql: string): Promise<void> {
      const connection = await createConnection(server.href);
      await connection.query(sql);
      await connection.end();
    }

    async function hold(lock: string, unlock: string): Promise<() => Promise<void>> {
      const connection = await createConnection({ uri: url, multipleStatements: true });
      await connection.query(lock);
      return async () => {
        await connection.query(unlock);
        await connection.end();
      };
    }

    before('make the database', () => administer(`CREATE DATABASE ${name}`));
    suite({
      kind: 'mysql',
      url,
      ...place,
      async query(sql, values = []) {
        const [rows] = await pool.query(sql, [...values]);
        return rows as unknown as Rows;
      },
      lockTable: (table) => hold(`LOCK TABLES ${table} WRITE`, 'UNLOCK TABLES'),
      lockRows: (table) => hold(`BEGIN; SELECT * FROM ${table} FOR UPDATE`, 'ROLLBACK'),
      async endConnections() {
        const others = 'db = DATABASE() AND id <> CONNECTION_ID()';
        const connection = await createConnection(url);
        const [rows] = await connection.query(`SELECT id FROM information_schema.processlist WHERE ${others}`);
        for (const { id } of rows as { id: number }[]) await connection.query(`KILL ${id}`);
        await connection.end();
      },
    });
    after('drop the database', async () => {
      await pool.end();
      await administer(`DROP DATABASE ${name}`);
    });
  });
};

export const onEachDatabase: WithDatabase = (title, suite) => {
  withPostgres(`${title} (PostgreSQL)`, suite);
  withMysql(`${title} (MariaDB or MySQL)`, suite);
};

function placeIn(server: URL, defaultPort: number) {
  const name = `ema_test_${randomBytes(8).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    name,
    url: url.href,
    host: server.hostname,
    port: Number(server.port === '' ? defaultPort : server.port),
    urlThrough(port: number) {
      const through = new URL(url);
      through.host = `127.0.0.1:${port}`;
      return through.href;
    },
  };
}

import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import mysql from 'mysql2/promise';
import pg from 'pg';

interface Server {
  readonly variable: string;
  readonly server: string | undefined;
  run(url: string, sql: string): Promise<void>;
}

const SERVERS = {
  postgres: {
    variable: 'TEST_DATABASE_URL',
    server: process.env.TEST_DATABASE_URL,
    async run(connectionString, sql) {
      const client = new pg.Client({ connectionString });
      await client.connect();
      await client.query(sql);
      await client.end();
    },
  },
  mysql: {
    variable: 'TEST_MYSQL_URL',
    server: process.env.TEST_MYSQL_URL,
    async run(url, sql) {
      const connection = await mysql.createConnection(url);
      await connection.query(sql);
      await connection.end();
    },
  },
} as const satisfies Record<string, Server>;

/** Runs a suite on a new database. Without a server the suite is skipped, and in CI it fails. */
export function withDatabase(kind: keyof typeof SERVERS, title: string, suite: (url: string) => void): void {
  const { variable, server, run } = SERVERS[kind];
  if (!server) {
    it(`${title}: needs ${variable}`, { skip: !process.env.CI }, () => {
      throw new Error(`${variable} is not set.`);
    });
    return;
  }
  const name = `ema_test_${randomBytes(8).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  describe(title, () => {
    before(() => run(server, `CREATE DATABASE ${name}`));
    suite(url.href);
    // PostgreSQL waits for the connections that are being closed. With FORCE, it would end them in the middle of a close.
    after(() => run(server, `DROP DATABASE ${name}`));
  });
}

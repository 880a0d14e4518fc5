import { randomBytes } from 'node:crypto';
import type { MerchantAccount, UserStore } from 'express-merchant-auth';
import { createConnection, createPool, type RowDataPacket } from 'mysql2/promise';
import { Client, Pool } from 'pg';

/** An accounts table in a database. */
export interface AccountsTable {
  readonly url: string;
  /** Gives the store `findByIds`. */
  readonly isBatched: boolean;
}

/** The values are those of `accountOf` in keys.ts. Both databases take these statements. */
const TABLES = [
  'CREATE TABLE digits (digit INT)',
  'INSERT INTO digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)',
  `CREATE TABLE merchants (id VARCHAR(20) PRIMARY KEY, email VARCHAR(100), phone VARCHAR(20), referencl VARCHAR(20),
    statut INT, disabled BOOLEAN, tokens_valid_after TIMESTAMP NULL)`,
  `INSERT INTO merchants
  SELECT CONCAT(number, ''), CONCAT('merchant-', number, '@bench.example'), '+22900000000', CONCAT('BEN-', number), 1,
    FALSE, NULL
  FROM (SELECT 1 + a.digit + 10 * b.digit + 100 * c.digit + 1000 * d.digit AS number
    FROM digits a, digits b, digits c, digits d) AS numbers`,
];

async function runPostgres(url: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

async function runMariaDb(url: string, statements: readonly string[]): Promise<void> {
  const connection = await createConnection({ uri: url, connectTimeout: 5_000 });
  try {
    for (const statement of statements) await connection.query(statement);
  } finally {
    await connection.end();
  }
}

const KINDS = {
  PostgreSQL: {
    admin: process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres',
    run: runPostgres,
    // Without it, the server collects the statistics during a slice.
    analyze: 'VACUUM ANALYZE merchants',
    drop: (name: string) => `DROP DATABASE ${name} WITH (FORCE)`,
  },
  MariaDB: {
    admin: process.env['TEST_MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306/test',
    run: runMariaDb,
    analyze: 'ANALYZE TABLE merchants',
    drop: (name: string) => `DROP DATABASE ${name}`,
  },
} as const;

export const DATABASES = ['PostgreSQL', 'MariaDB'] as const satisfies readonly (keyof typeof KINDS)[];

/** Creates a database with 10,000 accounts, calls `use` with its address, and drops it. */
export async function withDatabase<Result>(
  kind: (typeof DATABASES)[number],
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  const { admin, run, analyze, drop } = KINDS[kind];
  const name = `bench_${randomBytes(6).toString('hex')}`;
  const url = new URL(`/${name}`, admin).href;
  await run(admin, [`CREATE DATABASE ${name}`]);
  try {
    await run(url, [...TABLES, analyze]);
    return await use(url);
  } finally {
    await run(admin, [drop(name)]);
  }
}

interface MerchantRow extends Omit<MerchantAccount, 'marchand' | 'disabled'> {
  readonly referencl: string;
  readonly statut: number;
  readonly disabled: boolean | number;
}

type FindRows = (ids: readonly string[]) => Promise<readonly MerchantRow[]>;

const COLUMNS = 'id, email, phone, referencl, statut, disabled, tokens_valid_after AS "tokensValidAfter"';
const SELECT = `SELECT ${COLUMNS} FROM merchants WHERE id`;

function postgresRows(connectionString: string): FindRows {
  const pool = new Pool({ connectionString, max: 10 });
  const one = { name: 'find-by-id', text: `${SELECT} = $1` };
  const several = { name: 'find-by-ids', text: `${SELECT} = ANY($1)` };
  return async (ids) => {
    const query = ids.length === 1 ? { ...one, values: [ids[0]] } : { ...several, values: [ids] };
    return (await pool.query<MerchantRow>(query)).rows;
  };
}

function mariaDbRows(uri: string): FindRows {
  const pool = createPool({ uri, connectionLimit: 10 });
  const select = SELECT.replaceAll('"', '`');
  return async (ids) => {
    const [rows] =
      ids.length === 1
        ? await pool.execute<(MerchantRow & RowDataPacket)[]>(`${select} = ?`, [ids[0] ?? ''])
        : await pool.query<(MerchantRow & RowDataPacket)[]>(`${select} IN (?)`, [ids]);
    return rows;
  };
}

/** Reads the accounts as an application does. Nobody logs in here. */
export function openStore({ url, isBatched }: AccountsTable): UserStore {
  const findRows = url.startsWith('mysql') ? mariaDbRows(url) : postgresRows(url);
  const findByIds = async (ids: readonly string[]): Promise<MerchantAccount[]> => {
    const rows = await findRows(ids);
    return rows.map(({ referencl, statut, disabled, ...account }) => {
      return { ...account, marchand: { referencl, statut }, disabled: Boolean(disabled) };
    });
  };
  return {
    findCredentials: () => Promise.resolve(null),
    findById: async (id) => (await findByIds([id]))[0] ?? null,
    ...(isBatched && { findByIds }),
  };
}

import { readFileSync } from 'node:fs';
import { before } from 'node:test';
import createKnex from 'knex';
import mysql from 'mysql2/promise';
import { up } from '../stores/knex/create-merchants';
import { withDatabase } from './databases';

const STORES = [
  { orm: 'prisma', kind: 'postgres' },
  { orm: 'laravel', kind: 'mysql' },
  ...(['sequelize', 'typeorm', 'knex', 'drizzle'] as const).flatMap((orm) => [
    { orm, kind: 'postgres' as const },
    { orm, kind: 'mysql' as const },
  ]),
] as const;

/** The table of a new Laravel project. */
const USERS = `CREATE TABLE users (
  id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name varchar(255) NOT NULL,
  email varchar(255) NOT NULL UNIQUE,
  password varchar(255) NOT NULL
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci`;

/** Makes the tables where no tool of the ORM does it here. */
const createTables: Readonly<Record<string, (kind: 'postgres' | 'mysql', connection: string) => Promise<void>>> = {
  prisma: createTable,
  drizzle: createTable,
  async laravel(_kind, uri) {
    const connection = await mysql.createConnection({ uri, multipleStatements: true });
    await connection.query(USERS);
    await connection.query(readFileSync('docs/writing-a-store/laravel.sql', 'utf8'));
    await connection.end();
  },
};

async function createTable(kind: 'postgres' | 'mysql', connection: string): Promise<void> {
  const knex = createKnex({ client: kind === 'mysql' ? 'mysql2' : 'pg', connection });
  await up(knex);
  await knex.destroy();
}

for (const { orm, kind } of STORES) {
  withDatabase(kind, `the store with ${orm} on ${kind}`, (url) => {
    process.env.DATABASE_URL = process.env.TEST_DATABASE_URL = url; // read while the store's test is loaded
    before(() => createTables[orm]?.(kind, url));
    const folder = kind === 'mysql' && orm !== 'laravel' ? `${orm}-mysql` : orm;
    require(`../stores/${folder}/${orm}-user-store.test.js`);
  });
}

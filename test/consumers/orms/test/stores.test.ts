import { before } from 'node:test';
import createKnex from 'knex';
import { up } from '../docs/orm-stores/knex/create-merchants';
import { withDatabase } from './databases';

const STORES = [
  { orm: 'prisma', kind: 'postgres' },
  ...(['sequelize', 'typeorm', 'knex', 'drizzle'] as const).flatMap((orm) => [
    { orm, kind: 'postgres' as const },
    { orm, kind: 'mysql' as const },
  ]),
] as const;

/** Makes the table for Prisma and Drizzle, whose tools for it are not installed here. It has the same columns. */
async function createTable(kind: 'postgres' | 'mysql', connection: string): Promise<void> {
  const knex = createKnex({ client: kind === 'mysql' ? 'mysql2' : 'pg', connection });
  await up(knex);
  await knex.destroy();
}

for (const { orm, kind } of STORES) {
  withDatabase(kind, `the store of the page, with ${orm} on ${kind}`, (url) => {
    process.env.DATABASE_URL = process.env.TEST_DATABASE_URL = url; // read while the page's test is loaded
    if (orm === 'prisma' || orm === 'drizzle') before(() => createTable(kind, url));
    const folder = kind === 'mysql' ? `${orm}-mysql` : orm;
    require(`../docs/orm-stores/${folder}/${orm}-user-store.test.js`);
  });
}

import { after, before, it } from 'node:test';
import { userStoreContract } from 'express-merchant-auth/testing';
import { createStoreOver } from '../docs/orm-stores/create-store';
import { withDatabase } from './databases';

const FOLDERS = { postgres: '../docs/drizzle', mysql: '../docs/drizzle/mysql' };

for (const kind of ['postgres', 'mysql'] as const) {
  withDatabase(kind, `the store of the guide on Drizzle, on ${kind}`, (url) => {
    type Files = typeof import('../docs/drizzle/database') &
      typeof import('../docs/drizzle/schema') &
      typeof import('../docs/drizzle/drizzle-user-store');
    let files: Files;

    before(async () => {
      process.env.DATABASE_URL = url;
      // The table of the guide on Knex, because it has the same columns.
      const { up } = await import('../docs/knex/create-merchants.js');
      const { knex } = (await import(`../docs/knex/${kind}.js`)) as typeof import('../docs/knex/postgres');
      await up(knex);
      await knex.destroy();
      const load = (name: string) => import(`${FOLDERS[kind]}/${name}.js`);
      files = Object.assign({}, ...(await Promise.all(['database', 'schema', 'drizzle-user-store'].map(load))));
    });
    after(() => files?.db.$client.end());

    const createStore = () => {
      const { db, merchants, DrizzleUserStore } = files;
      return createStoreOver(
        new DrizzleUserStore(),
        () => db.delete(merchants),
        (row) => db.insert(merchants).values({ ...row, id: BigInt(row.id) }),
      )();
    };
    for (const { name, run } of userStoreContract(createStore)) it(name, run);
  });
}

import { after, before, it } from 'node:test';
import { userStoreContract } from 'express-merchant-auth/testing';
import { down, up } from '../docs/knex/create-merchants';
import { createStoreOver } from '../docs/orm-stores/create-store';
import { withDatabase } from './databases';

for (const kind of ['postgres', 'mysql'] as const) {
  withDatabase(kind, `the store of the guide on Knex, on ${kind}`, (url) => {
    let host: typeof import('../docs/knex/postgres');

    before(async () => {
      process.env.DATABASE_URL = url;
      host = await import(`../docs/knex/${kind}.js`);
      await up(host.knex);
    });
    after(async () => {
      await down(host.knex);
      await host.knex.destroy();
    });

    const createStore = () => {
      const { knex, userStore } = host;
      return createStoreOver(
        userStore,
        () => knex('merchants').del(),
        ({ passwordHash: password_hash, tokensValidAfter: tokens_valid_after, ...row }) =>
          knex('merchants').insert({ ...row, password_hash, tokens_valid_after }),
      )();
    };
    for (const { name, run } of userStoreContract(createStore)) it(name, run);
  });
}

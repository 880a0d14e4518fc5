import { after, before, it } from 'node:test';
import { userStoreContract } from 'express-merchant-auth/testing';
import { Sequelize } from 'sequelize';
import { createStoreOver } from '../docs/orm-stores/create-store';
import { defineMerchant, Merchant } from '../docs/sequelize/merchant';
import { SequelizeUserStore } from '../docs/sequelize/sequelize-user-store';
import { withDatabase } from './databases';

for (const kind of ['postgres', 'mysql'] as const) {
  withDatabase(kind, `the store of the guide on Sequelize, on ${kind}`, (url) => {
    let sequelize: Sequelize;

    before(async () => {
      sequelize = new Sequelize(url, { logging: false });
      defineMerchant(sequelize);
      await sequelize.sync();
    });
    after(() => sequelize.close());

    const createStore = createStoreOver(
      new SequelizeUserStore(),
      () => Merchant.destroy({ where: {} }),
      (row) => Merchant.create(row, { validate: false }),
    );
    for (const { name, run } of userStoreContract(createStore)) it(name, run);
  });
}

import { after, before, it } from 'node:test';
import { type StoreUnderTest, userStoreContract } from 'express-merchant-auth/testing';
import { Sequelize } from 'sequelize';
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

    const createStore = async (): Promise<StoreUnderTest> => {
      await Merchant.destroy({ where: {} });
      return {
        store: new SequelizeUserStore(),
        async seed(accounts) {
          for (const { marchand, tokensValidAfter = null, ...account } of accounts) {
            await Merchant.create({ ...account, ...marchand, tokensValidAfter });
          }
        },
        close: () => Promise.resolve(),
      };
    };
    for (const { name, run } of userStoreContract(createStore)) it(name, run);
  });
}

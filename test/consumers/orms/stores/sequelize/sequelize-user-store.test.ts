import { Sequelize } from 'sequelize';
import { testStore } from '../test-store';
import { defineMerchant, Merchant } from './merchant';
import { SequelizeUserStore } from './sequelize-user-store';

const sequelize = new Sequelize(process.env.DATABASE_URL ?? '', { logging: false });
defineMerchant(sequelize);

testStore(new SequelizeUserStore(), {
  create: () => sequelize.sync(),
  clear: () => Merchant.destroy({ where: {} }),
  insert: (row) => Merchant.create(row, { validate: false }), // isEmail refuses some of the test's emails
  close: () => sequelize.close(),
});

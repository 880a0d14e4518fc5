import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { type StoreUnderTest, userStoreContract } from 'express-merchant-auth/testing';
import mongoose from 'mongoose';
import { MerchantModel } from './merchant';
import { MongooseUserStore } from './mongoose-user-store';

async function createStore(): Promise<StoreUnderTest> {
  const dbName = `contract_${randomUUID()}`; // a new database for each case
  await mongoose.connect(process.env.TEST_MONGODB_URL ?? 'mongodb://localhost:27017', { dbName });
  await MerchantModel.syncIndexes();
  return {
    store: new MongooseUserStore(),
    async seed(accounts) {
      const rows = accounts.map(({ id: _id, marchand, ...rest }) => ({ ...rest, ...marchand }));
      const documents = await MerchantModel.create(rows, { ordered: true, validateBeforeSave: false });
      return documents.map(({ id }) => String(id)); // because MongoDB chose the ids
    },
    async close() {
      await mongoose.connection.dropDatabase();
      await mongoose.disconnect();
    },
  };
}

describe('MongooseUserStore', () => {
  for (const { name, run } of userStoreContract(createStore)) it(name, run);
});

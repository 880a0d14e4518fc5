import { testStore } from '../test-store';
import { dataSource, userStore } from './database';
import { Merchant, User } from './user';

testStore(userStore, {
  create: () => dataSource.initialize().then(() => dataSource.synchronize()),
  async clear() {
    for (const entity of [User, Merchant]) await dataSource.createQueryBuilder().delete().from(entity).execute();
  },
  async insert({ referencl, statut, ...row }) {
    const merchant = await dataSource.getRepository(Merchant).save({ referencl, statut });
    const columns = dataSource.getMetadata(User).columns.map(({ propertyPath }) => propertyPath); // with the id
    const into = dataSource.createQueryBuilder().insert().into(User, columns);
    await into.values({ ...row, merchant }).execute();
  },
  close: () => dataSource.destroy(),
});

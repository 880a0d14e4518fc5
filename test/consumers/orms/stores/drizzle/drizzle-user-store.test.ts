import { testStore } from '../test-store';
import { db } from './database';
import { DrizzleUserStore } from './drizzle-user-store';
import { merchants } from './schema';

testStore(new DrizzleUserStore(), {
  clear: () => db.delete(merchants),
  insert: (row) => db.insert(merchants).values({ ...row, id: BigInt(row.id) }),
  close: () => db.$client.end(),
});

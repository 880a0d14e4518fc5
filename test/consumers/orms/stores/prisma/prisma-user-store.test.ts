import { testStore } from '../test-store';
import { prisma, userStore } from './prisma';

testStore(userStore, {
  clear: () => prisma.merchant.deleteMany(),
  insert: (row) => prisma.merchant.create({ data: { ...row, id: BigInt(row.id) } }),
  close: () => prisma.$disconnect(),
});

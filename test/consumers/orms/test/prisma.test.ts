import { after, before, it } from 'node:test';
import { userStoreContract } from 'express-merchant-auth/testing';
import { createStoreOver } from '../docs/orm-stores/create-store';
import { withDatabase } from './databases';

/** The SQL that `prisma migrate` generates from the schema of the page. */
const TABLE = `CREATE TABLE "merchants" (
  "id" BIGSERIAL NOT NULL,
  "email" TEXT NOT NULL,
  "phone" TEXT NOT NULL DEFAULT '',
  "password_hash" TEXT,
  "referencl" TEXT NOT NULL,
  "statut" INTEGER NOT NULL,
  "disabled" BOOLEAN NOT NULL DEFAULT false,
  "tokens_valid_after" TIMESTAMPTZ(3),
  CONSTRAINT "merchants_pkey" PRIMARY KEY ("id")
)`;
const INDEXES = ['email', 'referencl'].map(
  (column) => `CREATE UNIQUE INDEX "merchants_${column}_key" ON "merchants"("${column}")`,
);

withDatabase('postgres', 'the store of the guide on Prisma', (url) => {
  let host: typeof import('../docs/prisma/prisma');

  before(async () => {
    process.env.DATABASE_URL = url;
    host = await import('../docs/prisma/prisma.js');
    for (const sql of [TABLE, ...INDEXES]) await host.prisma.$executeRawUnsafe(sql);
  });
  after(() => host?.prisma.$disconnect());

  const createStore = () => {
    const { prisma, userStore } = host;
    return createStoreOver(
      userStore,
      () => prisma.merchant.deleteMany(),
      (row) => prisma.merchant.create({ data: { ...row, id: BigInt(row.id) } }),
    )();
  };
  for (const { name, run } of userStoreContract(createStore)) it(name, run);
});

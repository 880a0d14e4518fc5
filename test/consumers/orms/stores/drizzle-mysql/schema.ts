import { bigint, boolean, datetime, int, mysqlTable, varchar } from 'drizzle-orm/mysql-core';

const text = () => varchar({ length: 255 });

export const merchants = mysqlTable('merchants', {
  id: bigint({ mode: 'bigint' }).primaryKey().autoincrement(),
  email: text().notNull().unique(),
  phone: text().notNull().default(''),
  passwordHash: varchar('password_hash', { length: 255 }), // and its collation, in the migration
  referencl: text().notNull(),
  statut: int().notNull(),
  disabled: boolean().notNull().default(false),
  tokensValidAfter: datetime('tokens_valid_after', { fsp: 3 }),
});

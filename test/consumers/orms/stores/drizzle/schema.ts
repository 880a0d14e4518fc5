import { bigint, boolean, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

export const merchants = pgTable('merchants', {
  id: bigint({ mode: 'bigint' }).primaryKey().generatedByDefaultAsIdentity(),
  email: text().notNull().unique(),
  phone: text().notNull().default(''),
  passwordHash: text('password_hash'),
  referencl: text().notNull(),
  statut: integer().notNull(),
  disabled: boolean().notNull().default(false),
  tokensValidAfter: timestamp('tokens_valid_after', { precision: 3, withTimezone: true }),
});

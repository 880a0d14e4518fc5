import { drizzle } from 'drizzle-orm/node-postgres';
import type { QueryResult } from 'pg';

export const db = drizzle(process.env.DATABASE_URL ?? '');
export const countUpdated = ({ rowCount }: QueryResult) => rowCount;

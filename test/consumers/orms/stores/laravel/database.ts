import { createPool } from 'mysql2/promise';
import { LaravelUserStore } from './laravel-user-store';

export const pool = createPool({
  uri: process.env.DATABASE_URL ?? '',
  timezone: 'Z', // tokens_valid_after is in UTC; read times that are not over another pool
  supportBigNumbers: true, // a bigint that a number cannot hold comes as text
});
export const userStore = new LaravelUserStore(pool);

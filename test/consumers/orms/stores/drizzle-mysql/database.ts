import { drizzle } from 'drizzle-orm/mysql2';
import type { ResultSetHeader } from 'mysql2';

const { DATABASE_URL: uri = '' } = process.env;
export const db = drizzle({ connection: { uri, supportBigNumbers: true } }); // without it, mysql2 rounds large ids
export const countUpdated = ([{ affectedRows }]: [ResultSetHeader, unknown]) => affectedRows;

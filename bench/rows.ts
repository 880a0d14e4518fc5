import { database } from './guards/database-row.js';
import { guard, refused } from './guards/guard-rows.js';
import type { Row } from './harness/rows.js';
import { logins } from './logins/login-row.js';

/** All rows, by the name that the command takes. */
export const ROWS: Readonly<Record<string, Row>> = {
  guard,
  database,
  logins,
  refused,
};

import { accounts } from './guards/accounts.js';
import { guards } from './guards/compare.js';
import { loading, memory } from './guards/footprint.js';
import { connections, nginx, postgres } from './guards/latency-rows.js';
import { newTokens, refused } from './guards/token-rows.js';
import type { Row } from './harness/rows.js';
import { flood, logins } from './logins/login-rows.js';
import { operator } from './logins/operator.js';

/** All rows, by the name that the command takes. */
export const ROWS: Readonly<Record<string, Row>> = {
  guards,
  new: newTokens,
  refused,
  connections,
  nginx,
  postgres,
  memory,
  accounts,
  loading,
  logins,
  flood,
  operator,
};

import createKnex from 'knex';
import { KnexUserStore } from './knex-user-store';

const { DATABASE_URL: uri = '' } = process.env;
export const knex = createKnex({ client: 'mysql2', connection: { uri, timezone: 'Z', supportBigNumbers: true } });
export const userStore = new KnexUserStore(knex);

import createKnex from 'knex';
import { KnexUserStore } from './knex-user-store';

export const knex = createKnex({ client: 'pg', connection: process.env.DATABASE_URL ?? '' });
export const userStore = new KnexUserStore(knex);

import { testStore } from '../test-store';
import { up } from './create-merchants';
import { knex, userStore } from './database';

testStore(userStore, {
  create: () => up(knex),
  clear: () => knex('merchants').del(),
  insert: ({ passwordHash: password_hash, tokensValidAfter: tokens_valid_after, ...row }) =>
    knex('merchants').insert({ ...row, password_hash, tokens_valid_after }),
  close: () => knex.destroy(),
});

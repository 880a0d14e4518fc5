import { testStore } from '../test-store';
import { pool, userStore } from './database';

let marchandId = 1000; // never the id of a user, so that a store that confuses them fails

testStore(userStore, {
  async clear() {
    for (const table of ['users', 'marchands']) await pool.query('DELETE FROM ??', [table]);
  },
  async insert({ referencl, statut, passwordHash: password, tokensValidAfter: tokens_valid_after, ...row }) {
    marchandId += 1;
    await pool.query('INSERT INTO marchands SET ?', { id: marchandId, referencl, statut });
    const user = { ...row, marchand_id: marchandId, name: 'Somebody', password, tokens_valid_after };
    await pool.query('INSERT INTO users SET ?', user);
  },
  close: () => pool.end(),
});

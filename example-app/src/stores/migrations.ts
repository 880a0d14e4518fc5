import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDuplicate } from './duplicate.js';

/** Has the same relative path from `dist` and from `src`. */
const FOLDER = path.resolve(__dirname, '../../migrations');

/** Finds the sentence of a file that says what to do when its unique index refuses the rows of the table. */
const ON_DUPLICATE = /^-- On a duplicate: (.+)$/m;

/** Runs SQL and resolves to the rows. */
type Run = (sql: string) => Promise<readonly unknown[]>;

/** Runs the SQL files that this database has not run yet, in the order of their numbers. */
export async function migrate(database: 'postgres' | 'mysql', run: Run): Promise<void> {
  await run('CREATE TABLE IF NOT EXISTS applied_migrations (name varchar(255) PRIMARY KEY)');
  const applied = (await run('SELECT name FROM applied_migrations')) as { readonly name: string }[];
  const folder = path.join(FOLDER, database);
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  for (const name of names.sort()) {
    if (applied.some((migration) => migration.name === name)) continue;
    const sql = readFileSync(path.join(folder, name), 'utf8');
    await run(sql).catch((error: unknown) => {
      const advice = isDuplicate(error) ? ON_DUPLICATE.exec(sql)?.[1] : undefined;
      throw advice === undefined ? error : new Error(advice, { cause: error });
    });
    await run(`INSERT INTO applied_migrations (name) VALUES ('${name}')`);
  }
}

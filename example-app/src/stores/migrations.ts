import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Beside `dist`, and beside `src`. */
const FOLDER = path.resolve(__dirname, '../../migrations');

export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** The SQL files of a database, in the order of their numbers. */
export function readMigrations(database: 'postgres' | 'mysql'): readonly Migration[] {
  const folder = path.join(FOLDER, database);
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name) => ({ name, sql: readFileSync(path.join(folder, name), 'utf8') }));
}

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.resolve(__dirname, '../../results');

/** Keeps what a run measured, in place of the run before. @returns where, from the project's root */
export function writeResults(name: string, results: unknown): string {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path.join(FOLDER, `${name}.json`), `${JSON.stringify(results, null, 2)}\n`);
  return `bench/results/${name}.json`;
}

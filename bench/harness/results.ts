import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.resolve(__dirname, '../../results');

/** Keeps what a run measured, in place of the run before. @returns where, from the project's root */
export function writeResults(name: string, results: unknown): string {
  return write(`${name}.json`, JSON.stringify(results, null, 2));
}

/** Keeps a picture of it. @returns where, from the project's root */
export function writeChart(name: string, svg: string): string {
  return write(`${name}.svg`, svg);
}

function write(file: string, text: string): string {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path.join(FOLDER, file), `${text}\n`);
  return `bench/results/${file}`;
}

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Unusable } from './options.js';

/** Runs the command again by the app's tsx for TypeScript, and returns the exit code. */
export function runByTsx(file: string, name: string): number | undefined {
  const isLoaded = process.execArgv.some((one) => /tsx|ts-node|swc/.test(one));
  if (!/\.[mc]?ts$/.test(file) || isLoaded) return undefined;
  let tsx: string;
  try {
    tsx = createRequire(file).resolve('tsx');
  } catch {
    throw new Unusable(
      `${name} is TypeScript. Install tsx beside it, or give the built file (always for NestJS, because tsx keeps no types for decorators).`,
    );
  }
  const args = [...process.execArgv, '--import', pathToFileURL(tsx).href, ...process.argv.slice(1)];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 2;
}

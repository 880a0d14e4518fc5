import { existsSync, readFileSync } from 'node:fs';
import { Unusable } from './options.js';

/** Reads the routes that are meant to be open. A file that does not exist accepts none. */
export function acceptedIn(file: string): ReadonlySet<string> {
  if (!existsSync(file)) return new Set();
  try {
    const routes: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (Array.isArray(routes) && routes.every((route) => typeof route === 'string')) return new Set(routes);
  } catch {
    // The sentence below says it.
  }
  throw new Unusable(
    `${file} is not a JSON list of routes such as "GET /health". Delete it, and write it with --accept.`,
  );
}

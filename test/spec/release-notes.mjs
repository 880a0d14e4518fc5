// Prints the section of CHANGELOG.md about the version of package.json. Refuses a tag of another version, and a section
// without a date.
// Usage: node test/spec/release-notes.mjs v1.2.3
import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import manifest from '../../package.json' with { type: 'json' };
import { releaseNotes } from './changelog.mjs';

const CHANGELOG = path.resolve(import.meta.dirname, '../../CHANGELOG.md');

try {
  const [tag] = process.argv.slice(2);
  if (tag === undefined) throw new Error('Usage: node test/spec/release-notes.mjs TAG');
  process.stdout.write(`${releaseNotes(tag, manifest.version, readFileSync(CHANGELOG, 'utf8'))}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

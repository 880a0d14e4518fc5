// Fails if a source is newer than the coverage that `npm test` has written, because `npm run check` reads this coverage and
// the build that was made with it.
import console from 'node:console';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const COVERAGE = 'coverage/tmp';

const since = existsSync(COVERAGE) ? statSync(COVERAGE).mtimeMs : 0;
const sources = ['src', 'client/src', 'audit/src', 'example-app/src'].flatMap((folder) =>
  readdirSync(folder, { recursive: true }).map((name) => path.join(folder, name)),
);
const newer = sources.find((file) => statSync(file).mtimeMs > since);
if (newer !== undefined) {
  console.error(
    since === 0 ? 'Run `npm test` first.' : `Run \`npm test\` first, because it has not run since ${newer} changed.`,
  );
  process.exitCode = 1;
}

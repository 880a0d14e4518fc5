import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { auditApps } from './audit-apps.js';
import { auditCallers } from './audit-callers.js';
import { contain, firstLineOf } from './contain.js';
import { findApps } from './find-apps.js';
import { makeNestGate } from './nest-gate.js';
import { HELP, optionsOf, type Outcome, Unusable } from './options.js';
import { runByTsx } from './tsx.js';

const { stdout, stderr } = process;
const exit = process.exit.bind(process);
const write = { out: stdout.write.bind(stdout), error: stderr.write.bind(stderr) };

async function outcomeOf(stepMs: number): Promise<Outcome> {
  const options = optionsOf(process.argv.slice(2));
  if (!options) return { code: 0, text: HELP };
  const { file: name, callers, json, noise } = options;
  if (/^https?:/.test(name) && callers) return auditCallers([name], callers, json);
  const file = resolve(name);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new Unusable(`${name} is not a file. Give the one that listens or exports the app.`);
  const code = runByTsx(file, name);
  if (code !== undefined) return { code, text: '' };
  process.argv.splice(1, Infinity, file);
  const contained = contain(noise);
  const gate = makeNestGate(file);
  const apps = await findApps(file, name, contained, { stepMs, onWait: write.error });
  if (callers) return auditCallers(apps, callers, json);
  return auditApps(apps, options, { contained, gate, onProgress: write.error });
}

/**
 * Runs the command with the arguments of the process, and ends the process.
 * @param stepMs the milliseconds between two looks at the routes of the app
 */
export function runCommand(stepMs: number): void {
  outcomeOf(stepMs).then(
    ({ code, text }) => write.out(text, () => exit(code)),
    (error: unknown) =>
      write.error(`${error instanceof Unusable ? error.message : `The audit failed: ${firstLineOf(error)}`}\n`, () =>
        exit(2),
      ),
  );
}

#!/usr/bin/env node
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { auditApps } from './audit-apps.js';
import { auditCallers } from './audit-callers.js';
import { acceptedIn } from './accepted-routes.js';
import { contain, firstLineOf } from './contain.js';
import { findApps } from './find-apps.js';
import { makeNestGate } from './nest-gate.js';
import { HELP, optionsOf, Unusable } from './options.js';
import { runByTsx } from './tsx.js';

const { stdout, stderr } = process;
const exit = process.exit.bind(process);
const write = { out: stdout.write.bind(stdout), error: stderr.write.bind(stderr) };

async function run(): Promise<{ code: number; text: string }> {
  const options = optionsOf(process.argv.slice(2));
  if (!options) return { code: 0, text: HELP };
  const { file: name, callers, acceptedFile, noise } = options;
  if (/^https?:/.test(name) && callers.length > 0) return auditCallers([name], options);
  const file = resolve(name);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new Unusable(`${name} is not a file. Give the one that listens or exports the app.`);
  const code = runByTsx(file, name);
  if (code !== undefined) return { code, text: '' };
  const accepted = acceptedIn(acceptedFile);
  process.argv.splice(1, Infinity, file);
  const contained = contain(noise);
  const gate = makeNestGate(file);
  const apps = await findApps(file, name, contained);
  if (callers.length > 0) return auditCallers(apps, options);
  return auditApps(apps, options, { accepted, contained, gate, onProgress: write.error });
}

run().then(
  ({ code, text }) => write.out(text, () => exit(code)),
  (error: unknown) =>
    write.error(`${error instanceof Unusable ? error.message : `The audit failed: ${firstLineOf(error)}`}\n`, () =>
      exit(2),
    ),
);

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../../..');
/** Node.js 20 warns where a script requires an ES module. */
const QUIET = '--disable-warning=ExperimentalWarning';
let folder = '';
let count = 0;

/** Makes a folder for the projects of the tests of a file, and a script that runs the command from its sources. */
export function useCommand(): void {
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'audit-'));
    const sources = ['test/helpers/typescript.mjs', 'audit/src/command/main.ts'];
    const lines = sources.map((file) => `require(${JSON.stringify(path.join(ROOT, file))});`);
    writeFileSync(path.join(folder, 'audit.cjs'), lines.join('\n'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
}

export interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
  /** The folder of the project. */
  readonly cwd: string;
}

/** Writes the files of a project with this Express, and returns a function that runs the command in it. */
export function project(files: Readonly<Record<string, string>>, express = 'express') {
  const cwd = path.join(folder, `project-${(count += 1)}`);
  mkdirSync(path.join(cwd, 'node_modules'), { recursive: true });
  symlinkSync(path.join(ROOT, 'node_modules', express), path.join(cwd, 'node_modules/express'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
    writeFileSync(path.join(cwd, name), text);
  }
  return (...args: string[]) =>
    new Promise<Run>((resolve) => {
      const child = spawn(process.execPath, [QUIET, path.join(folder, 'audit.cjs'), ...args], { cwd });
      const printed = { out: '', error: '' };
      child.stdout.on('data', (data: Buffer) => (printed.out += data.toString()));
      child.stderr.on('data', (data: Buffer) => (printed.error += data.toString()));
      child.on('close', (code) => resolve({ code, ...printed, cwd }));
    });
}

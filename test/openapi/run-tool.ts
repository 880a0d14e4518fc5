import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ApiTool } from '../helpers/api-tools.js';

const folders: string[] = [];

after('remove the documents', () => {
  for (const folder of folders) rmSync(folder, { recursive: true });
  folders.length = 0;
});

/** Writes a document to a folder without any configuration, and returns its path. */
export function writeDocument(document: object): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'openapi-'));
  folders.push(folder);
  const file = path.join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  return file;
}

/** Runs a tool in the folder of a document and returns its output, whatever its exit code is. */
export function runTool(tool: ApiTool, args: readonly string[], document: string): Promise<string> {
  // No report of use and no search for updates.
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };
  return new Promise((resolve) => {
    const options = { cwd: path.dirname(document), env, maxBuffer: 2 ** 26 };
    execFile(tool.file, [...tool.args, ...args], options, (_error, stdout) => resolve(stdout));
  });
}

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** The result of one run of npm. */
interface Run {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** npm's JavaScript file. npm and npx say where theirs is, and it is beside them. Elsewhere it is not known. */
const cli = path.join(path.dirname(process.env['npm_execpath'] ?? ''), 'npm-cli.js');

/** The environment without the variables that make a program count its coverage or print colors. */
const env: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_V8_COVERAGE: undefined,
  FORCE_COLOR: undefined,
  NO_COLOR: '1',
  npm_config_loglevel: 'error',
  npm_config_update_notifier: 'false',
};

/** Runs npm and resolves to what it printed, whatever its exit code is. Windows can start it by its name only in a shell. */
export function npm(cwd: string, ...args: readonly string[]): Promise<Run> {
  const hasCli = existsSync(cli);
  const options = { cwd, env, shell: !hasCli && process.platform === 'win32', maxBuffer: 64 * 1024 * 1024 };
  const [file, given] = hasCli ? [process.execPath, [cli, ...args]] : ['npm', args];
  return new Promise((resolve, reject) => {
    execFile(file, given, options, (error, output, errors) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, output, errors });
      else reject(error ?? new Error('npm did not start.'));
    });
  });
}

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

/** Runs a program and resolves to what it printed, whatever its exit code is. */
function run(file: string, args: readonly string[], cwd: string, shell = false): Promise<Run> {
  return new Promise((resolve, reject) => {
    const options = { cwd, shell, env, maxBuffer: 64 * 1024 * 1024 };
    execFile(file, args, options, (error, output, errors) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, output, errors });
      else reject(error ?? new Error(`${file} did not start.`));
    });
  });
}

/** Runs npm. Windows can start it by its name only through a shell. */
export function npm(cwd: string, ...args: readonly string[]): Promise<Run> {
  return existsSync(cli)
    ? run(process.execPath, [cli, ...args], cwd)
    : run('npm', args, cwd, process.platform === 'win32');
}

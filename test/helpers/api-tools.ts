import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { declareUnavailable } from './unavailable.js';

/** The packages of test/api-tools, by their program. They have a package.json there, because they are large. */
const PACKAGES = {
  bun: 'bun',
  deno: 'deno',
  newman: 'newman',
  'openapi-typescript': 'openapi-typescript',
  orval: 'orval',
  redocly: '@redocly/cli',
} as const;

type ApiToolName = keyof typeof PACKAGES;

/** Starts a program: `execFile(tool.file, [...tool.args, ...args])`. */
export interface ApiTool {
  readonly file: string;
  readonly args: readonly string[];
}

interface Manifest {
  readonly bin: string | Readonly<Record<string, string>>;
}

/** The folder of the programs. It is also the `cwd` of programs that must not read the configuration at the root. */
const API_TOOLS = path.resolve(__dirname, '../api-tools');

/** Runs a suite with a program of test/api-tools. Without the program the suite is skipped, and in CI it fails. */
export function withApiTool(title: string, name: ApiToolName, suite: (tool: ApiTool) => void): void {
  const tool = findTool(name);
  if (tool !== undefined) {
    describe(title, () => {
      suite(tool);
    });
  } else {
    const missing = `${title}: needs ${name}, which "npm ci --prefix test/api-tools" installs`;
    declareUnavailable(missing, `${name} is not in test/api-tools/node_modules.`);
  }
}

/** Finds the file of a program in its package. On Windows, the files in node_modules/.bin need a shell. */
function findTool(name: ApiToolName): ApiTool | undefined {
  const folder = path.join(API_TOOLS, 'node_modules', PACKAGES[name]);
  const manifest = path.join(folder, 'package.json');
  if (!existsSync(manifest)) return undefined;
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as Manifest;
  const program = path.join(folder, typeof bin === 'string' ? bin : (bin[name] ?? ''));
  return /\.[cm]?js$/.test(program) ? { file: process.execPath, args: [program] } : { file: program, args: [] };
}

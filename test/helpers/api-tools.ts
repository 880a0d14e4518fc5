import { existsSync } from 'node:fs';
import path from 'node:path';

/** The programs of test/api-tools. They have a package.json there, because they are large. */
export type ApiTool = 'bun' | 'deno' | 'newman' | 'openapi-typescript' | 'prism' | 'redocly';

/** A program takes seconds to start, and more on a busy machine. */
const TIMEOUT_MS = 60_000;

/** The folder of the programs. It is also the `cwd` of programs that must not read the configuration at the root. */
const API_TOOLS = path.resolve(__dirname, '../api-tools');

/** Runs a suite with a program of test/api-tools. Without the program the suite is skipped, and in CI it fails. */
export function withApiTool(title: string, tool: ApiTool, suite: (file: string) => void): void {
  const file = path.join(API_TOOLS, 'node_modules/.bin', tool);
  if (existsSync(file)) {
    describe(title, function () {
      this.timeout(TIMEOUT_MS);
      suite(file);
    });
    return;
  }
  const missing = `${title}: needs ${tool}, which "npm ci --prefix test/api-tools" installs`;
  if (process.env['CI'] === undefined) it.skip(missing);
  else {
    it(missing, () => {
      throw new Error(`${tool} is not in ${path.dirname(path.relative(process.cwd(), file))}.`);
    });
  }
}

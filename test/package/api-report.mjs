// Writes to docs/api a report of each declaration file that both packages export: one for `import`, one for `require`.
// With --check it compares instead, and fails when a report differs from the one in docs/api.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import client from '../../client/package.json' with { type: 'json' };
import server from '../../package.json' with { type: 'json' };

const ROOT = path.resolve(import.meta.dirname, '../..');
const REPORTS = path.join(ROOT, 'docs/api');
const SILENT = { default: { logLevel: 'none' } };

/** Returns the paths of the exported declaration files, relative to dist. */
function declarationsIn(exported) {
  if (typeof exported !== 'string') return Object.values(exported).flatMap(declarationsIn);
  return /\.d\.m?ts$/.test(exported) ? [path.posix.relative('dist', exported)] : [];
}

/** Writes the report of a declaration file of the package in `root`. */
function writeReport(root, declarations, folder) {
  const reportFolder = path.join(folder, path.dirname(declarations));
  mkdirSync(reportFolder, { recursive: true });
  const configObject = {
    projectFolder: root,
    mainEntryPointFilePath: path.join(root, 'dist', declarations),
    newlineKind: 'lf',
    compiler: { tsconfigFilePath: path.join(root, 'src/tsconfig.json') },
    apiReport: {
      enabled: true,
      reportFileName: path.basename(declarations),
      reportFolder,
      reportTempFolder: path.join(scratch, 'temp'),
      // The report includes types that are not exported but that an exported type refers to.
      includeForgottenExports: true,
    },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    messages: {
      compilerMessageReporting: { default: { logLevel: 'error' } },
      extractorMessageReporting: SILENT,
      tsdocMessageReporting: SILENT,
    },
  };
  const packageJsonFullPath = path.join(root, 'package.json');
  const config = ExtractorConfig.prepare({ configObject, configObjectFullPath: undefined, packageJsonFullPath });
  const { succeeded } = Extractor.invoke(config, {
    localBuild: true,
    messageCallback(message) {
      message.handled = message.logLevel !== 'error';
    },
  });
  if (!succeeded) throw new Error(`API Extractor cannot report ${path.join(root, 'dist', declarations)}.`);
}

const { check } = parseArgs({ options: { check: { type: 'boolean' } } }).values;
const scratch = mkdtempSync(path.join(tmpdir(), 'api-report-'));
const folder = check ? path.join(scratch, 'api') : REPORTS;
try {
  rmSync(folder, { recursive: true, force: true });
  for (const declarations of declarationsIn(server.exports)) writeReport(ROOT, declarations, folder);
  for (const declarations of declarationsIn(client.exports)) {
    writeReport(path.join(ROOT, 'client'), declarations, path.join(folder, 'client'));
  }
  if (check) {
    const { status } = spawnSync('git', ['diff', '--no-index', REPORTS, folder], { stdio: 'inherit' });
    if (status !== 0) {
      process.stderr.write('The API differs from the reports in docs/api. Run `npm run api` and commit the result.\n');
      process.exitCode = 1;
    }
  }
} finally {
  rmSync(scratch, { recursive: true });
}

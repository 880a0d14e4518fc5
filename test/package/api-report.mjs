// Writes to docs/api a report of the declarations of each entry point of each package. With --check it compares instead, and
// fails when a report differs from the one in docs/api. It always fails when `import` gets other declarations than `require`.
// A value that `import` lacks is found at run time, by test/package/entry-points.test.ts.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import audit from '../../audit/package.json' with { type: 'json' };
import client from '../../client/package.json' with { type: 'json' };
import server from '../../package.json' with { type: 'json' };

const ROOT = path.resolve(import.meta.dirname, '../..');
const REPORTS = path.join(ROOT, 'docs/api');
const SILENT = { default: { logLevel: 'none' } };

/** Writes the reports of the package in `root`. */
function writeReports(root, entryPoints, folder) {
  for (const entryPoint of Object.values(entryPoints)) {
    if (typeof entryPoint === 'string') continue;
    const required = writeReport(root, entryPoint.require.types, folder);
    const imported = writeReport(root, entryPoint.import.types, path.join(scratch, 'import'));
    compare(required, imported, `${entryPoint.import.types} has other declarations than ${entryPoint.require.types}.`);
  }
}

/** Prints the differences of two files or folders, and fails with this problem if there are any. */
function compare(expected, actual, problem) {
  const { status } = spawnSync('git', ['diff', '--no-index', expected, actual], { stdio: 'inherit' });
  if (status === 0) return;
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}

/** Writes the report of a declaration file, and returns its path. */
function writeReport(root, declarations, folder) {
  const reportFolder = path.join(folder, path.dirname(path.relative('dist', declarations)));
  mkdirSync(reportFolder, { recursive: true });
  const configObject = {
    projectFolder: root,
    mainEntryPointFilePath: path.join(root, declarations),
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
  if (!succeeded) throw new Error(`API Extractor cannot report ${path.join(root, declarations)}.`);
  return config.reportFilePath;
}

const { check } = parseArgs({ options: { check: { type: 'boolean' } } }).values;
const scratch = mkdtempSync(path.join(tmpdir(), 'api-report-'));
const folder = check ? path.join(scratch, 'api') : REPORTS;
try {
  rmSync(folder, { recursive: true, force: true });
  writeReports(ROOT, server.exports, folder);
  writeReports(path.join(ROOT, 'client'), client.exports, path.join(folder, 'client'));
  writeReports(path.join(ROOT, 'audit'), audit.exports, path.join(folder, 'audit'));
  if (check) {
    compare(REPORTS, folder, 'The API differs from the reports in docs/api. Run `npm run api` and commit the result.');
  }
} finally {
  rmSync(scratch, { recursive: true });
}

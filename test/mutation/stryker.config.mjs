// npm run mutation: changes the sources in small ways and reports each change that no test notices. It is not part of the
// gate. Results are kept in coverage/mutation, so the next run repeats only what has changed.
import { readdirSync } from 'node:fs';

/** The suites that test the mutated files. A mutant runs only the tests that reach it. */
const specs = [
  ...[
    'check-own-references',
    'enforce',
    'merchant',
    'references',
    'references.containers',
    'require-own-reference',
  ].map((name) => `test/ownership/${name}.test.ts`),
  ...readdirSync('test/tokens').map((file) => `test/tokens/${file}`),
  'test/adversarial/rfc8725.test.ts',
  'test/bearer/require-bearer.test.ts',
  'test/events/auth-event.over-http.test.ts',
];

export default {
  mutate: ['src/ownership/**/*.ts', 'src/tokens/**/*.ts'],
  ignorePatterns: ['/.ci', '/bench', '/coverage', '/dist', '/docs', '/example-app', '/test/consumers'],
  plugins: ['./test/mutation/mocha-runner.mjs'],
  testRunner: 'mocha',
  mocha: { specs },
  warnings: { unknownOptions: false },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // A busy machine must not make a mutant look noticed. Endless loops are found by their count.
  timeoutMS: 60_000,
  // A process keeps the source maps of all files that it loaded.
  maxTestRunnerReuse: 100,
  tempDirName: 'coverage/mutation/sandbox',
  incremental: true,
  incrementalFile: 'coverage/mutation/incremental.json',
  clearTextReporter: { reportTests: false },
  reporters: ['clear-text', 'progress', 'html'],
  htmlReporter: { fileName: 'coverage/mutation/index.html' },
  thresholds: { high: 95, low: 85, break: 85 },
};

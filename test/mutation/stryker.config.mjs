// The settings of Stryker for each folder that run.mjs mutates.
export default {
  ignorePatterns: [
    '/.ci',
    '/bench',
    '/coverage',
    '/dist',
    '/docs',
    '/example-app',
    '/test/consumers',
    '/test/api-tools',
  ],
  plugins: ['./test/mutation/mocha-runner.mjs'],
  testRunner: 'mocha',
  warnings: { unknownOptions: false },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // A busy machine must not make a mutant look noticed. Endless loops are found by their count.
  timeoutMS: 60_000,
  // A process keeps the source maps of all files that it loaded.
  maxTestRunnerReuse: 100,
  tempDirName: 'coverage/mutation/sandbox',
  incremental: true,
  clearTextReporter: { reportTests: false, logTests: false },
  reporters: ['clear-text', 'html', 'progress-append-only'],
  thresholds: { high: 95, low: 90, break: null },
};

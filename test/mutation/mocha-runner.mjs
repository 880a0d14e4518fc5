// Runs the suites for Stryker in one process, because a new process needs three seconds before its first test. Stryker's
// own plugin does not support mocha 12. Delete this file when that plugin supports it.
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { determineHitLimitReached, DryRunStatus, MutantRunStatus, TestStatus } from '@stryker-mutator/api/test-runner';
import Mocha from 'mocha';

const require = createRequire(import.meta.url);
const { EVENT_TEST_BEGIN, EVENT_TEST_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } =
  Mocha.Runner.constants;

/** The sources that Stryker changed read the active mutant here, and count here which test reaches which mutant. */
const stryker = (globalThis.__stryker__ ??= {});

class MochaRunner {
  static inject = ['options'];

  #specs;

  constructor({ mocha }) {
    this.#specs = mocha.specs;
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    // An error that is thrown after the last test of a mutant must not end this process. During a run, mocha has a listener too.
    process.on('uncaughtException', () => undefined);
    process.on('unhandledRejection', (reason) => {
      throw reason;
    });
    await import(pathToFileURL(path.resolve('test/helpers/typescript.mjs')).href);
  }

  async dryRun() {
    activate(undefined);
    const tests = await this.#run({ bail: false });
    return { status: DryRunStatus.Complete, tests, mutantCoverage: stryker.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, disableBail }) {
    activate(activeMutant.id, hitLimit);
    let tests;
    try {
      tests = await this.#run({ testFilter, bail: !disableBail });
    } catch (error) {
      // A suite that does not load is a failure.
      return { status: MutantRunStatus.Killed, killedBy: [], failureMessage: String(error), nrOfTests: 0 };
    }
    const limit = determineHitLimitReached(stryker.hitCount, hitLimit);
    if (limit !== undefined) return { status: MutantRunStatus.Timeout, reason: limit.reason };
    const failed = tests.filter(({ status }) => status === TestStatus.Failed);
    if (failed.length === 0) return { status: MutantRunStatus.Survived, nrOfTests: tests.length };
    return {
      status: MutantRunStatus.Killed,
      killedBy: failed.map(({ id }) => id),
      failureMessage: failed[0].failureMessage,
      nrOfTests: tests.length,
    };
  }

  /** Loads all files again, because some mutants only have an effect then, and runs the tests of the filter. */
  async #run({ testFilter, bail }) {
    forgetModules();
    const mocha = new Mocha({ bail, timeout: 10_000, reporter: SilentReporter });
    require(path.resolve('test/helpers/environment.ts'));
    for (const spec of this.#specs) mocha.addFile(path.resolve(spec));
    mocha.loadFiles();
    if (testFilter !== undefined) keepTests(mocha.suite, new Set(testFilter));

    const results = new Map();
    function report(runnable, status, failureMessage) {
      const test = runnable.type === 'hook' ? (runnable.ctx.currentTest ?? runnable) : runnable;
      const id = idOf(test);
      if (results.get(id)?.status === TestStatus.Failed) return;
      const timeSpentMs = test.duration ?? 0;
      results.set(id, { id, name: test.fullTitle(), fileName: test.file, timeSpentMs, status, failureMessage });
    }
    await new Promise((done) => {
      const runner = mocha.run(() => {
        runner.dispose();
        done();
      });
      runner
        .on(EVENT_TEST_BEGIN, (test) => (stryker.currentTestId = idOf(test)))
        .on(EVENT_TEST_END, () => (stryker.currentTestId = undefined))
        .on(EVENT_TEST_PASS, (test) => report(test, TestStatus.Success))
        .on(EVENT_TEST_PENDING, (test) => report(test, TestStatus.Skipped))
        .on(EVENT_TEST_FAIL, (runnable, error) => report(runnable, TestStatus.Failed, String(error?.stack ?? error)));
    });
    return [...results.values()];
  }
}

function SilentReporter() {
  // Stryker prints the results.
}

/** Activates a mutant in this process and its children, or none. */
function activate(id, hitLimit) {
  stryker.activeMutant = id;
  stryker.hitLimit = hitLimit;
  stryker.hitCount = hitLimit === undefined ? undefined : 0;
  if (id === undefined) delete process.env.__STRYKER_ACTIVE_MUTANT__;
  else process.env.__STRYKER_ACTIVE_MUTANT__ = id;
}

/** Empties the module cache, except for the packages and for the keys of the tests, which are slow to make. */
function forgetModules() {
  const keys = path.resolve('test/helpers/keys.ts');
  for (const file of Object.keys(require.cache)) {
    if (file.startsWith(process.cwd() + path.sep) && file !== keys) Reflect.deleteProperty(require.cache, file);
  }
}

function keepTests(suite, ids) {
  suite.tests = suite.tests.filter((test) => ids.has(idOf(test)));
  for (const child of suite.suites) keepTests(child, ids);
}

function idOf(test) {
  return `${path.relative(process.cwd(), test.file ?? '')} ${test.fullTitle()}`;
}

export const strykerPlugins = [{ kind: 'TestRunner', name: 'mocha', injectableClass: MochaRunner }];

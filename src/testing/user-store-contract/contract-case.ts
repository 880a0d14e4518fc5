/** One case for any test runner: `test(name, run)`. */
export interface ContractCase {
  /** Says the rule in a sentence. No two cases have the same name. */
  readonly name: string;
  /**
   * Resolves when the rule holds. Otherwise it rejects with an error whose message says what to change.
   *
   * Give `run` itself to the runner, so that a case that does not apply is skipped with its reason. `run` finds the
   * context of the test in `this` (mocha and node:test) or in its first argument (Vitest). In Jest, which cannot skip a
   * test that runs, the case passes and prints its reason.
   */
  readonly run: () => Promise<void>;
}

/** The context of a test, in a runner that can skip a test that runs. */
interface TestContext {
  skip(reason: string): void;
}

/** Ends a case that does not apply to the host or to the store. */
class LeftOut extends Error {}

/**
 * Leaves out the case whose check calls this, unless `applies`. The runner shows the reason.
 * @throws an error that the `run` of `caseOf` turns into a skipped test
 */
export function leaveOutUnless(applies: boolean, reason: string): asserts applies {
  if (!applies) throw new LeftOut(reason);
}

/**
 * Makes a case of a contract, for any test runner.
 * @param check rejects when the rule does not hold, with a `Violation` that says what to change. It may call
 *   `leaveOutUnless`
 */
export function caseOf(name: string, check: () => Promise<void>): ContractCase {
  return {
    name,
    // Declares no parameter, because Jest would wait for a callback, and Vitest would look for its fixtures.
    async run(this: unknown) {
      try {
        await check();
      } catch (error) {
        if (!(error instanceof LeftOut)) throw error;
        // oxlint-disable-next-line prefer-rest-params -- a rest parameter is a parameter too
        const context = [this, arguments[0] as unknown].find(canSkip);
        if (context) context.skip(error.message);
        else console.warn(`Left out: ${name}. ${error.message}`);
      }
    },
  };
}

/** In Vitest, the context is a function with members. */
function canSkip(value: unknown): value is TestContext {
  return typeof (value as Partial<TestContext> | null | undefined)?.skip === 'function';
}

/** A case for any test runner: `test(name, run)`. */
export interface ContractCase {
  /** The rule in a sentence. No two cases have the same name. */
  readonly name: string;
  /**
   * Resolves when the rule holds. Otherwise it rejects with an error whose message says what to change.
   *
   * Give `run` itself to the runner, so that a case that does not apply is skipped with its reason. `run` finds the
   * context of the test in `this` (mocha and node:test) or in its first argument (Vitest). Jest cannot skip a test that
   * runs: there, the case passes and prints its reason.
   */
  readonly run: () => Promise<void>;
}

interface TestContext {
  skip(reason: string): void;
}

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
 * @param check rejects with a `Violation` that says what to change when the rule does not hold. It may call
 *   `leaveOutUnless`
 */
export function caseOf(name: string, check: () => Promise<void>): ContractCase {
  return {
    name,
    // No parameter: Jest would wait for a callback, and Vitest would look for its fixtures.
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

/** One case for any test runner: `test(name, run)`. */
export interface ContractCase {
  /** Says the rule in a sentence. No two cases have the same name. */
  readonly name: string;
  /**
   * Resolves when the rule holds. Otherwise it rejects with an error whose message says what to change.
   *
   * A case that does not apply is skipped, with its reason. So give `run` itself to the runner. In mocha and node:test it
   * finds the context of the test in `this`, and in Vitest in its first argument. Jest cannot skip a test that runs.
   * There the case passes, and prints its reason.
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
 * Leaves a case out.
 * @throws LeftOut with the reason, unless `applies`
 */
export function leaveOutUnless(applies: boolean, reason: string): asserts applies {
  if (!applies) throw new LeftOut(reason);
}

/** Makes a case. `check` can leave it out. */
export function caseOf(name: string, check: () => Promise<void>): ContractCase {
  return {
    name,
    // It declares no parameter: Jest would wait for a callback, and Vitest would look for its fixtures.
    async run(this: unknown) {
      try {
        await check();
      } catch (error) {
        if (!(error instanceof LeftOut)) throw error;
        // eslint-disable-next-line prefer-rest-params -- a rest parameter is a parameter too
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

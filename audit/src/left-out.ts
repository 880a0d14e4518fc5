import type { ContractCase } from 'express-merchant-auth/testing';

/** The context of a test, in a runner that can skip a test that runs. */
interface TestContext {
  skip(reason: string): void;
}

/** Ends a case that does not apply to the host. */
class LeftOut extends Error {}

/** @throws LeftOut with the reason, unless `applies` */
export function leaveOutUnless(applies: boolean, reason: string): asserts applies {
  if (!applies) throw new LeftOut(reason);
}

/** Makes a case that is skipped as those of `userStoreContract` are. */
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

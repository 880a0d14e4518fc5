import { inspect } from 'node:util';
import { expect } from 'chai';

/** Asserts that there was no unhandled rejection and no uncaught exception. */
export async function expectNothingUnhandled(act: () => Promise<void>): Promise<void> {
  const unhandled: unknown[] = [];
  const listener = (reason: unknown) => unhandled.push(reason);
  process.prependListener('uncaughtException', listener);
  process.prependListener('unhandledRejection', listener);
  try {
    await act();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.removeListener('uncaughtException', listener);
    process.removeListener('unhandledRejection', listener);
  }
  expect(unhandled, inspect(unhandled)).to.deep.equal([]);
}

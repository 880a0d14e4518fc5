import { mock } from 'node:test';
import { inspect } from 'node:util';
import { expect } from 'chai';

const { emitWarning } = process;

/** Collects the process warnings of this test instead of printing them. */
export function collectWarnings(): string[] {
  const warnings: string[] = [];
  mock.method(process, 'emitWarning', (warning: string | Error) => {
    warnings.push(String(warning));
  });
  return warnings;
}

afterEach('print warnings again', () => {
  // A method that was mocked twice gets its first mock back.
  mock.restoreAll();
  process.emitWarning = emitWarning;
});

/** Runs a function, and returns the arguments of each call of this method of `console`. */
export async function printedBy(method: 'log' | 'warn' | 'error', run: () => unknown): Promise<unknown[][]> {
  const { mock: printer } = mock.method(console, method, () => undefined);
  try {
    await run();
    return printer.calls.map(({ arguments: values }) => values);
  } finally {
    printer.restore();
  }
}

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

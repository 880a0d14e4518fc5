import { mock } from 'node:test';

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

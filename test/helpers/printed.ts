import { mock } from 'node:test';

/** Runs a function, and returns the arguments of each call of `console.warn` or `console.error`. */
export async function printedBy(method: 'warn' | 'error', run: () => unknown): Promise<unknown[][]> {
  const { mock: printer } = mock.method(console, method, () => undefined);
  try {
    await run();
    return printer.calls.map(({ arguments: values }) => values);
  } finally {
    printer.restore();
  }
}

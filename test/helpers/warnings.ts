import { mock } from 'node:test';

/** Collects the process warnings of this test instead of printing them. */
export function collectWarnings(): string[] {
  const warnings: string[] = [];
  mock.method(process, 'emitWarning', (warning: string | Error) => {
    warnings.push(String(warning));
  });
  return warnings;
}

afterEach('print warnings again', () => {
  mock.restoreAll();
});

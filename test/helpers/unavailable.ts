/**
 * Declares a test that cannot run here, for example without a program. It is skipped by its title, and in CI it fails.
 */
export function declareUnavailable(title: string, problem: string): void {
  // The workflows set CI to an empty text on systems without the services.
  if ((process.env['CI'] ?? '') === '') it.skip(title);
  else {
    it(title, () => {
      throw new Error(problem);
    });
  }
}

/** Runs a suite on the service that `variable` names. Without the variable the suite is skipped, and in CI it fails. */
export function withService(title: string, service: string, variable: string, suite: (url: URL) => void): void {
  const url = process.env[variable];
  if (url !== undefined && url !== '') describe(title, () => suite(new URL(url)));
  else {
    const missing = `${title}: needs ${service}, whose address is to be in ${variable}`;
    declareUnavailable(missing, `${variable} is not set.`);
  }
}

type DeclareTest = (title: string, body: (this: Mocha.Context) => Promise<void> | void) => Mocha.Test;

/**
 * Returns a function like `it`, which on these platforms, even in CI, skips the test and adds the reason to the title.
 */
export function exceptOn(platforms: readonly NodeJS.Platform[], reason: string): DeclareTest {
  if (!platforms.includes(process.platform)) return (title, body) => it(title, body);
  return (title) => it.skip(`${title} (not on ${process.platform}: ${reason})`);
}

/** Declares tests that send a signal which the process handles. */
export const itWithSignals = exceptOn(['win32'], 'a signal ends the process at once');

/** Declares tests that run commands of a page which are for bash. */
export const itWithBash = exceptOn(['win32'], 'the command is for bash');

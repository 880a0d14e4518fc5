/** Runs a suite on the service that `variable` names. Without the variable the suite is skipped, and in CI it fails. */
export function withService(title: string, service: string, variable: string, suite: (url: URL) => void): void {
  const url = process.env[variable];
  if (url !== undefined && url !== '') {
    describe(title, () => suite(new URL(url)));
    return;
  }
  const missing = `${title}: needs ${service}, whose address is to be in ${variable}`;
  if (process.env['CI'] === undefined) it.skip(missing);
  else {
    it(missing, () => {
      throw new Error(`${variable} is not set.`);
    });
  }
}

import { declareUnavailable } from './unavailable.js';

/** Runs a suite on the service that `variable` names. Without the variable the suite is skipped, and in CI it fails. */
export function withService(title: string, service: string, variable: string, suite: (url: URL) => void): void {
  const url = process.env[variable];
  if (url !== undefined && url !== '') describe(title, () => suite(new URL(url)));
  else {
    const missing = `${title}: needs ${service}, whose address is to be in ${variable}`;
    declareUnavailable(missing, `${variable} is not set.`);
  }
}

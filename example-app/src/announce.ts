import type { AddressInfo } from 'node:net';
import { demoAccounts } from './demo-accounts.js';
import type { Logger } from './operations/logger.js';

const LOCAL = ['127.0.0.1', '0.0.0.0', '::1', '::'];

/** Makes the function that tells an operator about start and stop: by the log, or by plain lines when the log is quiet. */
export function createAnnounce(logger: Logger): (...lines: string[]) => void {
  if (logger.isLevelEnabled('info')) return (...lines) => lines.forEach((line) => logger.info(line));
  return (...lines) => console.log(lines.join('\n'));
}

/** Returns the URL by which a caller on this machine reaches the server. */
export function urlOf(host: string, { port, family }: AddressInfo): string {
  const name = family === 'IPv6' && host.includes(':') ? `[${host}]` : host;
  return `http://${LOCAL.includes(host) ? 'localhost' : name}:${port}`;
}

/** Returns a curl command that works: a login where the demo accounts are, else the probe. */
export function firstCall(url: string, { DATABASE_URL = '', SEED_DEMO }: NodeJS.ProcessEnv): string {
  const [account] = demoAccounts;
  if (account === undefined || (DATABASE_URL !== '' && SEED_DEMO !== '1')) return `curl -s ${url}/readyz`;
  const body = JSON.stringify({ email: account.email, password: account.password });
  return `curl -s ${url}/v1/login -H 'Content-Type: application/json' -d '${body}'`;
}

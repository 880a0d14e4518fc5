import type { DemoAccount } from './demo-accounts.js';
import type { Logger } from './operations/logger.js';

/** Returns a function that announces start and stop. It prints plain lines when the log level hides them in the log. */
export function createAnnounce(logger: Logger): (...lines: string[]) => void {
  if (logger.isLevelEnabled('info')) return (...lines) => lines.forEach((line) => logger.info(line));
  return (...lines) => console.log(lines.join('\n'));
}

/**
 * Returns a command that works: a login if there is a demo account, otherwise a probe. On Windows it is for PowerShell. It
 * does not use curl there, because the versions of PowerShell pass quotes to programs in different ways.
 */
export function firstCall(url: string, [account]: readonly DemoAccount[]): string {
  const { platform } = process;
  const program = platform === 'win32' ? 'Invoke-RestMethod' : 'curl -s';
  if (account === undefined) return `${program} ${url}/readyz`;
  const body = JSON.stringify({ email: account.email, password: account.password });
  if (platform === 'win32') {
    return `${program} ${url}/v1/login -Method Post -ContentType application/json -Body '${body}'`;
  }
  return `${program} ${url}/v1/login -H 'Content-Type: application/json' -d '${body}'`;
}

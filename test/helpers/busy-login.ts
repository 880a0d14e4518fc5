import type { InMemoryUserStore } from '../../src/index.js';
import type { Answer } from './http.js';
import { until } from './until.js';

/**
 * Sends two logins, the second while the first waits for the store.
 * @returns the answer to the second login
 */
export async function logInWhileBusy(store: InMemoryUserStore, logIn: () => Promise<Answer>): Promise<Answer> {
  let release: (() => void) | undefined;
  store.findCredentials = () => new Promise((resolve) => (release = () => resolve(null)));
  const first = logIn();
  await until(() => release !== undefined);
  const answer = await logIn();
  release?.();
  await first;
  return answer;
}

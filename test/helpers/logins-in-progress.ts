import type { IncomingMessage } from 'node:http';
import type { Login, LoginResult } from '../../src/index.js';
import { IN_PROGRESS } from '../../src/login/admission.js';
import { AWA, PASSWORD } from './accounts.js';

/** Returns a request without a connection, like those of serverless adapters. */
export function requestFrom(ip: string): IncomingMessage {
  return { headers: {}, ip } as unknown as IncomingMessage;
}

/**
 * Starts as many logins as one address may have in progress. They are identical, so they need one place and one hash
 * computation. The test has to hold it.
 */
export function fillHalf(login: Login, ip: string, count = IN_PROGRESS.limit / 2): Promise<LoginResult>[] {
  return Array.from({ length: count }, () => {
    return login.attempt(requestFrom(ip), { identifier: AWA.email, password: PASSWORD });
  });
}

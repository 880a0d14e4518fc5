import type { ContractCase } from 'express-merchant-auth/testing';
import type { HostUnderTest } from './host-under-test.js';
import type * as Run from './run.js';

/** In milliseconds, before the repetitions of a check that fails. */
const PAUSES = [100, 200];

/**
 * Returns the rules of docs/interface.md and the answers of this package as test cases against an assembled host, with
 * its parsers, error handlers and proxy settings. Run them one after another, with any test runner. Messages say what
 * to change, and show the answer without passwords and tokens.
 *
 * A run logs in once for each merchant of each app or `baseUrl`, and twice for the first one. It fails at most ten
 * logins, which count for the limit of one source: run it rarely against one `baseUrl`. Give a host for tests: the
 * cases create, change and delete rows.
 * @param createHost returns a host, a new one or the same for each case
 */
export function authContract(createHost: () => Promise<HostUnderTest>): readonly ContractCase[] {
  // Loads express-merchant-auth, which the other functions of this package do not need.
  return (require('./run.js') as typeof Run).casesOf(createHost, PAUSES);
}

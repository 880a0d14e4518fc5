import { callAsync } from '../../errors/host-calls.js';
import { checkFunction, isFilledString } from '../../options/check-options.js';
import { caseOf, type ContractCase, leaveOutUnless } from '../left-out.js';
import { reasonOf, violation } from '../messages.js';
import { whileServed } from './exchange.js';
import { guardCases } from './guard-cases.js';
import type { HostUnderTest } from './host-under-test.js';
import { interfaceCases } from './interface-cases.js';
import { loginCases } from './login-cases.js';
import { ownershipCases } from './ownership-cases.js';
import { rowCases } from './row-cases.js';
import { setupCases } from './setup-cases.js';
import { createVisit, type HostCheck } from './visit.js';

const CASES = [interfaceCases, loginCases, guardCases, ownershipCases, rowCases, setupCases].flatMap((cases) =>
  Object.entries(cases),
);

/**
 * Returns the rules of docs/interface.md and the answers of this package as test cases against an assembled host, with
 * its parsers, error handlers, CORS, proxy settings and compression. Run the cases one after another with any test
 * runner. Each message says what to change, and shows the answer without passwords and tokens.
 *
 * Run the cases rarely against one `baseUrl`, because each run fails about 20 logins, which count for the limit of one
 * source. Give a host for tests, because the cases create transactions.
 * @param createHost returns a host, a new one or the same for each case
 * @throws TypeError when `createHost` is not a function
 */
export function authContract(createHost: () => Promise<HostUnderTest>): readonly ContractCase[] {
  checkFunction('authContract: createHost', createHost);
  return CASES.map(([name, check]) => caseOf(name, () => runCase(createHost, name, check)));
}

async function runCase(createHost: () => Promise<HostUnderTest>, name: string, check: HostCheck): Promise<void> {
  const host = await callAsync(createHost).catch((cause: unknown) => {
    throw violation(`createHost failed, so nothing was tested: ${reasonOf(cause)}.`, cause);
  });
  try {
    checkHost(host);
    const reason = host.leaveOut?.find((left) => left.case === name)?.reason;
    leaveOutUnless(reason === undefined, String(reason));
    await visiting(host, check);
  } finally {
    await host.close?.();
  }
}

/** @throws TypeError for a mistake in the description of the host */
function checkHost({ app, merchant, otherMerchant, leaveOut = [] }: HostUnderTest): void {
  if (otherMerchant?.referencl === merchant.referencl) {
    throw new TypeError('authContract: otherMerchant needs another referencl.');
  }
  if (app !== undefined && typeof app !== 'function') {
    throw new TypeError('authContract: app must be the Express app. In NestJS: app.getHttpAdapter().getInstance().');
  }
  for (const left of leaveOut) {
    if (!CASES.some(([name]) => name === left.case)) {
      throw new TypeError(`authContract: leaveOut names no case "${left.case}". Copy the whole name of the case.`);
    }
    if (!isFilledString(left.reason)) throw new TypeError(`authContract: leaveOut of "${left.case}" needs a reason.`);
  }
}

async function visiting(host: HostUnderTest, check: HostCheck): Promise<void> {
  const { app, baseUrl } = host;
  const visit = (url: string) => check(createVisit(host, url));
  if (baseUrl !== undefined && app === undefined) return visit(baseUrl);
  if (app !== undefined && baseUrl === undefined) return whileServed(app, visit);
  throw new TypeError('authContract: let createHost resolve to { app } or { baseUrl }, and not to both.');
}

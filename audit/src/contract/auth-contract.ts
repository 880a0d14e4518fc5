import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { caseOf, type ContractCase, leaveOutUnless, Violation } from 'express-merchant-auth/testing';
import type { Answer } from './answer.js';
import { reasonOf } from './demand.js';
import { guardCases } from './guard-cases.js';
import { checkEntries, type Found, findRoutes } from './host-routes.js';
import type { HostUnderTest } from './host-under-test.js';
import { interfaceCases } from './interface-cases.js';
import { listCases } from './list-cases.js';
import { loginCases } from './login-cases.js';
import { ownershipCases } from './ownership-cases.js';
import { routeCases } from './route-cases.js';
import { rowCases } from './row-cases.js';
import { setupCases } from './setup-cases.js';
import { createVisit } from './visit.js';

const CASES = [
  interfaceCases,
  loginCases,
  guardCases,
  ownershipCases,
  rowCases,
  routeCases,
  listCases,
  setupCases,
].flatMap((cases) => Object.entries(cases));
const NAMES = CASES.map(([name]) => name);

/**
 * Returns the rules of docs/interface.md and the answers of this package as test cases against an assembled host, with
 * its parsers, error handlers, CORS, proxy settings and compression. Run the cases one after another with any test
 * runner. Each message says what to change, and shows the answer without passwords and tokens.
 *
 * A run logs in once for each merchant of each app or `baseUrl`, and once more for each case on a second login. It fails
 * at most 30 logins, so run it rarely against one `baseUrl`, because they count for the limit of one source. Give a host
 * for tests, because the cases create, change and delete rows.
 * @param createHost returns a host, a new one or the same for each case
 * @throws TypeError when `createHost` is not a function
 */
export function authContract(createHost: () => Promise<HostUnderTest>): readonly ContractCase[] {
  if (typeof createHost !== 'function') throw new TypeError('authContract: createHost must be a function.');
  const logins = new Map<unknown, Map<string, Answer>>();
  const loginsAt = (key: unknown) => {
    const known = logins.get(key) ?? new Map<string, Answer>();
    logins.set(key, known);
    return known;
  };
  let reported: string | undefined;
  /** Reads the description of a host. One case fails for a mistake in it, and the others are left out with its text. */
  const routesOf = (host: HostUnderTest, name: string) => {
    try {
      return routesIn(host);
    } catch (error) {
      reported ??= name;
      leaveOutUnless(reported === name, reasonOf(error));
      throw error;
    }
  };
  return CASES.map(([name, check]) =>
    caseOf(name, async () => {
      const host = await hostOf(createHost);
      try {
        const found = routesOf(host, name);
        const reason = host.leaveOut?.[name];
        leaveOutUnless(reason === undefined, String(reason));
        await whileServed(host, (baseUrl) => check(createVisit(host, found, baseUrl, loginsAt(host.app ?? baseUrl))));
      } finally {
        await host.close?.();
      }
    }),
  );
}

async function hostOf(createHost: () => Promise<HostUnderTest>): Promise<HostUnderTest> {
  try {
    return await createHost();
  } catch (cause) {
    throw new Violation(`createHost failed, so nothing was tested: ${reasonOf(cause)}.`, { cause });
  }
}

/** @throws TypeError for a mistake in the description of the host */
function routesIn(host: HostUnderTest): Found {
  const { app, baseUrl, merchant, otherMerchant, resources = [] } = host;
  if (app !== undefined && typeof app !== 'function') {
    throw new TypeError('authContract: app must be the Express app. In NestJS: app.getHttpAdapter().getInstance().');
  }
  if (otherMerchant?.referencl === merchant.referencl) {
    throw new TypeError('authContract: otherMerchant needs another referencl.');
  }
  if (resources.some(({ read, create }) => !/^GET \/\S*$/.test(read) || typeof create !== 'function')) {
    throw new TypeError(
      "authContract: a resource is { read: 'GET /v1/payments/:id', create: async (as) => ({ id }) }.",
    );
  }
  const found = findRoutes(host);
  const { outdated } = found;
  if (outdated) throw new TypeError(`authContract: ${outdated.reason} ${outdated.fix}`);
  checkEntries(host, found, NAMES);
  if ((app === undefined) === (baseUrl === undefined)) {
    throw new TypeError('authContract: let createHost resolve to { app } or { baseUrl }, and not to both.');
  }
  return found;
}

/** Serves an app on loopback while `use` runs. */
async function whileServed({ app, baseUrl = '' }: HostUnderTest, use: (baseUrl: string) => Promise<void>) {
  if (app === undefined) return use(baseUrl);
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

import { whileServed } from '../ask/while-served.js';
import { caseOf, type ContractCase, leaveOutUnless, Violation } from 'express-merchant-auth/testing';
import type { Answer } from './answer.js';
import { askedCases } from './asked-cases.js';
import { type AskedHost, askHost } from './asked-host.js';
import { reasonOf } from './demand.js';
import { checkEntries, findRoutes } from './host-routes.js';
import type { HostUnderTest } from './host-under-test.js';
import { listCases } from './list-cases.js';
import { ourAnswers, REQUEST_NAMES } from './our-answers.js';
import { routeCases } from './route-cases.js';
import { rowCases } from './row-cases.js';
import { createVisit } from './visit.js';

const CASES = [ourAnswers, rowCases, askedCases, routeCases, listCases].flatMap((cases) => Object.entries(cases));
const NAMES = [...CASES.map(([name]) => name), ...REQUEST_NAMES];

export function casesOf(createHost: () => Promise<HostUnderTest>): readonly ContractCase[] {
  const logins = new Map<unknown, Map<string, Answer>>();
  const loginsAt = (key: unknown) => {
    const known = logins.get(key) ?? new Map<string, Answer>();
    logins.set(key, known);
    return known;
  };
  // All hosts of a run have the same routes, and one of them is asked.
  let asking: Promise<AskedHost> | undefined;
  let reported: string | undefined;
  /** Fails one case for a mistake in the description of a host, and leaves the others out with its text. */
  const describing = async <Result>(name: string, read: () => Result | Promise<Result>): Promise<Result> => {
    try {
      return await read();
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
        await describing(name, () => checkHost(host));
        await atAddressOf(host, async (baseUrl) => {
          const visitWith = (found = findRoutes(host)) =>
            createVisit(host, found, baseUrl, loginsAt(host.app ?? baseUrl));
          const found = await describing(name, async () => {
            asking ??= askHost(host, () => visitWith().tokenOf());
            const all = findRoutes(host, await asking);
            checkEntries(host, all, NAMES);
            return all;
          });
          const reason = host.leaveOut?.[name];
          leaveOutUnless(reason === undefined, String(reason));
          await check(visitWith(found));
        });
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
function checkHost({ app, baseUrl, merchant, otherMerchant, resources = [] }: HostUnderTest): void {
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
  if ((app === undefined) === (baseUrl === undefined)) {
    throw new TypeError('authContract: let createHost resolve to { app } or { baseUrl }, and not to both.');
  }
}

function atAddressOf({ app, baseUrl = '' }: HostUnderTest, use: (baseUrl: string) => Promise<void>): Promise<void> {
  return app === undefined ? use(baseUrl) : whileServed(app, use);
}

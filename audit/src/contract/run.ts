import { caseOf, type ContractCase, leaveOutUnless, Violation } from 'express-merchant-auth/testing';
import { whileServed } from '../ask/while-served.js';
import { type Answer, demand, reasonOf } from './answer.js';
import { type AskedHost, askHost } from './asked-host.js';
import { findRoutes } from './host-routes.js';
import type { HostUnderTest } from './host-under-test.js';
import { listCases } from './list-cases.js';
import { ourAnswers } from './our-answers.js';
import { routeCases } from './route-cases.js';
import { rowCases } from './row-cases.js';
import { createVisit } from './visit.js';

const CASES = Object.entries({ ...ourAnswers, ...rowCases, ...routeCases, ...listCases });

export function casesOf(createHost: () => Promise<HostUnderTest>, pauses: readonly number[]): readonly ContractCase[] {
  /** The good logins at each app or address, by email: hosts limit logins. */
  const logins = new Map<unknown, Map<string, Answer>>();
  // All hosts of a run have the same routes: one is asked.
  let asking: Promise<AskedHost> | undefined;

  return CASES.map(([name, check]) =>
    caseOf(name, async () => {
      const host = await createHost().catch((cause: unknown) => {
        throw new Violation(`createHost failed, so nothing was tested: ${reasonOf(cause)}.`, { cause });
      });
      const { app, baseUrl, leaveOut } = host;
      const known = logins.get(app ?? baseUrl) ?? new Map<string, Answer>();
      logins.set(app ?? baseUrl, known);
      const run = async (address: string) => {
        asking ??= askHost(host, () => createVisit(host, findRoutes(host), address, known).tokenOf());
        const found = findRoutes(host, await asking);
        const reason = leaveOut?.[name];
        leaveOutUnless(reason === undefined, String(reason));
        await check(createVisit(host, found, address, known), pauses);
      };
      try {
        demand((app === undefined) !== (baseUrl === undefined), 'Let createHost resolve to { app } or to { baseUrl }.');
        await (app ? whileServed(app, run) : run(String(baseUrl)));
      } finally {
        await host.close?.();
      }
    }),
  );
}

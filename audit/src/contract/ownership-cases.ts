import { MOUNT_LAST, demandOf, demandRefusal, summaryOf } from './answer.js';
import { FOREIGN } from './asked-host.js';
import { FOREIGN_REFERENCE, INVALID_BODY, MISSING_REFERENCE } from './codes.js';
import { demand } from './demand.js';
import type { HostCases, Transaction } from './visit.js';

const CHECK_OWNERSHIP =
  'Leave reference at "own", give one of the referenceNames of the guard as referenceName, mount no parser after the guard, ' +
  'and mount requireOwnReference() on the route.';

/** Puts a reference into different places of a good request. */
const PLACES: readonly ((good: object, name: string, referencl: string) => Transaction)[] = [
  (good, name, referencl) => ({ body: { ...good, [name]: referencl } }),
  (good, name, referencl) => ({ body: { ...good, data: { payment: [{ [name]: referencl }] } } }),
  (good, name, referencl) => ({ body: [good, { ...good, [name]: referencl }] }),
  (_good, name, referencl) => ({ query: `?${name}=${referencl}` }),
];

export const ownershipCases: HostCases = {
  '5.6 a reference of another merchant gets 403, in the body and in the query': async (visit) => {
    const { merchant, errors } = visit.host;
    for (const placing of PLACES) {
      const transactWith = (referencl: string) =>
        visit.transact(placing(visit.transactionWith(merchant.referencl), visit.referenceName, referencl));
      demandRefusal(await transactWith(FOREIGN), FOREIGN_REFERENCE, CHECK_OWNERSHIP);
      // In a format of the host, a 403 can have another reason.
      if (errors !== 'own') continue;
      const own = await transactWith(merchant.referencl);
      demandOf(
        own,
        own.status !== 403,
        `${own.request} got ${summaryOf(own)} with the own reference too, so the 403 for a foreign one proves nothing.`,
        'Let the route accept the own reference, and let no other check answer 403 here.',
      );
    }
  },
  '5.6 a transaction without the reference gets 400': async (visit) => {
    const answer = await visit.transact({ body: visit.transactionWith(undefined) });
    demandRefusal(answer, MISSING_REFERENCE, 'Mount requireOwnReference() on the route, before your own validation.');
  },
  'a body that is not JSON gets 400 as JSON, without what was sent': async (visit) => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await visit.transact({ body: '{"amount":"secret-4711', headers });
    demandRefusal(answer, INVALID_BODY, MOUNT_LAST);
    demand(
      !answer.text.includes('4711'),
      `The 400 of ${answer.request} quotes the body. Mount authErrorHandler() before every other error handler.`,
    );
  },
};

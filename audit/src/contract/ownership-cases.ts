import { leaveOutUnless } from 'express-merchant-auth/testing';
import { MOUNT_LAST, demandOf, demandPass, demandRefusal, summaryOf } from './answer.js';
import { FOREIGN } from './asked-host.js';
import { FOREIGN_REFERENCE, INVALID_BODY, INVALID_REFERENCE, MISSING_REFERENCE } from './codes.js';
import { demand } from './demand.js';
import type { TestMerchant } from './host-under-test.js';
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
  (_good, name, referencl) => ({ query: `?${'&'.repeat(1_000)}${name}=${referencl}` }),
  (_good, name, referencl) => ({ query: `?%${name.charCodeAt(0).toString(16)}${name.slice(1)}=${referencl}` }),
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
  '5.6 each merchant transacts for its own reference alone': async (visit) => {
    const { merchant, otherMerchant } = visit.host;
    leaveOutUnless(otherMerchant !== undefined, 'Give otherMerchant to test this.');
    const token = await visit.tokenOf(otherMerchant);
    const transactFor = ({ referencl }: TestMerchant) =>
      visit.transactAs(token, { body: visit.transactionWith(referencl) });
    demandRefusal(await transactFor(merchant), FOREIGN_REFERENCE, CHECK_OWNERSHIP);
    demandPass(await transactFor(otherMerchant), CHECK_OWNERSHIP);
  },
  '5.6 a transaction without the reference gets 400': async (visit) => {
    const answer = await visit.transact({ body: visit.transactionWith(undefined) });
    demandRefusal(answer, MISSING_REFERENCE, 'Mount requireOwnReference() on the route, before your own validation.');
  },
  '5.6 a reference that is not one string gets 400': async (visit) => {
    const { referenceName: name } = visit;
    const { referencl } = visit.host.merchant;
    const own = visit.transactionWith(referencl);
    const requests: readonly Transaction[] = [
      { body: { ...own, [name]: [referencl] } },
      { body: { ...own, [`${name}[]`]: referencl } },
      { query: `?${name}[]=${referencl}` },
      // PHP reads a dot as an underscore.
      { query: `?${name.replace(/_?(..)$/, '.$1')}=${referencl}` },
    ];
    for (const request of requests) {
      demandRefusal(await visit.transact(request), INVALID_REFERENCE, CHECK_OWNERSHIP);
    }
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

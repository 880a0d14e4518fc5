import { leaveOutUnless } from '../left-out.js';
import { demand } from '../messages.js';
import { demandOf, demandPass, demandRefusal, summaryOf } from './answer.js';
import type { TestMerchant } from './host-under-test.js';
import type { HostCases, Transaction } from './visit.js';

const CHECK_OWNERSHIP =
  'Leave reference at "own", mount no parser after the guard, and mount requireOwnReference() on the route.';

/** A reference that no merchant has. A reference of another merchant gets the same answer. */
const FOREIGN = 'OF-ANOTHER-MERCHANT';

/** Puts a reference into different places of a good request. */
const PLACES: readonly ((good: object, refercence_cl: string) => Transaction)[] = [
  (good, refercence_cl) => ({ body: { ...good, refercence_cl } }),
  (good, refercence_cl) => ({ body: { ...good, data: { payment: [{ refercence_cl }] } } }),
  (good, refercence_cl) => ({ body: [good, { ...good, refercence_cl }] }),
  (_good, refercence_cl) => ({ query: `?refercence_cl=${refercence_cl}` }),
  (_good, refercence_cl) => ({ query: `?${'&'.repeat(1_000)}refercence_cl=${refercence_cl}` }),
  (_good, refercence_cl) => ({ query: `?%72efercence_cl=${refercence_cl}` }),
];

export const ownershipCases: HostCases = {
  '5.6 a reference of another merchant gets 403, in the body and in the query': async (visit) => {
    const { merchant, transactions, errors } = visit.host;
    for (const placing of PLACES) {
      const transactWith = (referencl: string) =>
        visit.transact(placing(transactions.body(merchant.referencl), referencl));
      demandRefusal(await transactWith(FOREIGN), 'foreign_reference', CHECK_OWNERSHIP);
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
    const { merchant, otherMerchant, transactions } = visit.host;
    leaveOutUnless(otherMerchant !== undefined, 'Give otherMerchant to test this.');
    const token = await visit.tokenOf(otherMerchant);
    const transactFor = ({ referencl }: TestMerchant) =>
      visit.transactAs(token, { body: transactions.body(referencl) });
    demandRefusal(await transactFor(merchant), 'foreign_reference', CHECK_OWNERSHIP);
    demandPass(await transactFor(otherMerchant), CHECK_OWNERSHIP);
  },
  '5.6 a transaction without the reference gets 400': async (visit) => {
    demandRefusal(
      await visit.transact({ body: visit.host.transactions.body(undefined) }),
      'missing_reference',
      'Mount requireOwnReference() on the route, before your own validation.',
    );
  },
  '5.6 a reference that is not one string gets 400': async (visit) => {
    const {
      merchant: { referencl },
      transactions,
    } = visit.host;
    const own = transactions.body(referencl);
    const requests: readonly Transaction[] = [
      { body: { ...own, refercence_cl: [referencl] } },
      { body: { ...own, 'refercence_cl[]': referencl } },
      { query: `?refercence_cl[]=${referencl}` },
      { query: `?refercence.cl=${referencl}` },
    ];
    for (const request of requests) {
      demandRefusal(await visit.transact(request), 'invalid_reference', CHECK_OWNERSHIP);
    }
  },
  '5.6 a foreign reference in a form or in text does not reach a handler': async (visit) => {
    const body = `refercence_cl=${FOREIGN}&amount=1`;
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/octet-stream']) {
      const answer = await visit.transact({ body, headers: { 'Content-Type': type } });
      demandOf(
        answer,
        [400, 403, 415].includes(answer.status),
        `${answer.request} with a foreign reference as ${type} got ${summaryOf(answer)} in place of 400, 403 or 415.`,
        CHECK_OWNERSHIP,
      );
    }
  },
  'a body that is not JSON gets 400 as JSON, without what was sent': async (visit) => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await visit.transact({ body: '{"amount":"secret-4711', headers });
    demandRefusal(
      answer,
      'invalid_body',
      'Mount authErrorHandler() after all routes: it answers the failures of parsers too.',
    );
    demand(
      !answer.text.includes('4711'),
      `The 400 of ${answer.request} quotes the body. Mount authErrorHandler() before every other error handler.`,
    );
  },
};

import { leaveOutUnless } from '../left-out.js';
import { demand } from '../messages.js';
import { demandOf, demandPass, demandRefusal, summaryOf } from './answer.js';
import type { HostCases, Transaction, Visit } from './visit.js';

const CHECK_OWNERSHIP =
  'Leave reference at "own", mount no parser after the guard, and mount requireOwnReference() on the route.';

/** A reference that no merchant has. A reference of another merchant gets the same answer. */
const FOREIGN = 'OF-ANOTHER-MERCHANT';

/** Returns requests with a foreign reference in different places. The rest of each request is good. */
function hidingPlaces(own: object, foreign: string): readonly Transaction[] {
  return [
    { body: { ...own, refercence_cl: foreign } },
    { body: { ...own, data: { payment: [{ refercence_cl: foreign }] } } },
    { body: [own, { ...own, refercence_cl: foreign }] },
    { query: `?refercence_cl=${foreign}` },
    { query: `?${'&'.repeat(1_000)}refercence_cl=${foreign}` },
    { query: `?%72efercence_cl=${foreign}` },
  ];
}

/**
 * Checks that a request with a foreign reference is refused. In a format of the host's own, a 403 can have another
 * reason, so the same request with the own reference must not get it.
 */
async function demandForeign(visit: Visit, token: string, requestFor: (referencl?: string) => Transaction) {
  demandRefusal(await visit.transact(token, requestFor(FOREIGN)), 'foreign_reference', CHECK_OWNERSHIP);
  if (visit.host.errors !== 'own') return;
  const own = await visit.transact(token, requestFor());
  demandOf(
    own,
    own.status !== 403,
    `${own.request} got ${summaryOf(own)} with the own reference too, so the 403 for a foreign one proves nothing.`,
    'Let the route accept the own reference, and let no other check answer 403 here.',
  );
}

export const ownershipCases: HostCases = {
  '5.6 a reference of another merchant gets 403, in the body and in the query': async (visit) => {
    const { merchant, transactions } = visit.host;
    const token = await visit.tokenOf(merchant);
    const places = (referencl = merchant.referencl) => hidingPlaces(transactions.body(merchant.referencl), referencl);
    for (const index of places().keys())
      await demandForeign(visit, token, (referencl) => places(referencl)[index] ?? {});
  },
  '5.6 each merchant transacts for its own reference alone': async (visit) => {
    const { merchant, otherMerchant } = visit.host;
    leaveOutUnless(otherMerchant !== undefined, 'Give otherMerchant to test this.');
    const token = await visit.tokenOf(otherMerchant);
    demandRefusal(await visit.transact(token, { referencl: merchant.referencl }), 'foreign_reference', CHECK_OWNERSHIP);
    demandPass(await visit.transact(token, { referencl: otherMerchant.referencl }), CHECK_OWNERSHIP);
  },
  '5.6 a transaction without the reference gets 400': async (visit) => {
    const { merchant, transactions } = visit.host;
    const body = transactions.body(undefined);
    demandRefusal(
      await visit.transact(await visit.tokenOf(merchant), { body }),
      'missing_reference',
      'Mount requireOwnReference() on the route, before your own validation.',
    );
  },
  '5.6 a reference that is not one string gets 400': async (visit) => {
    const { merchant, transactions } = visit.host;
    const own = transactions.body(merchant.referencl);
    const token = await visit.tokenOf(merchant);
    const places: readonly Transaction[] = [
      { body: { ...own, refercence_cl: [merchant.referencl] } },
      { body: { ...own, 'refercence_cl[]': merchant.referencl } },
      { query: `?refercence_cl[]=${merchant.referencl}` },
      { query: `?refercence.cl=${merchant.referencl}` },
    ];
    for (const place of places) {
      demandRefusal(await visit.transact(token, place), 'invalid_reference', CHECK_OWNERSHIP);
    }
  },
  '5.6 a foreign reference in a form or in text does not reach a handler': async (visit) => {
    const token = await visit.tokenOf(visit.host.merchant);
    const body = `refercence_cl=${FOREIGN}&amount=1`;
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/octet-stream']) {
      const answer = await visit.transact(token, { body, headers: { 'Content-Type': type } });
      demandOf(
        answer,
        [400, 403, 415].includes(answer.status),
        `${answer.request} with a foreign reference as ${type} got ${summaryOf(answer)} in place of 400, 403 or 415.`,
        CHECK_OWNERSHIP,
      );
    }
  },
  'a body that is not JSON gets 400 as JSON, without what was sent': async (visit) => {
    const token = await visit.tokenOf(visit.host.merchant);
    const headers = { 'Content-Type': 'application/json' };
    const answer = await visit.transact(token, { body: '{"amount":"secret-4711', headers });
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

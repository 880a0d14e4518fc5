import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Resource } from '../../src/index.js';
import { AWA, KOFI } from '../../../test/helpers/accounts.js';
import { FOREIGN_REFERENCE } from '../../../test/helpers/answers.js';
import { outcomeOfCase } from '../contract.js';
import {
  aliasing,
  caching,
  DOCUMENTS,
  documents,
  HEADER,
  noting,
  RECEIPTS,
  receipts,
  refunding,
  REFUNDS,
  VOUCHERS,
  vouchers,
} from './row-routes.js';
import {
  type Asked,
  countingForEach,
  hostWith,
  note,
  PATH,
  returning,
  type Row,
  show,
  status,
  testServedHosts,
  TRANSACTIONS,
} from '../hosts.js';

const CASE = '5.6 a row of';
const [GET, PATCH] = [`GET ${PATH}`, `PATCH ${PATH}`];
const FIND =
  'Find the row by its id and by merchantOf(req).referencl, answer 404 when there is none, and keep no answer in a cache for all callers.';
const PARTY = 'If otherMerchant is a party of the row, let create name a third merchant there.';
const MOVED = 'in the body moved the row to it. Take the merchant from merchantOf(req), never from the body.…';
const TELLS = 'an id that nobody has, which tells that the row exists.';
const asked = (route: string, names = 'id') => `${route} of otherMerchant with the ${names} of merchant got`;
const got200 = (route: string, names?: string) => `${asked(route, names)} 200. ${FIND} ${PARTY}…`;
const own = (route: string) =>
  `${route} of otherMerchant for its own row showed the reference, the email or an id of merchant. ${FIND}…`;
const changed = (route: string) =>
  `${route} of otherMerchant changed the row of merchant: ${GET}.body.transaction.note. ${FIND}`;

/** Finds the first row with the number of an own one. */
const firstOf = ({ own, any }: Asked) => own && any;
const withNewNote = (row: Row | undefined) => show(row && Object.assign(row, { note: randomUUID() }));
/** Gives a host another `create`. */
const creating = (create: Resource['create']) => ({ resources: [{ ...TRANSACTIONS, create }] });

describe('the case of rows is red, and says what to change', () => {
  let requests = 0;
  let seeded: Row[] = [];

  testServedHosts(CASE, {
    'a row that is found by its id alone': { serves: { [GET]: ({ any }) => show(any) }, says: got200(GET) },
    'a status that tells that the row exists': {
      serves: { [GET]: ({ foreign }) => foreign && status(403, { error: 'forbidden' }) },
      says: `${asked(GET)} 403 forbidden, and 404 not_found with ${TELLS} ${FIND} If ids cannot be guessed, write hides: false beside read: '${GET}'.…`,
    },
    'a member that only a row that exists has': {
      serves: { [GET]: ({ foreign }) => foreign && status(404, { error: 'not_found', trace: randomUUID() }) },
      says: `${asked(GET)} 404 not_found, and its trace differs from the answer for ${TELLS} ${FIND}…`,
    },
    'a text about the id that tells that the row exists': {
      serves: {
        [GET]: ({ own, any, req }) =>
          own ? undefined : status(404, { text: `${req.params['id']} is ${any ? 'not yours' : 'not there'}.` }),
      },
      says: `${asked(GET)} 404, and its text differs from the answer for ${TELLS} ${FIND}…`,
    },
    'the reference of its owner in a refusal that differs each time': {
      serves: {
        [GET]: ({ own, any }) => (own ? undefined : status(404, { text: `${any?.refercence_cl} ${randomUUID()}` })),
      },
      says: `${asked(GET)} 404, with the reference or another id of merchant. ${FIND}…`,
    },
    'an id in a header': {
      serves: { 'GET /v1/receipt': ({ any }) => show(any) },
      routes: HEADER,
      says: got200('GET /v1/receipt'),
    },
    'a refund of another merchant, with its transaction': {
      serves: refunding(['id', 'refund'], false),
      resources: [REFUNDS],
      says: got200(REFUNDS.read, 'id and refund'),
    },
    'a refund of another merchant, with an own transaction': {
      serves: refunding(['refund'], false),
      resources: [REFUNDS],
      says: got200(REFUNDS.read, 'refund'),
    },
    'a row that is found by its number alone, where the caller has that number too': {
      newId: countingForEach(),
      serves: { [GET]: (asked) => show(firstOf(asked)) },
      says: own(GET),
    },
    'the same of a table that keeps one row for each number': {
      newId: countingForEach(),
      serves: { [GET]: ({ own, all }) => show(own && all.findLast(({ id }) => id === own.id)) },
      says: own(GET),
    },
    'a change of the row that is found by its number alone, where the caller has that number too': {
      newId: countingForEach(),
      serves: { [PATCH]: (asked) => withNewNote(firstOf(asked)) && {} },
      says: `${PATCH} of otherMerchant changed the row of merchant: ${GET} (2).body.transaction.note. ${FIND}`,
    },
    'an own row with the rows of all merchants beside it': {
      serves: { [`${GET}/related`]: ({ own, all }) => own && all.map(({ id }) => ({ id })) },
      says: own(`${GET}/related`),
    },
    'app.all with a hole in POST': {
      serves: {
        [`ALL ${PATH}/reminder`]: ({ req: { method }, own, any }) =>
          /^(?:GET|POST)$/.test(method) ? show(method === 'POST' ? any : own) : 405,
      },
      says: got200(`POST ${PATH}/reminder`),
    },
    'app.all that serves no method': {
      serves: { [`ALL ${PATH}/reminder`]: () => 405 },
      says: `GET /v1/transactions/…/reminder of otherMerchant for its own row got 405, so the test of ALL ${PATH}/reminder proves nothing. …`,
    },
    'a change that is made before its merchant is checked': {
      serves: { [PATCH]: ({ own, any }) => withNewNote(any) && show(own) },
      says: changed(PATCH),
    },
    'a list below a row, which create leaves empty': {
      serves: { [`GET ${PATH}/refunds`]: () => ({ data: [] }) },
      says: `GET ${PATH}/refunds answers merchant for its own row as for an id that nobody has, so the test proves nothing. Let create of ${GET} make what it shows, or write leaveOut: { 'GET ${PATH}/refunds': 'the reason' }.`,
    },
    'a change of a row that only a list shows': {
      serves: documents(undefined, () => true),
      resources: [DOCUMENTS],
      routes: noting('PATCH /v1/documents/:id'),
      says: `${asked('PATCH /v1/documents/:id')} 204. ${FIND}…`,
    },
    'a change that shows nowhere, so the test proves nothing': {
      serves: { [`PUT ${PATH}`]: ({ own }) => show(own) },
      says: `PUT ${PATH} of the owner changed nothing that ${GET} shows, so the test proves nothing. Write a body that changes the row: routes: { 'PUT ${PATH}': { body: { ... } } }. Or give a resource whose read shows it.`,
    },
    'a DELETE that shows nowhere': {
      serves: { [`DELETE ${PATH}`]: ({ own }) => show(own) },
      says: `DELETE ${PATH} of the owner changed nothing that ${GET} shows, so the test proves nothing. Give a resource whose read shows it.`,
    },
    'the same under another name, which the guard does not look at': {
      serves: {
        [PATCH]: (asked) => {
          const { own, body } = asked;
          if (own) own.refercence_cl = body['merchant'] ?? own.refercence_cl;
          return note(asked, own) && {};
        },
        [GET]: ({ own, all }) => own && { data: { merchant: own.refercence_cl, note: own.note, rows: all.length } },
      },
      routes: noting(PATCH),
      says: `${PATCH} with the value of otherMerchant as merchant ${MOVED}`,
    },
    'the same under refercence_cl, where the guard checks another name': {
      ...aliasing({ [PATCH]: ({ own, body }) => own && Object.assign(own, body) && {} }),
      routes: noting(PATCH),
      says: `${PATCH} with the value of otherMerchant as refercence_cl ${MOVED}`,
    },
    'a row that is made for the merchant that the body names': {
      serves: vouchers(({ accountId }, own) => accountId ?? own),
      resources: [VOUCHERS],
      says: 'create of GET /v1/vouchers/:id for otherMerchant made a row of merchant, whose value the body had as accountId. Take…',
    },
    'a row that create makes below one of another merchant': {
      serves: receipts(({ all }, id) => all.some((row) => row.id === id)),
      resources: [RECEIPTS],
      says: `POST /v1/receipts of otherMerchant with the of.id of merchant got 201. ${FIND}`,
    },
    'the same where create returns the id of a row that no request has made': {
      mount: (_app, all) => (seeded = all),
      serves: receipts(({ all }, id) => all.some((row) => row.id === id)),
      resources: [
        {
          ...RECEIPTS,
          async create(as) {
            const id = randomUUID();
            seeded.push({ id, refercence_cl: as.referencl });
            const made = (await as.send('POST /v1/receipts', { of: { id }, kind: 'paid' })) as { receipt: string };
            return { ...made, id };
          },
        },
      ],
      says: `POST /v1/receipts of otherMerchant with the of.id of merchant got 201. …`,
    },
    'a cache before the guard, for the other merchant': {
      before: caching((authorization) => authorization !== undefined),
      says: got200(GET),
    },
    'a cache before the guard, for a caller without a token': {
      before: caching((authorization) => authorization === undefined),
      says: `${GET} without a token got 200 after its owner had read it. ${FIND}`,
    },
    'a request that the owner may not send, so the test proves nothing': {
      serves: { [PATCH]: () => status(422, { error: 'state_missing' }) },
      says: `PATCH /v1/transactions/… of otherMerchant for its own row got 422 state_missing, so the test of ${PATCH} proves nothing. Write what the route needs: routes: { '${PATCH}': { body: { ... } } }. Or leave it out: leaveOut: { '${PATCH}': 'the reason' }.…`,
    },
    'a limiter': {
      serves: { [GET]: () => ((requests += 1) > 2 ? 429 : undefined) },
      says: 'GET /v1/transactions/… got 429. A limiter refused it: …',
    },
    'create that fails, without the password': {
      ...creating((as) => Promise.reject(new Error(`no row for ${as.password}`))),
      says: `create of ${GET} failed: no row for <password>.`,
    },
    'create that sends what the route refuses': {
      ...creating((as) => as.send('POST /v1/transactions', { refercence_cl: 'X' }) as Promise<{ id: string }>),
      says: `POST /v1/transactions for otherMerchant got 403 ${FOREIGN_REFERENCE}. Let create send what the route accepts, different each time.…`,
    },
    'create that returns nothing': {
      ...creating(() => Promise.resolve(undefined as never)),
      says: `${GET} takes no value that create returns, so the test proves nothing. Let create return each parameter of read, …`,
    },
    'create that returns no value for an id, because the answer has it elsewhere': {
      ...creating(async (as) => {
        const { data } = (await as.send('POST /v1/transactions', { refercence_cl: as.referencl })) as { data: never };
        return { id: data };
      }),
      says: `create of ${GET} returned no value for id. Read it from the answer: as.send resolves to its parsed body, for example { data: { id } }.`,
    },
    'create that makes no row of the owner': {
      ...creating(async (as) => (as.email === AWA.email ? { id: randomUUID() } : TRANSACTIONS.create(as))),
      says: `GET /v1/transactions/… of merchant for its own row got 404 not_found, so the test of ${GET} proves nothing. …`,
    },
    'create that gives both merchants one id': {
      resources: [returning(() => ({ id: '7' }))],
      says: `GET /v1/transactions/7 of otherMerchant for its own row got 404 not_found, so the test of ${GET} proves nothing. …`,
    },
    'rows of which both merchants have the same ids': {
      newId: () => 7,
      serves: { [GET]: () => ({}) },
      says: `create of ${GET} gave both merchants the same id. Let it make a new row each time. Or leave ${GET} out, if it takes no id of a row.`,
    },
  });
});

describe('the case of rows', () => {
  testServedHosts(CASE, {
    'is left out without another merchant': {
      otherMerchant: undefined as never,
      says: 'left out: Give otherMerchant to test this.',
    },
    'is left out without a route': {
      leaveOut: { [GET]: 'A receipt is public.' },
      says: 'left out: No route of a resource is behind a guard, so no row was asked for.',
    },
  });

  it('gives create the parsed answers to its requests, which have the headers that it gives', async () => {
    const seen: unknown[] = [];
    const create: Resource['create'] = async (as) => {
      const { id = '' } = await TRANSACTIONS.create(as);
      seen.push(await as.send(`GET /v1/transactions/${id}`, undefined, { 'X-Shop': as.referencl }));
      return { id };
    };
    const answer = ({ req }: Asked) => ({ shop: req.get('X-Shop'), key: req.get('Idempotency-Key') });
    await outcomeOfCase(CASE, hostWith({ serves: { [GET]: answer }, ...creating(create) }));
    expect(seen[0]).to.deep.equal({ shop: KOFI.marchand.referencl });
  });
});

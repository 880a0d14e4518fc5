import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { FRAMEWORK } from '../../../test/helpers/on-each-express.js';
import { authContract } from '../../src/index.js';
import { outcomeOf } from '../contract.js';
import {
  DOCUMENTS,
  documents,
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
  type Routes,
  show,
  status,
  testServedHosts,
  TRANSACTIONS,
} from '../hosts.js';

const CASE = '5.6 a row of';
const [GET, PATCH] = [`GET ${PATH}`, `PATCH ${PATH}`];
const ownReference = FRAMEWORK.auth.requireOwnReference();

const change = (asked: Asked) => note(asked, asked.own);
const remove = ({ own, all }: Asked) => own && all.splice(all.indexOf(own), 1);
/** Returns the routes of settings of a row, which its `read` does not show. */
const settings = (method: 'GET' | 'ALL'): Routes => {
  const answer = ({ req, own, kept, body }: Asked) => {
    if (own && req.method === 'PUT') kept.set(own, body);
    return /^(?:GET|PUT)$/.test(req.method) ? own && { settings: kept.get(own) ?? null } : 405;
  };
  return { [`${method} ${PATH}/settings`]: answer, ...(method === 'GET' && { [`PUT ${PATH}/settings`]: answer }) };
};

describe('the case of rows passes for a right host', () => {
  let number = 16;
  const count = () => (number += 1);
  const numberOf = countingForEach();
  const times = [2, 2];
  /** The time of the first refusal. A fixed time of the file would be too old when the suites before take a minute. */
  let start: number | undefined;
  let misses = 0;
  let made: Row[] = [];

  testServedHosts(CASE, {
    'with another name for a row where it is changed than where it is read': {
      serves: {
        'GET /v1/notes/:name': ({ req, mine }) => show(mine.find(({ id }) => req.params['name'] === `name-${id}`)),
        'PATCH /v1/notes/:noteId': (asked) =>
          note(
            asked,
            asked.mine.find(({ id }) => String(id) === asked.req.params['noteId']),
          ),
      },
      resources: [
        {
          read: 'GET /v1/notes/:name',
          async create(as) {
            const { id = '' } = await TRANSACTIONS.create(as);
            return { name: `name-${id}`, noteId: id };
          },
        },
      ],
      routes: noting('PATCH /v1/notes/:noteId'),
      leaveOut: { [GET]: 'Another one reads the row.' },
    },
    'with ids that are numbers, and the next one in the answer': {
      newId: count,
      serves: { [GET]: ({ own }) => own && { next: Number(own.id) + 1 } },
    },
    'that changes and deletes rows': {
      serves: { [PATCH]: change, [`DELETE ${PATH}`]: remove, [`POST ${PATH}/reminder`]: ({ own }) => show(own) },
      routes: noting(PATCH),
    },
    'that answers each refusal with 403, a time, a number and the path': {
      serves: {
        [GET]: ({ own, req }) =>
          own ? undefined : status(403, { at: new Date(), request: count(), path: req.originalUrl }),
      },
    },
    'that answers 200 with success: false for each row that is not there': {
      serves: { [GET]: ({ own }) => (own ? undefined : { success: false }) },
    },
    'whose ids cannot be guessed, with 403 for a row of another merchant': {
      serves: { [GET]: ({ foreign }) => foreign && status(403, { error: 'forbidden' }) },
      resources: [{ ...TRANSACTIONS, hides: false }],
    },
    'whose ids have a form that a made-up one does not have': {
      newId: () => String(1000 + count()),
      before: (req, res, next) => (/\/transactions\/(?!\d{4}$)/.test(req.url) ? void res.sendStatus(400) : next()),
    },
    'whose path has a kind beside the id, which each merchant has': {
      serves: {
        [`${GET}/documents/:kind`]: ({ own, req }) => {
          const { kind } = req.params;
          if (kind === 'receipt' && own) return { kind };
          return status(404, { error: kind === 'receipt' ? 'not_found' : 'unknown_kind' });
        },
      },
      resources: [{ ...returning(() => ({ kind: 'receipt' })), read: `${GET}/documents/:kind` }],
    },
    'with a body that fits the rows of one resource alone': {
      serves: { 'POST /v1/lookup': ({ own }) => show(own) },
      resources: [{ read: 'GET /v1/shops/:shop', create: () => Promise.resolve({ shop: 'S1' }) }, TRANSACTIONS],
      leaveOut: { 'GET /v1/shops/:shop': 'The host has no such route.' },
      routes: { 'POST /v1/lookup': { body: ({ id }) => ({ id: (id as string).trim() }) } },
    },
    'that tells its time in a number of few values': {
      serves: { [GET]: ({ own, any }) => (own ? undefined : status(404, { took_ms: (any && times.shift()) ?? 1 })) },
    },
    'whose refusals have times and numbers that are the same for some time': {
      serves: {
        [GET]: ({ own, any }) =>
          own
            ? undefined
            : status(404, { at: new Date((start ??= Date.now()) + (any ? 0 : 1_000)), minute: (misses += 1) > 1 }),
      },
    },
    'with a POST that hides the row': { serves: { [`POST ${PATH}/archive`]: remove } },
    'with long ids that each merchant counts, and the own rows beside a row': {
      newId: (referencl) => `INV-${1000 + numberOf(referencl)}`,
      serves: { [`${GET}/related`]: ({ own, mine }) => own && mine },
    },
    'that takes no merchant of a new row from the body': {
      serves: vouchers((_body, own) => own),
      resources: [VOUCHERS],
    },
    'that refuses a body with another member': {
      serves: vouchers((body, own) => ('accountId' in body ? undefined : own)),
      resources: [VOUCHERS],
    },
    'with app.all that changes and shows a part of a row': { serves: settings('ALL') },
    'with settings of a row at another path': { serves: settings('GET') },
    'with app.all that serves two methods': {
      serves: {
        [`ALL ${PATH}`]: (asked) => {
          const { method } = asked.req;
          return method === 'DELETE' ? remove(asked) : method === 'GET' ? undefined : 405;
        },
      },
    },
    'with refunds that each transaction counts': {
      serves: refunding(['id', 'refund', 'refercence_cl'], true),
      resources: [TRANSACTIONS, REFUNDS],
    },
    'that takes the id in a body, in a query and behind requireOwnReference()': {
      serves: {
        'POST /v1/lookup': [ownReference, ({ own }) => show(own)],
        'GET /v1/receipt': [ownReference, ({ own }) => show(own)],
      },
      routes: {
        'POST /v1/lookup': { body: ({ id, refercence_cl }) => ({ id, refercence_cl }) },
        'GET /v1/receipt': { query: ({ id, refercence_cl }) => ({ id, refercence_cl }) },
      },
    },
    'with rows that only a list shows, and a change of them': {
      serves: documents(),
      resources: [DOCUMENTS],
      routes: noting('PATCH /v1/documents/:id'),
    },
    'with a change that takes no merchant from the body': {
      serves: {
        [PATCH]: change,
        [GET]: ({ own }) => own && { id: own.id, account: { id: own.refercence_cl }, note: own.note },
      },
      routes: noting(PATCH),
    },
    'with a strict schema, whose body is sent as the entry gives it': {
      serves: {
        'POST /v1/avatar': [
          (req, res, next) =>
            Object.keys(req.body as object).join() === 'user,url' ? next() : void res.sendStatus(400),
          ({ body, me, mine }) => {
            if (body['user'] !== me) return 403;
            for (const row of mine) row.note = body['url'];
            return {};
          },
        ],
      },
      resources: [returning((as) => ({ user: as.referencl }))],
      routes: { 'POST /v1/avatar': { body: ({ user }) => ({ user, url: 'https://x.example/1.png' }) } },
    },
    'with a row below one of its merchant': {
      serves: receipts(({ mine }, id) => mine.some((row) => row.id === id)),
      resources: [RECEIPTS],
    },
    'with the same ids of each merchant below a row': {
      newId: numberOf,
      serves: receipts(({ mine }, id) => mine.some((row) => row.id === id)),
      resources: [RECEIPTS],
    },
    'that takes each id below a row': { serves: receipts(() => true), resources: [RECEIPTS] },
    'with a row below another one, which is left out': {
      serves: receipts(({ all }, id) => all.some((row) => row.id === id)),
      resources: [RECEIPTS],
      leaveOut: { 'POST /v1/receipts': 'A receipt is of anybody.' },
    },
    'whose rows are made without a request': {
      mount: (_app, all) => (made = all),
      resources: [
        {
          ...TRANSACTIONS,
          create: ({ referencl }) => {
            made.push({ id: randomUUID(), refercence_cl: referencl });
            return Promise.resolve({ id: made.at(-1)?.id ?? '' });
          },
        },
      ],
    },
  });

  it('whose first rows change by themselves, after the pauses of authContract', async () => {
    const reads = new Map<unknown, number>();
    const serves: Routes = {
      [PATCH]: change,
      [GET]({ own, all }) {
        reads.set(own, (reads.get(own) ?? 0) + 1);
        return own && { ...own, state: all.indexOf(own) < 6 && Number(reads.get(own)) < 5 ? 'pending' : 'paid' };
      },
    };
    const host = hostWith({ serves, routes: noting(PATCH) });
    const found = authContract(() => Promise.resolve(host)).find(({ name }) => name.startsWith(CASE));
    expect(await outcomeOf(found ?? expect.fail())).to.equal('passed');
  });
});

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { AWA, KOFI } from '../../../test/helpers/accounts.js';
import { freezeTime } from '../../../test/helpers/frozen-time.js';
import { until } from '../../../test/helpers/until.js';
import { outcomeOfCase } from '../contract.js';
import { accountOf, caching, DOCUMENTS, documents } from './row-routes.js';
import {
  type Asked,
  countingForEach,
  hostWith,
  PATH,
  returning,
  type Row,
  type Routes,
  servedHostWith,
  show,
  testHosts,
  testServedHosts,
  TRANSACTIONS,
} from '../hosts.js';

const CASE = '5.6 a list';
const LIST = 'GET /v1/list';
const PARENT = 'GET /v1/transactions';
const SELECT = 'Select the rows by merchantOf(req).referencl, and keep no answer in a cache for all callers.';
/** Returns the message on a list, or on one of its queries. */
const leak = (what = 'id of a new row', list = LIST, query = '') =>
  `${list}${query && ` with ${query}`} showed otherMerchant the ${what} of merchant. ${SELECT} If merchants may see them, write leaveOut: { '${list}': 'the reason' }.…`;
const filtered = (query: string) => leak(undefined, LIST, query);
const instead = (caller: string, owner: string) =>
  `${LIST} showed ${caller} the id of a row of ${owner}, and no own row. ${SELECT}`;
const idsOf = (rows: readonly { readonly id: unknown }[]) => rows.map(({ id }) => ({ id }));
/** Returns a list that is read once, for its first reader. */
const keptList = () => {
  let kept: object | undefined;
  return ({ mine }: Asked) => (kept ??= idsOf(mine));
};
/** Returns the routes of rows that show the email of their owner, and of a list that trusts it as a filter. */
const named = (isRefused: (names: readonly string[]) => boolean): Routes => {
  const ownerOf = (referencl: string) => (referencl === AWA.marchand.referencl ? AWA : KOFI).email;
  return {
    [`GET ${PATH}`]: ({ own }) => own && { id: own.id, shop: ownerOf(own.refercence_cl) },
    [LIST]: ({ req: { query }, all, me }) => {
      const { shop = ownerOf(me), id } = query;
      const ofShop = all.filter((row) => ownerOf(row.refercence_cl) === shop && (id ?? row.id) === row.id);
      return isRefused(Object.keys(query)) ? 422 : idsOf(ofShop);
    },
  };
};
/** Returns the routes of rows with an account in place of the reference, and of a list that can trust a filter. */
const ledger = (trusted?: string): Routes => {
  return {
    [`GET ${PATH}`]: ({ own }) => own && { id: own.id, accountId: accountOf(own.refercence_cl) },
    [LIST]: ({ req: { query }, all, me }) => {
      const account = trusted && query[trusted] ? Number(query[trusted]) : accountOf(me);
      return idsOf(all.filter(({ refercence_cl }) => accountOf(refercence_cl) === account));
    },
  };
};

describe('authContract reads each list as both merchants', () => {
  let number = 16;
  let requests = 0;
  const count = () => (number += 1);
  const numberOf = countingForEach();
  const stale = [{ id: randomUUID() }];
  const partners = [{ referencl: AWA.marchand.referencl }];

  describe('passes for a list with', () => {
    testServedHosts(CASE, {
      'a counter that is an id by chance': {
        newId: count,
        serves: { [LIST]: ({ all }) => ({ requests: (requests += 1) % 2 === 0 ? all.at(-1)?.id : 0 }) },
      },
      'a time, beside a number that is an id by chance': {
        newId: count,
        serves: {
          [LIST]: ({ all }) => ({ at: new Date(Date.now() + all.length * 1_000), size: Number(all[1]?.id) + 1 }),
        },
      },
      'the references of all partners, which refuses an unknown query': {
        serves: { [LIST]: ({ req }) => (Object.keys(req.query).length > 0 ? 400 : partners) },
      },
      'the references of all partners, with the time': {
        serves: { [LIST]: ({ all }) => ({ at: all.length, partners }) },
      },
      'a fee that begins as an id': {
        newId: count,
        serves: { [LIST]: ({ all }) => ({ fee: `${String(all.at(-1)?.id)}.25` }) },
      },
      'own rows with a value that both merchants have': {
        serves: {
          [LIST]: ({ req: { query }, mine }) =>
            mine.map(({ id }) => ({ id, kind: 'mobile_money', ...(query['id'] && { of: ['mobile_money'] }) })),
        },
        resources: [returning(() => ({ kind: 'mobile_money' }))],
      },
      'a partner on each page': {
        serves: {
          [LIST]: ({ req: { query } }) =>
            [AWA, KOFI][Number(query['page'] ?? query['offset'] ?? 0) % 2]?.marchand ?? {},
        },
      },
      'the filters with which it was asked': {
        serves: { ...named(() => false), [LIST]: ({ req, mine }) => ({ filters: req.query, rows: idsOf(mine) }) },
      },
      'a filter that it ignores': { serves: ledger() },
      'ids that each merchant counts': {
        newId: (referencl) => `INV-${1000 + numberOf(referencl)}`,
        serves: { [PARENT]: ({ mine }) => idsOf(mine), [LIST]: () => stale },
      },
      'the reference of a partner, which create returns too': {
        serves: { [LIST]: () => [AWA.marchand.referencl] },
        resources: [returning((as) => ({ shop: as.referencl }))],
      },
      'rows that only it shows': { serves: documents(), resources: [DOCUMENTS] },
    });
  });

  describe('is red for a list with', () => {
    testServedHosts(CASE, {
      'their short ids beside a number that differs each time': {
        newId: count,
        serves: { [LIST]: ({ all }) => ({ at: Math.random(), ids: all.map(({ id }) => id) }) },
        says: leak(),
      },
      'a query that takes an id of the caller, and that shows more': {
        serves: { [LIST]: ({ own, all }) => own && all },
        routes: { [LIST]: { query: ({ id }) => ({ id: String(id) }) } },
        says: leak(),
      },
      'a refusal, because it needs a query': {
        serves: { [LIST]: () => 400 },
        says: "GET /v1/list for merchant got 400, so its rows were not seen. Write its query: routes: { 'GET /v1/list': { query: { ... } } }. Or write leaveOut: { 'GET /v1/list': 'the reason' }.…",
      },
      'the accounts, with their emails': {
        serves: { [LIST]: () => [AWA, KOFI].map(({ email }) => ({ email })) },
        says: leak('email'),
      },
      'a filter that it trusts, where another member has seventy values': {
        serves: {
          ...ledger('accountId'),
          [`GET ${PATH}`]: ({ own }) => {
            const accountId = own && accountOf(own.refercence_cl);
            const contacts = Array.from({ length: 70 }, (_, index) => ({ name: `${accountId}-${index}` }));
            return own && { id: own.id, contacts, accountId };
          },
        },
        says: filtered('accountId=501'),
      },
      'a filter by the email of the owner, which another filter excludes': {
        serves: named(() => false),
        says: filtered('shop=awa%40boutique.example'),
      },
      'a filter, beside which it refuses each other name': {
        serves: named((names) => names.some((name) => name !== 'shop')),
        says: filtered('shop=awa%40boutique.example'),
      },
      'rows of all merchants on its second page': {
        serves: {
          [LIST]: ({ req, all, mine }) => (req.query['page'] === '2' ? idsOf(all).reverse().slice(1, 2) : idsOf(mine)),
        },
        says: filtered('page=2&limit=1'),
      },
      'rows of all merchants after the first ones': {
        serves: { [LIST]: ({ req, all, mine }) => idsOf(req.query['offset'] ? all.slice(1) : mine) },
        says: filtered('offset=1'),
      },
      'the rows of its first reader, who is the owner': {
        serves: { [LIST]: keptList() },
        says: instead('otherMerchant', 'merchant'),
      },
      'the rows of its first reader, who is the other merchant': {
        serves: { [LIST]: keptList() },
        resources: [
          {
            ...TRANSACTIONS,
            async create(as) {
              const row = await TRANSACTIONS.create(as);
              if (as.email !== AWA.email) await as.send(LIST);
              return row;
            },
          },
        ],
        says: instead('merchant', 'otherMerchant'),
      },
      'rows that were kept before': {
        serves: { [PARENT]: () => stale },
        says: `${PARENT} shows merchant no row that it has just made, so the test proves nothing. …`,
      },
      'a filter with a value that the envelope of a row has too, under the same name': {
        serves: {
          [`GET ${PATH}`]: ({ own }) => own && { data: { id: own.id, state: 'pending' }, state: 'success' },
          [LIST]: ({ req: { query }, all, mine }) => (query['state'] === 'pending' ? all : mine),
        },
        says: filtered('state=pending'),
      },
      'a filter with the id of a populated member': {
        serves: {
          [`GET ${PATH}`]: ({ own }) => own && { data: [{ id: own.id, user: [{ _id: `u-${own.refercence_cl}` }] }] },
          [LIST]: ({ req: { query }, all, me }) =>
            all.filter((row) => `u-${row.refercence_cl}` === (query['user'] ?? `u-${me}`)),
        },
        says: filtered('user=u-BTQ-1001'),
      },
      'no row': {
        serves: { [LIST]: () => ({ data: [] }) },
        says: `GET /v1/list shows merchant no row that it has just made, so the test proves nothing. Give the resource that makes one: { read: 'GET /v1/list', create: async (as) => ({ id: ... }) }. ${SELECT} Or write leaveOut: { 'GET /v1/list': 'the reason' }.…`,
      },
      'rows of all merchants, by POST': {
        serves: { 'POST /v1/search': ({ all }) => all },
        routes: { 'POST /v1/search': { body: { month: '2026-07' } } },
        says: leak(undefined, 'POST /v1/search'),
      },
      'a connection that the host closes': {
        serves: { [LIST]: () => (res) => void res.socket?.destroy() },
        says: 'GET /v1/list got no whole answer: …',
      },
      'a cache before the guard, which keeps that of the owner': {
        before: caching((authorization) => authorization === undefined),
        serves: { [LIST]: ({ mine }) => mine },
        says: `GET /v1/list without a token got 200. ${SELECT}`,
      },
      'a cache that keeps the answer to the owner, even of one without ids': {
        serves: {
          [LIST]: ({ req: { originalUrl }, kept, me }) => {
            if (!kept.has(originalUrl)) kept.set(originalUrl, { merchant: me });
            return kept.get(originalUrl) as object;
          },
        },
        says: leak('reference'),
      },
    });
  });

  const members: object = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`member${at}`, randomUUID()]));

  it('is asked with each value of a row once, and with 60 at most', async () => {
    const asked: string[] = [];
    const list = ({ req, mine }: Asked) => (asked.push(req.url), { self: req.originalUrl, rows: idsOf(mine) });
    const serves = { [`GET ${PATH}`]: ({ own }: Asked) => own && { long: 'x'.repeat(300), ...members }, [LIST]: list };
    expect(await outcomeOfCase(CASE, hostWith({ serves }))).to.equal('passed');
    const filters = asked.filter((url) => /member\d+=/.test(url));
    expect(filters.length).to.be.within(50, 60);
    expect(new Set(filters).size).to.equal(filters.length);
    expect(asked.join()).not.to.contain('long=');
  });

  testServedHosts(CASE, {
    'is asked with the values of its own rows first': {
      serves: {
        ...ledger('accountId'),
        [PARENT]: (asked) => (ledger('accountId')[LIST] as (one: Asked) => object)(asked),
        'GET /v1/shops/:shop': () => members,
      },
      resources: [{ read: 'GET /v1/shops/:shop', create: () => Promise.resolve({ shop: randomUUID() }) }, TRANSACTIONS],
      leaveOut: { [LIST]: 'It is the same.' },
      says: leak(undefined, PARENT, 'accountId=501'),
    },
  });

  it('is red for an answer that does not end', async () => {
    const time = freezeTime();
    let isOpen = false;
    const outcome = outcomeOfCase(
      CASE,
      hostWith({ serves: { [LIST]: () => (res) => (isOpen = res.write('data: 1\n\n')) } }),
    );
    await until(() => isOpen);
    time.pass(10);
    expect(await outcome).to.equal(
      'GET /v1/list had not ended its answer after 10 s. Let the route answer. A stream is left out with its reason: name ' +
        'its route in leaveOut.',
    );
  });
});

describe('the case of lists without resources asks as auditRows does', () => {
  const resources = undefined as never;
  const seed = (_app: unknown, all: Row[]) => {
    for (const { marchand } of [AWA, KOFI]) all.push({ id: randomUUID(), refercence_cl: marchand.referencl });
  };
  const list = ({ mine }: Asked) => mine;
  const trusting = ({ req: { query }, all, me }: Asked) =>
    all.filter((row) => row.refercence_cl === (query['offset'] ? AWA.marchand.referencl : me));

  testHosts(CASE, {
    'and is red for what it finds': {
      ...{ resources, mount: seed },
      serves: { [LIST]: trusting },
      says: `${LIST}: showed otherMerchant a row of merchant (GET /v1/list?offset=1). ${SELECT}…`,
    },
    'and is red for a row that a list names and that is found by its id alone': {
      ...{ resources, mount: seed },
      serves: { [LIST]: list, [`${LIST}/:id`]: ({ any }) => show(any) },
      says: `${LIST}/:id: showed otherMerchant a row of merchant (${LIST}/…). Find the row by its id and by merchantOf(req).referencl, answer 404 when there is none, and keep no answer in a cache for all callers.`,
    },
    'and is left out without a finding, with what resources add': {
      ...{ resources, mount: seed },
      serves: { [LIST]: list },
      says: 'left out: Asked … requests as auditRows does, and found nothing. Give resources to test each row, each change, and each list after a new row.',
    },
    'except for a route that is left out': {
      ...{ resources, mount: seed },
      serves: { [LIST]: list, 'GET /v1/open': trusting },
      leaveOut: { 'GET /v1/open': 'Each merchant may read it.' },
      says: 'left out: Asked …',
    },
    'and is left out without another merchant': {
      ...{ resources, otherMerchant: resources },
      says: 'left out: Give otherMerchant to test this.',
    },
  });

  it('and asks the named routes of a host that runs elsewhere', async () => {
    const host = await servedHostWith({ resources, mount: seed, serves: { [LIST]: trusting } });
    const outcome = (routes: object) => outcomeOfCase(CASE, { ...host, routes: routes as never });
    expect(await outcome({})).to.equal('left out: Give resources to test this.');
    expect(await outcome({ [LIST]: {} })).to.contain(`${LIST}: showed otherMerchant a row of merchant`);
  });
});

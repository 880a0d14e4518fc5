import { expect } from 'chai';
import type { Express, Request, RequestHandler } from 'express';
import type { HostUnderTest, Resource } from '../../src/index.js';
import { AWA, KOFI } from '../../../test/helpers/accounts.js';
import { FRAMEWORK } from '../../../test/helpers/framework.js';
import { outcomeOfCase } from '../contract.js';
import { fakeHashes, noting, path } from './row-handlers.js';
import { type Addition, answerWith, hostWith, type Row, TRANSACTIONS } from './rows-host.js';

const { auth } = FRAMEWORK;
const answer: RequestHandler = (_req, res) => void res.json({});
const me = (req: Request) => auth.merchantOf(req).referencl;
const accountOf = (referencl: string) => (referencl === AWA.marchand.referencl ? 501 : 502);
const mine =
  (req: Request) =>
  ({ refercence_cl }: Row) =>
    refercence_cl === me(req);

/** The cases on rows, on lists, on routes and on paths, for a host with an addition. */
const outcomeFor = (start: string, mount: Addition['mount'], change: Partial<HostUnderTest> = {}) =>
  outcomeOfCase(start, hostWith({ ...(mount && { mount }) }, change));

interface Document {
  readonly id: number;
  readonly owner: string;
  note: string;
}

/** Mounts rows that only a list shows, and a change of them. `isShown` and `isChanged` decide whose. */
const documents =
  (isShown: (one: Document, req: Request) => boolean, isChanged = isShown): NonNullable<Addition['mount']> =>
  (app) => {
    const all: Document[] = [];
    app.post('/v1/documents', (req, res) => {
      all.push({ id: 100 + all.length, owner: me(req), note: '' });
      res.status(201).json({ id: all.at(-1)?.id });
    });
    app.get('/v1/documents', (req, res) => {
      const shown = all.filter((one) => isShown(one, req));
      res.json({ data: shown.map(({ id, note }) => ({ id, note })) });
    });
    app.patch('/v1/documents/:id', (req, res) => {
      const found = all.find((one) => String(one.id) === req.params.id && isChanged(one, req));
      if (found) found.note = (req.body as { note: string }).note;
      res.sendStatus(found ? 204 : 404);
    });
  };
const DOCUMENTS: Resource = {
  read: 'GET /v1/documents',
  create: async (as) => ({ id: ((await as.send('POST /v1/documents', {})) as Document).id }),
};
const isOwn = ({ owner }: Document, req: Request) => owner === me(req);

/** Mounts a row that shows its merchant as an account, and a change that takes `member` from the body. */
const accounts =
  (member: string): NonNullable<Addition['mount']> =>
  (app, { own }) => {
    const show = (row: Row) => ({ id: row.id, account: { id: accountOf(row.refercence_cl) }, note: row.note });
    app.patch(path, (req, res) => {
      const row = own(req);
      const body = req.body as { note?: string; id?: number; account?: { id?: number } };
      if (row) row.note = body.note ?? '';
      const account = member === 'account' ? body.account?.id : member === 'id' ? body.id : undefined;
      if (row && account === 502) row.refercence_cl = KOFI.marchand.referencl;
      res.sendStatus(row ? 204 : 404);
    });
    app.get(path, (req, res) => {
      const row = own(req);
      res.status(row ? 200 : 404).json(row ? show(row) : {});
    });
  };

/** Mounts rows that each merchant counts, so that ids repeat. `accountIn` finds the merchant of a new row. */
const vouchers =
  (accountIn: (body: { accountId?: number }, own: number) => number | undefined): NonNullable<Addition['mount']> =>
  (app) => {
    const all: { readonly id: number; readonly accountId: number }[] = [];
    app.post('/v1/vouchers', (req, res) => {
      const accountId = accountIn(req.body as object, accountOf(me(req)));
      const id = (accountId === 501 ? 100 : 96) + all.filter((row) => row.accountId === accountId).length;
      if (accountId !== undefined) all.push({ id, accountId });
      res.status(accountId === undefined ? 400 : 201).json({ id });
    });
    app.get('/v1/vouchers/:id', (req, res) => {
      const isAsked = (row: (typeof all)[number]) =>
        row.accountId === accountOf(me(req)) && String(row.id) === req.params.id;
      const row = all.find(isAsked);
      res.status(row ? 200 : 404).json(row ?? {});
    });
  };
const VOUCHERS: Resource = {
  read: 'GET /v1/vouchers/:id',
  create: async (as) => ({ id: ((await as.send('POST /v1/vouchers', { amount: 5 })) as { id: number }).id }),
};

const byHeader = (find: 'own' | 'any') => (app: Express, rows: Parameters<NonNullable<Addition['mount']>>[1]) =>
  app.get('/v1/receipt', (req, res, next) => {
    const asked = { ...req, params: { id: req.get('X-Row') } } as unknown as Request;
    const row =
      find === 'any'
        ? rows.any(asked)
        : rows.any(asked) && rows.all.find((one) => one.id === req.get('X-Row') && mine(req)(one));
    answerWith(() => row)(req, res, next);
  });
const HEADER = { routes: { 'GET /v1/receipt': { headers: ({ id }: { id?: unknown }) => ({ 'X-Row': String(id) }) } } };

const wallet =
  (...handlers: RequestHandler[]) =>
  (app: Express) =>
    app.post('/v1/wallets/:walletId/pay', ...handlers, answer);
const fromPath = auth.requireOwnReference({ from: (req) => req.params['walletId'] });
const byPost =
  (isShown: (req: Request) => (row: Row) => boolean): NonNullable<Addition['mount']> =>
  (app, { all }) =>
    app.post('/v1/search', (req, res) => void res.json(all.filter(isShown(req))));
const SEARCH = { routes: { 'POST /v1/search': { body: { month: '2026-07' } } } };
const ledger =
  (isTrusted: boolean): NonNullable<Addition['mount']> =>
  (app, { all }) => {
    app.get(path, (req, res, next) => {
      const row = all.filter(mine(req)).find(({ id }) => id === req.params.id);
      if (row) res.json({ id: row.id, accountId: accountOf(row.refercence_cl) });
      else next();
    });
    app.get('/v1/ledger', (req, res) => {
      const account = isTrusted && req.query['accountId'] ? Number(req.query['accountId']) : accountOf(me(req));
      res.json(all.filter((row) => accountOf(row.refercence_cl) === account).map(({ id }) => ({ id })));
    });
  };

const [ROW, LIST, PATH, EACH] = ['5.6 a row of', '5.6 a list', '5.6 a reference in', 'each route'];

describe('authContract finds', () => {
  beforeEach('fake the hashes', fakeHashes);

  const HOLES: Readonly<Record<string, readonly [string, Addition['mount'], Partial<HostUnderTest>, RegExp]>> = {
    'a list of the accounts, with their emails': [
      LIST,
      (app) => app.get('/v1/users', (_req, res) => void res.json([AWA, KOFI].map(({ email }) => ({ email })))),
      {},
      /^GET \/v1\/users showed CNT-1002 the email of BTQ-1001\. Select/,
    ],
    'a list of the accounts, with their ids and references': [
      LIST,
      (app) =>
        app.get(
          '/v1/users',
          (_req, res) => void res.json([AWA, KOFI].map(({ id, marchand }) => ({ id, code: marchand.referencl }))),
        ),
      {},
      /^GET \/v1\/users showed CNT-1002 the id and the reference of BTQ-1001\. Select/,
    ],
    'an id in a header': [
      ROW,
      byHeader('any'),
      HEADER,
      /^GET \/v1\/receipt of CNT-1002 with the id of BTQ-1001 got 200\./,
    ],
    'a filter that a list trusts': [
      LIST,
      ledger(true),
      {},
      /^GET \/v1\/ledger with the accountId of BTQ-1001 in the query showed CNT-1002 the id of a row that BTQ-1001/,
    ],
    'the merchant of a row under another name': [
      ROW,
      accounts('account'),
      noting(`PATCH ${path}`),
      /^PATCH \S+ with the value of CNT-1002 as account in the body moved the row to it\. Take the merchant from/,
    ],
    'the same without the object around it': [
      ROW,
      accounts('id'),
      noting(`PATCH ${path}`),
      /^PATCH \S+ with the value of CNT-1002 as id in the body moved the row to it\./,
    ],
    'a row that is made for the merchant that the body names': [
      ROW,
      vouchers(({ accountId }, own) => accountId ?? own),
      { resources: [VOUCHERS] },
      /^create of GET \/v1\/vouchers\/:id for CNT-1002 made a row of BTQ-1001, whose value the body had as accountId\. Take/,
    ],
    'a list without rows': [
      LIST,
      (app) => app.get('/v1/documents', (_req, res) => void res.json({ data: [] })),
      {},
      /^GET \/v1\/documents shows BTQ-1001 no row, so the test proves nothing\. Give the resource that makes one: { read: 'GET/,
    ],
    'a list that shows all rows that only it shows': [
      LIST,
      documents(() => true),
      { resources: [DOCUMENTS] },
      /^GET \/v1\/documents showed CNT-1002 the id of a row that BTQ-1001 had just made\./,
    ],
    'a change of a row that only a list shows': [
      ROW,
      documents(isOwn, () => true),
      { resources: [DOCUMENTS], ...noting('PATCH /v1/documents/:id') },
      /^PATCH \/v1\/documents\/:id of CNT-1002 with the id of BTQ-1001 got 204\./,
    ],
    'a demanded reference that is not the one in the path': [
      PATH,
      (app) => app.post('/v1/wallets/:walletId/pay', auth.requireOwnReference(), answer),
      {},
      /^POST \/v1\/wallets\/CNT-1002\/pay got 200 in place of 403 foreign_reference\. Mount requireOwnReference\(\)/,
    ],
    'a list by POST': [LIST, byPost(() => () => true), SEARCH, /^POST \/v1\/search showed CNT-1002 the id of a row/],
    'no resources': [
      EACH,
      undefined,
      { resources: undefined as never },
      /^No row of a merchant is tested, because resources is missing\. Behind a guard: POST \/v1\/transactions, GET/,
    ],
    'a DELETE of the account of the test, before it is sent': [
      ROW,
      (app) => app.get('/v1/users/:id', answer).delete('/v1/users/:id', () => expect.fail('It was sent.')),
      {
        resources: [
          {
            read: 'GET /v1/users/:id',
            create: ({ email }) => Promise.resolve({ id: email === AWA.email ? AWA.id : KOFI.id }),
          },
        ],
        leaveOut: { 'GET /v1/users/:id': 'It is public.' },
      },
      /^DELETE \/v1\/users\/:id would delete the account of CNT-1002, which the test uses\. Let create make another one,/,
    ],
  };
  for (const [hole, [start, mount, change, says]] of Object.entries(HOLES)) {
    it(hole, async () => expect(await outcomeFor(start, mount, change)).to.match(says));
  }
});

describe('authContract passes', () => {
  beforeEach('fake the hashes', fakeHashes);

  const strict: Addition['mount'] = (app, { all }) =>
    app.post(
      '/v1/avatar',
      (req, res, next) => (Object.keys(req.body as object).join() === 'user,url' ? next() : void res.sendStatus(400)),
      auth.requireOwnReference({ from: (req) => (req.body as { user?: unknown }).user }),
      (req, res) => {
        for (const row of all.filter(mine(req))) row.note = (req.body as { url: string }).url;
        res.json({});
      },
    );
  const RIGHT: Readonly<Record<string, readonly [string, Addition['mount'], Partial<HostUnderTest>]>> = {
    'an id in a header': [ROW, byHeader('own'), HEADER],
    'a list that ignores a filter': [LIST, ledger(false), {}],
    'a change that takes no merchant from the body': [ROW, accounts('none'), noting(`PATCH ${path}`)],
    'rows whose merchant no body names': [ROW, vouchers((_body, own) => own), { resources: [VOUCHERS] }],
    'the same, where a body with another member is refused': [
      ROW,
      vouchers((body, own) => ('accountId' in body ? undefined : own)),
      { resources: [VOUCHERS] },
    ],
    'rows that only a list shows': [LIST, documents(isOwn), { resources: [DOCUMENTS] }],
    'a change of rows that only a list shows': [
      ROW,
      documents(isOwn),
      { resources: [DOCUMENTS], ...noting('PATCH /v1/documents/:id') },
    ],
    'a reference in the path that `from` reads': [PATH, wallet(fromPath), {}],
    'the same, without an entry': [EACH, wallet(fromPath), {}],
    'a reference in the path beside the id of a row': [
      PATH,
      (app, { own }) =>
        app.get('/v1/shops/:refercence_cl/transactions/:id', auth.requireOwnReference(), answerWith(own)),
      {
        resources: [
          {
            read: 'GET /v1/shops/:refercence_cl/transactions/:id',
            create: async (as) => TRANSACTIONS.create(as),
          },
        ],
      },
    ],
    'a strict schema, whose body is sent as the entry gives it': [
      ROW,
      strict,
      {
        routes: { 'POST /v1/avatar': { body: ({ user }) => ({ user, url: 'https://x.example/1.png' }) } },
        resources: [
          { ...TRANSACTIONS, create: async (as) => ({ ...(await TRANSACTIONS.create(as)), user: as.referencl }) },
        ],
      },
    ],
    'a list by POST': [LIST, byPost(mine), SEARCH],
    'the same, with its entry': [EACH, byPost(mine), SEARCH],
    'a host without transactions': [EACH, undefined, { transactions: undefined as never }],
  };
  for (const [what, [start, mount, change]] of Object.entries(RIGHT)) {
    it(what, async () => expect(await outcomeFor(start, mount, change)).to.equal('passed'));
  }
});

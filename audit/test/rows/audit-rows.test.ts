import { expect } from 'chai';
import type { Request } from 'express';
import { auditRows } from '../../src/rows/audit-rows.js';
import { FRAMEWORK, onEachExpress } from '../../../test/helpers/on-each-express.js';
import { hostOf, mine, ONE, OTHER, type Row, ROWS, type Routes } from './hosts.js';

/** Answers from the rows in which a handler looks: all of them, which is the hole, or those of the caller. */
type Look = (rows: readonly Row[], req: Request, me: string) => unknown;

const short = ({ id, amount }: Row) => ({ id, amount });
const numbered = ({ number, amount, note }: Row) => ({ id: number, amount, note });
const csv = (rows: readonly Row[]) => rows.map(({ id, amount }) => `${id};${amount}`).join('\n');
const LIST: Routes = { '/payments': (_, me) => mine(me).map(short) };
const NUMBERS: Routes = { '/payments': (_, me) => mine(me).map(numbered) };

const find = (rows: readonly Row[], { params }: Request) =>
  rows.find(({ id }) => id === (params['id'] ?? params['payment']));
const byNumber = (rows: readonly Row[], { params }: Request) =>
  rows.find(({ number }) => String(number) === params['id']);
const child = (rows: readonly Row[], { params }: Request) =>
  rows.flatMap(({ refunds }) => refunds).find(({ id }) => id === params['refund']);
const ofOwner = (rows: readonly Row[], name: unknown) => rows.filter(({ owner }) => owner === name);
const REFUNDS: Routes = { ...LIST, '/payments/:id/refunds': (req, me) => find(mine(me), req)?.refunds };
/** Shows the rows of the caller, and with a query those of the scope. */
const listing =
  (isAsked: (query: Request['query']) => unknown, show: (row: Row) => unknown = short): Look =>
  (rows, { query }, me) =>
    (isAsked(query) ? rows : mine(me)).map(show);

/** The route with the hole, the other routes, and the handler. */
const KINDS: Readonly<Record<string, readonly [string, Routes, Look]>> = {
  'a row by its id alone': ['/payments/:id', LIST, find],
  'another name of the parameter, below it': [
    '/payments/:payment/receipt',
    { ...LIST, '/payments/:id': (req, me) => find(mine(me), req) },
    find,
  ],
  'a part of the row': ['/payments/:id/amount', NUMBERS, (rows, req) => byNumber(rows, req)?.amount.toFixed(2)],
  'an answer that differs each time, without its id': [
    '/payments/:id',
    { ...LIST, '/me': (_, me) => ({ merchantId: `merchant-${me}` }) },
    (rows, req) => find(rows, req) && { merchant: `merchant-${find(rows, req)?.owner}`, at: performance.now() },
  ],
  'an own answer for an unknown id': [
    '/payments/:id',
    LIST,
    (rows, req) => ({ id: req.params['id'], found: find(rows, req)?.refunds ?? null }),
  ],
  'a child of a foreign parent, below the own one': [
    '/payments/:id/refunds/:refund',
    REFUNDS,
    (rows, req, me) => find(mine(me), req) && child(rows, req),
  ],
  'the children of a foreign parent': ['/payments/:id/refunds', LIST, (rows, req) => find(rows, req)?.refunds],
  'a row of a list elsewhere, among the ids of others': [
    '/payment/:id',
    {
      '/log': (_, me) => [...Array(30).keys()].map((at) => ({ code: `${me}-${at}` })),
      '/me/payments': (_, me) => mine(me).map(short),
      '/orders-with-longer-path': (_, me) => mine(me).map(({ id }) => ({ paymentId: id })),
    },
    find,
  ],
  'an owner in the path': [
    '/merchants/:merchant/payments',
    { '/me': (_, me) => ({ merchantId: me }) },
    (rows, { params }) => ofOwner(rows, params['merchant']).map(short),
  ],
  'another page': ['/payments', {}, listing(({ page }) => page === '2')],
  'a search for an id': ['/payments', {}, listing(({ q }) => q !== undefined)],
  'an owner as a parameter, after nine other names': [
    '/payments',
    {
      '/me': (_, me) => ({ ...Object.fromEntries([...Array(9).keys()].map((at) => [`k${at}Id`, me])), merchantId: me }),
    },
    (rows, { query: { merchantId } }, me) => (merchantId ? ofOwner(rows, merchantId) : mine(me)).map(short),
  ],
  'a CSV of an owner as a parameter, which has to be there': [
    '/export',
    { ...LIST, '/me': (_, me) => ({ owner: me }) },
    (rows, { query: { owner } }) => (owner ? csv(ofOwner(rows, owner)) : 400),
  ],
};

describe('auditRows', () => {
  const audit = (routes: Routes, options?: Parameters<typeof auditRows>[2]) =>
    auditRows(hostOf(FRAMEWORK, routes), [ONE, OTHER], options);

  for (const [title, [route, others, look]] of Object.entries(KINDS))
    it(`finds ${title}`, async () => {
      const { findings } = await audit({ ...others, [route]: (req, me) => look(ROWS, req, me) });
      expect(findings.map((text) => text.split(': ', 1)[0])).to.deep.equal([`GET ${route}`]);
      const right = await audit({ ...others, [route]: (req, me) => look(mine(me), req, me) });
      expect(right.findings).to.deep.equal([]);
    });

  const QUESTIONS: Readonly<Record<string, readonly [Routes, ...string[]]>> = {
    'a catalogue with a list': [
      { ...LIST, '/products': () => [{ id: 'P-1001' }], '/products/:id': ({ params }) => params },
      'GET /products: shows other each row that it shows one',
    ],
    'a catalogue without a list': [
      {
        '/orders': (_, me) => mine(me).map(({ number }) => ({ productId: `P-100${number}` })),
        '/products/:id': ({ params }) =>
          /^P-100\d$/.test(String(params['id'])) ? { ...params, name: 'Tea', partId: 'PT-1009' } : undefined,
        '/products/:id/parts/:part': ({ params }) => (params['part'] === 'PT-1009' ? params : undefined),
      },
      'GET /products/:id: shows other a row that one has the id of',
      'GET /products/:id/parts/:part: shows other a row that one has the id of',
    ],
    'rows of two owners': [
      { ...LIST, '/payments/recent': () => ROWS.map(short) },
      'GET /payments/recent: shows other the id that GET /payments shows only one',
    ],
    'owners that are numbers': [
      { '/me': (_, me) => ({ accountId: Number(me.slice(2)) }), '/notes': () => [{ accountId: 1 }, { accountId: 2 }] },
      'GET /notes: shows other the accountId that GET /me shows only one',
    ],
  };
  for (const [title, [routes, ...texts]] of Object.entries(QUESTIONS))
    it(`asks about ${title}`, async () => {
      const { findings, questions } = await audit(routes);
      expect(findings).to.deep.equal([]);
      expect(questions).to.deep.equal(texts.map((text) => `${text}. Are these everyone's rows?`));
    });

  it('says nothing of rows that a stranger gets too, and of equal numbers', async () => {
    const app = FRAMEWORK.express();
    app.get('/open/:id', (req, res) => void res.json(find(ROWS, req)));
    app.get('/open', ({ query }, res) => void res.json(query['all'] === undefined ? [{ id: 'news-1' }] : ROWS));
    app.use(hostOf(FRAMEWORK, { ...NUMBERS, '/stock': (_, me) => [{ id: me === 'm-1' ? 4 : 1 }] }));
    const { findings, questions } = await auditRows(app, [ONE, OTHER]);
    expect({ findings, questions }).to.deep.equal({ findings: [], questions: [] });
  });

  it('lists everything in its text', async () => {
    const result = await audit({
      ...LIST,
      '/payments/:id': (req) => find(ROWS, req),
      '/reports/:id': () => 403,
      '/currencies': () => [{ code: 'XOF-952' }],
    });
    expect(String(result)).to.equal(
      [
        '1 findings',
        `  GET /payments/:id: showed other a row of one (GET /payments/${ROWS[0]?.id})`,
        '1 questions',
        "  GET /currencies: shows other each row that it shows one. Are these everyone's rows?",
        '1 unclear',
        '  GET /reports/:id',
        `${result.asked} requests`,
      ].join('\n'),
    );
  });

  it('asks for ids that no path can have, and paths that no text can be decoded from', async () => {
    const { findings } = await audit({
      '/100%': (_, me) => [{ id: `\ud800-${me}` }, { id: `é/${me}` }],
      '/100%/:id': () => 404,
    });
    expect(findings).to.deep.equal([]);
  });

  it('names routes that a limiter stops', async () => {
    for (const most of [0, 2]) {
      let count = 0;
      const { unclear } = await audit({ '/payments': (_, me) => ((count += 1) > most ? 429 : mine(me).map(short)) });
      expect(unclear).to.deep.equal(['GET /payments']);
    }
    let rows = 0;
    const late = await audit({ ...LIST, '/payments/:id': (req) => ((rows += 1) > 1 ? 429 : find(ROWS, req)) });
    expect(late.unclear).to.deep.equal(['GET /payments/:id']);
  });

  it('shows no value of a header that an answer repeats', async () => {
    const result = await audit({
      '/keys': (_, me) => ({ key: `token-of-${me}` }),
      '/keys/:key': ({ params }) => (String(params['key']).startsWith('token-of-m') ? params : undefined),
    });
    expect(JSON.stringify(result) + String(result)).not.to.include('token-of');
  });

  it('sends a number of requests that grows with the routes alone', async () => {
    const rows = (me: string) =>
      Array.from({ length: 500 }, (_, at) => ({ id: `${me}-${at}00`, [`k${at}Id`]: `${me}-${at}` }));
    const bound = 60 + 2 * 5;
    for (const of of [2, 4]) {
      const nested = Array.from({ length: of }, (_, at) => [`/payments/:id/${at}`, () => 404] as const);
      const lists = Array.from({ length: of }, (_, at) => [`/payments${at}`, () => ({})] as const);
      const { asked } = await audit(
        { '/payments': (_, me) => rows(me), ...Object.fromEntries([...nested, ...lists]) },
        { limit: 5 },
      );
      expect(asked).to.be.at.most(bound * (2 * of + 1));
    }
  });
});

onEachExpress('auditRows', ({ major, express }) => {
  it('asks an optional parameter and its route without it, and names regular expressions', async () => {
    const app = hostOf(
      { express },
      {
        [major === 4 ? '/payments/:id?' : '/payments{/:id}']: (req, me) =>
          req.params['id'] === undefined ? mine(me).map(short) : find(ROWS, req),
      },
    );
    app.get(/^\/x/, (_req, res) => void res.json({}));
    const { findings, unclear } = await auditRows(app, [ONE, OTHER]);
    expect(findings.map((text) => text.split(': ', 1)[0])).to.deep.equal(['GET /payments/:id']);
    expect(unclear).to.deep.equal(['GET /^\\/x/']);
  });
});

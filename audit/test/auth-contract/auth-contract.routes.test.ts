import { expect } from 'chai';
import type { Express, Request, RequestHandler } from 'express';
import { entryFor } from '../../src/auth-contract/host-routes.js';
import type { HostUnderTest, Resource } from '../../src/index.js';
import { AWA, KOFI, PASSWORD } from '../../../test/helpers/accounts.js';
import { stubComputations } from '../../../test/helpers/computations.js';
import { outcomeOfCase } from '../contract.js';
import { FRAMEWORK } from '../../../test/helpers/framework.js';
import { freezeTime } from '../../../test/helpers/frozen-time.js';
import { serve } from '../../../test/helpers/http.js';
import { until } from '../../../test/helpers/until.js';
import { type Addition, hostWith, type Row, TRANSACTIONS } from './rows-host.js';

const { auth, express } = FRAMEWORK;

const answer: RequestHandler = (_req, res) => void res.json({});
const pass: RequestHandler = (_req, _res, next) => next();
const isOwn = (req: Request) => (row: Row) => row.refercence_cl === auth.merchantOf(req).referencl;

describe('authContract accounts for each route behind a guard', () => {
  beforeEach(() => stubComputations(({ password }) => password === PASSWORD));

  const accountFor = (addition: Addition, change?: Partial<HostUnderTest>) =>
    outcomeOfCase('each route', hostWith(addition, change));
  const unknown = (name: string, cover: string) =>
    `${name} is behind a guard, and nothing tests it. If it takes the id of a row, ${cover}. If no merchant may ` +
    `use it, write refused: { '${name}': 'the reason' }. Otherwise write leaveOut: { '${name}': 'the reason' }.`;
  const resource = (path: string, parameter: string) =>
    `give its resource: { read: 'GET ${path}', create: async (as) => ({ ${parameter}: ... }) }`;
  const entry = (name: string) =>
    `write routes: { '${name}': { body: ({ id }) => ({ ... }) } }. If it makes one, let create of a resource send it. If it is a list, give its body without a function`;

  it('passes where each is the one of the transactions, has their id, is sent by create, is a list, or has an entry', async () => {
    const mount = (app: Express) => {
      app.use('/v1', pass).get('/v1/transactions', answer).get('/v1/merchants/:refercence_cl/balance', answer);
      app.get('/v1/reports/:month', answer).get('/v1/admin/:id', answer).post('/v1/refunds', answer);
      app.get('/v1/transactions/:transaction/refunds', answer).post('/v1/refunds/search', answer);
      app.get('/v1/refunds/:refund', answer).head('/v1/status', answer).options('/v1/status', answer);
    };
    const refunds: Resource = {
      read: 'GET /v1/refunds/:refund',
      create: async (as) => {
        await as.send('POST /v1/refunds', {});
        return { refund: 7 };
      },
    };
    const change: Partial<HostUnderTest> = {
      leaveOut: { 'GET /v1/reports/:month': 'A report has no rows.' },
      refused: { 'GET /v1/admin/*': 'For operators.' },
      resources: [TRANSACTIONS, refunds],
      routes: { 'POST /v1/refunds/search': { body: ({ id }) => ({ id }) } },
    };
    expect(await accountFor({ mount: (app) => mount(app) }, change)).to.equal('passed');
  });

  for (const [what, mount, problems] of [
    [
      'an id elsewhere',
      (app) => app.get('/v1/payments/:id', answer).get('/v1/transactions/:id/items/:item', answer),
      [
        unknown('GET /v1/payments/:id', resource('/v1/payments/:id', 'id')),
        unknown(
          'GET /v1/transactions/:id/items/:item',
          `give its resource: { read: 'GET /v1/transactions/:id/items/:item', create: async (as) => ({ id: ..., item: ... }) }`,
        ),
      ],
    ],
    [
      'a wildcard or an expression',
      (app) => app.get('/v1/files/*path', answer).get(/^\/v1\/x(\d+)/, answer),
      [
        unknown('GET /v1/files/*path', resource('/v1/files/*path', 'path')),
        unknown('GET /^\\/v1\\/x(\\d+)/', entry('GET /^\\/v1\\/x(\\d+)/')),
      ],
    ],
    [
      'a body and no parameter',
      (app) => app.post('/v1/lookup', answer).all('/v1/sync', answer),
      [unknown('POST /v1/lookup', entry('POST /v1/lookup')), unknown('ALL /v1/sync', entry('ALL /v1/sync'))],
    ],
  ] satisfies [string, NonNullable<Addition['mount']>, string[]][]) {
    it(`is red for a route with ${what}, and says the line to write`, async () => {
      expect(await accountFor({ mount })).to.equal(problems.join('\n'));
    });
  }

  it('is red for a function that can hide routes, and not for one above routes', async () => {
    const outcome = await accountFor({ mount: (app) => app.use('/v1/legacy', answer).use('/v1/transactions', pass) });
    expect(outcome).to.match(
      /^\/v1\/legacy answer: cannot be walked\. A function that is mounted at a path can answer/,
    );
    expect(outcome).to.match(/ Or write leaveOut: { '\/v1\/legacy answer': 'the reason' }\.$/);
    expect(await accountFor({ mount: (app) => app.use('/open', answer) })).to.equal('passed');
    const leaveOut = { '/v1/legacy answer': 'A proxy to a public service.' };
    expect(await accountFor({ mount: (app) => app.use('/v1/legacy', answer) }, { leaveOut })).to.equal('passed');
  });

  it('finds the routes of a sub-app only if the host names it', async () => {
    const inner = express().get('/payments/:id', answer);
    const mount = (app: Express) => app.use('/v1', inner);
    expect(await accountFor({ mount })).to.contain('/v1 mounted_app: cannot be walked. ');
    const ownGuard = (app: Express) => app.use('/other', express().use(auth.requireBearer()));
    expect(await accountFor({ mount: ownGuard })).to.contain('/other mounted_app: cannot be walked. ');
    expect(await accountFor({ mount }, { apps: [inner] })).to.equal(
      unknown('GET /v1/payments/:id', resource('/v1/payments/:id', 'id')),
    );
  });

  it('is red for an app in which no route is found', async () => {
    const { app } = hostWith({});
    const hidden: NonNullable<HostUnderTest['app']> = (req, res) => app?.(req, res);
    expect(await accountFor({}, { app: hidden })).to.match(
      /^The walk found no route behind a guard in app, so nothing/,
    );
  });

  it('says that nobody looked for routes where there is no app', async () => {
    const { app, ...host } = hostWith({});
    const running = { ...host, baseUrl: `http://127.0.0.1:${(await serve(app ?? expect.fail())).port}` };
    const routes = { 'GET /v1/transactions': {} };
    expect(await outcomeOfCase('each route', { ...running, routes })).to.equal(
      'left out: Only these routes were tested, because no app was given in which to look for others: GET /v1/transactions, ' +
        'GET /v1/transactions/:id.',
    );
    expect(await outcomeOfCase('each route', { ...running, routes: { 'GET /v1/payments/:id': {} } })).to.equal(
      unknown('GET /v1/payments/:id', resource('/v1/payments/:id', 'id')),
    );
  });
});

it('takes the entry of the route itself, and then that of the longest path above', () => {
  const entries = { 'GET /v1/*': 1, 'GET /v1/a/*': 2, 'GET /v1/a/b': 3, 'GET /*': 0, 'POST /v1/a/b/*': 4 };
  const found = ['/v1/a/b', '/v1/a/c', '/v1/c', '/x', '/v1/a'].map((path) => entryFor(entries, `GET ${path}`));
  expect(found).to.deep.equal([3, 2, 1, 0, 1]);
  expect(entryFor(entries, 'POST /v1/a/b')).to.equal(undefined);
});

describe('authContract reads each list as both merchants', () => {
  beforeEach(() => stubComputations(({ password }) => password === PASSWORD));

  const sweep = (mount: Addition['mount'], change?: Partial<HostUnderTest>, newId?: Addition['newId']) =>
    outcomeOfCase('5.6 a list', hostWith({ ...(mount && { mount }), ...(newId && { newId }) }, change));
  const list =
    (show: (rows: readonly Row[], req: Request) => unknown): NonNullable<Addition['mount']> =>
    (app, { all }) =>
      app.get('/v1/list', (req, res) => void res.send(show(all, req)));
  const leak = (what: string) =>
    `GET /v1/list showed CNT-1002 the ${what} of a row that BTQ-1001 had just made. Select the rows by ` +
    'merchantOf(req).referencl, and keep no answer in a cache for all callers.';
  /** Returns the number of rows of each merchant, beside its reference. */
  const totalsOf = (rows: readonly Row[]) =>
    [AWA, KOFI].map(({ marchand }) => ({
      merchant: marchand.referencl,
      total: rows.filter((row) => row.refercence_cl === marchand.referencl).length,
    }));
  let start: number | undefined;
  let number = 16;
  const count = () => (number += 1);

  for (const [what, mount, newId] of [
    ['the own rows', list((rows, req) => rows.filter(isOwn(req)))],
    ['a counter that is an id by chance', list(() => ({ requests: count() })), () => number + 2],
    [
      'a time, beside a number that is an id by chance',
      list((rows) => ({ at: new Date((start ??= Date.now()) + rows.length * 1_000), size: Number(rows[1]?.id) + 1 })),
      count,
    ],
    [
      'XML in one line, beside a number that is an id by chance',
      list((rows) => `<at>${Math.random()}</at><fee>${Number(rows[1]?.id) + 1}</fee>`),
      count,
    ],
    [
      'the references of all partners, which refuses an unknown query',
      (app) =>
        app.get('/v1/list', (req, res) => {
          if (Object.keys(req.query).length > 0) res.sendStatus(400);
          else res.json([{ referencl: AWA.marchand.referencl }]);
        }),
    ],
    ['a fee that begins as an id', list((rows) => ({ fee: `${String(rows.at(-1)?.id)}.25` })), count],
    [
      'the references of all partners, with the time',
      list((rows) => ({ at: rows.length, partners: [{ referencl: AWA.marchand.referencl }] })),
    ],
  ] satisfies [string, NonNullable<Addition['mount']>, (() => number)?][]) {
    it(`passes for a list with ${what}`, async () => {
      expect(await sweep(mount, {}, newId)).to.equal('passed');
    });
  }

  for (const [what, told, mount, newId] of [
    ['rows of all merchants', 'id', list((rows) => ({ data: rows }))],
    ['their short ids under any name', 'id', list((rows) => rows.map(({ id }) => ({ href: `/v1/p/${id}` }))), count],
    ['their short ids as CSV', 'id', list((rows) => rows.map(({ id }) => `${id},1500`).join('\n')), count],
    [
      'their short ids beside a number that differs each time',
      'id',
      list((rows) => ({ at: Math.random(), ids: rows.map(({ id }) => id) })),
      count,
    ],
    ['what each merchant has', 'reference', list((rows) => totalsOf(rows)), count],
    [
      'the own ones, behind requireOwnReference()',
      'id',
      (app, { all }) => app.get('/v1/list', auth.requireOwnReference(), (_req, res) => void res.json(all)),
    ],
  ] satisfies [string, string, NonNullable<Addition['mount']>, (() => number)?][]) {
    it(`is red for a list with ${what}`, async () => {
      expect(await sweep(mount, {}, newId)).to.match(new RegExp(`^${leak(told).replace(/\W/g, '\\$&')}`));
    });
  }

  it('is red for a list whose query takes an id of the caller, and that shows more', async () => {
    const mount: Addition['mount'] = (app, { all, own }) =>
      app.get('/v1/list', (req, res) => void res.status(own(req) ? 200 : 404).json(all));
    const routes = { 'GET /v1/list': { query: ({ id }: { id?: unknown }) => ({ id: String(id) }) } };
    expect(await sweep(mount, { routes })).to.match(/^GET \/v1\/list showed CNT-1002 the id of a row/);
  });

  it('needs a 2xx, and sends the query and the headers that the host gives', async () => {
    const mount: Addition['mount'] = (app, { all }) =>
      app.get('/v1/list', (req, res) => {
        if (req.query['from'] === '2026' && req.get('X-Shop') === '7') res.json(all);
        else res.status(400).json({ error: 'from_missing' });
      });
    expect(await sweep(mount)).to.equal(
      "GET /v1/list for BTQ-1001 got 400 from_missing, so its rows were not seen. Write its query: routes: { 'GET /v1/list': " +
        '{ query: { ... } } }. Or leave it out: leaveOut: { \'GET /v1/list\': \'the reason\' }. The body: {"error":"from_missing"}',
    );
    const routes = { 'GET /v1/*': { query: { from: '2026' }, headers: { 'X-Shop': '7' } } };
    expect(await sweep(mount, { routes })).to.contain(leak('id'));
  });

  it('is red for a cache before the guard, which keeps the list of the owner', async () => {
    let kept: unknown;
    const before: RequestHandler = (req, res, next) => {
      const json = res.json.bind(res);
      if (req.url !== '/v1/list') next();
      else if (kept !== undefined && req.headers.authorization === undefined) json(kept);
      else {
        res.json = (body) => json((kept = body));
        next();
      }
    };
    const mount: Addition['mount'] = (app, { all }) =>
      app.get('/v1/list', (req, res) => void res.json(all.filter(isOwn(req))));
    expect(await outcomeOfCase('5.6 a list', hostWith({ before, mount }))).to.equal(
      'GET /v1/list without a token got 200. A cache keeps answers for all callers. Mount it after the guard, and let its ' +
        'keys have merchantOf(req).id.',
    );
  });

  it('is red for a cache behind the guard, which other cases leave empty', async () => {
    const kept = new Map<string, unknown>();
    const mount: Addition['mount'] = (app, { all }) =>
      app.get('/v1/transactions', (req, res) => {
        if (!kept.has(req.originalUrl)) kept.set(req.originalUrl, all.filter(isOwn(req)));
        res.json(kept.get(req.originalUrl));
      });
    const host = hostWith({ mount });
    expect(await outcomeOfCase('a refused request', host)).to.equal('passed');
    expect(await outcomeOfCase('5.6 a list', host)).to.match(/^GET \/v1\/transactions showed CNT-1002 the id of a row/);
  });

  it('is red for a cache that keeps the answer to the owner, even of one without ids', async () => {
    const kept = new Map<string, unknown>();
    const mount: Addition['mount'] = (app) =>
      app.get('/v1/balance', (req, res) => {
        if (!kept.has(req.originalUrl)) kept.set(req.originalUrl, { merchant: auth.merchantOf(req).referencl });
        res.json(kept.get(req.originalUrl));
      });
    expect(await sweep(mount)).to.match(/^GET \/v1\/balance showed CNT-1002 the reference of a row that BTQ-1001/);
  });

  it('passes for a list of own rows with a value that both merchants have', async () => {
    const create: Resource['create'] = async (as) => ({ ...(await TRANSACTIONS.create(as)), kind: 'mobile_money' });
    const mount = list((rows, req) => rows.filter(isOwn(req)).map(({ id }) => ({ id, kind: 'mobile_money' })));
    expect(await sweep(mount, { resources: [{ ...TRANSACTIONS, create }] })).to.equal('passed');
  });

  it('is red for a connection that the host closes, and names the route', async () => {
    const mount: Addition['mount'] = (app) => app.get('/v1/list', (_req, res) => void res.socket?.destroy());
    expect(await sweep(mount)).to.equal('GET /v1/list got no whole answer: socket hang up.');
  });

  it('is red for an answer that does not end', async () => {
    const time = freezeTime();
    let isOpen = false;
    const mount: Addition['mount'] = (app) =>
      app.get('/v1/events', (_req, res) => {
        res.write('data: 1\n\n');
        isOpen = true;
      });
    const outcome = sweep(mount);
    await until(() => isOpen);
    time.pass(5);
    expect(await outcome).to.equal(
      'GET /v1/events had not ended its answer after 5 s. Let the route answer. A stream is left out with its reason: name ' +
        'its route in leaveOut.',
    );
  });
});

describe('authContract asks each refused route as both merchants', () => {
  beforeEach(() => stubComputations(({ password }) => password === PASSWORD));

  const refuse = (mount: NonNullable<Addition['mount']>, refused: Record<string, string>) =>
    outcomeOfCase('a refused route', hostWith({ mount }, { refused }));
  const forOperators: RequestHandler = (_req, res) => void res.status(403).json({});

  it('passes for 401, 403 and 404', async () => {
    const mount = (app: Express) => app.get('/v1/admin/:id', forOperators).all('/v1/admin', forOperators);
    const refused = { 'GET /v1/admin/*': 'For operators.', 'ALL /v1/admin': 'For operators.' };
    expect(await refuse(mount, refused)).to.equal('passed');
  });

  it('is red for one that shows a row, which it asks by an id that exists', async () => {
    const mount: Addition['mount'] = (app, { any }) =>
      app.get('/v1/admin/:id', (req, res) => {
        const row = any(req);
        res.status(row ? 200 : 404).json(row ?? {});
      });
    expect(await refuse(mount, { 'GET /v1/admin/:id': 'For operators.' })).to.equal(
      'GET /v1/admin/:id got 200 for BTQ-1001 in place of 401, 403 or 404, although refused names it. Check on the server ' +
        'that the caller is an operator. The body has the members id, refercence_cl.',
    );
  });

  it('is red for one method of app.all, and for one merchant', async () => {
    const mount: Addition['mount'] = (app) =>
      app.all('/v1/admin', (req, res) => {
        res.sendStatus(req.method === 'DELETE' && auth.merchantOf(req).id === KOFI.id ? 204 : 403);
      });
    expect(await refuse(mount, { 'ALL /v1/admin': 'For operators.' })).to.match(
      /^DELETE \/v1\/admin got 204 for CNT-1002 /,
    );
  });
});

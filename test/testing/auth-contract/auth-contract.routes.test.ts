import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Express, Request, RequestHandler } from 'express';
import { entryFor } from '../../../src/testing/auth-contract/host-routes.js';
import { authContract, type HostUnderTest } from '../../../src/testing/index.js';
import { AWA, KOFI, PASSWORD, withPassword } from '../../helpers/accounts.js';
import { stubComputations } from '../../helpers/computations.js';
import { HOST, outcomeOf } from '../../helpers/contract.js';
import { FRAMEWORK } from '../../helpers/framework.js';
import { freezeTime } from '../../helpers/frozen-time.js';
import { serve } from '../../helpers/http.js';
import { until } from '../../helpers/until.js';

const { auth, express } = FRAMEWORK;

interface Row {
  readonly id: string | number;
  readonly refercence_cl: string;
}

/** What a test adds to a right host: routes, and the ids of its rows. */
interface Addition {
  readonly mount?: (app: Express, rows: readonly Row[]) => unknown;
  readonly newId?: () => string | number;
}

const answer: RequestHandler = (_req, res) => void res.json({});
const pass: RequestHandler = (_req, _res, next) => next();
const isOwn = (req: Request) => (row: Row) => row.refercence_cl === auth.merchantOf(req).referencl;

function hostWith({ mount, newId = randomUUID }: Addition, change: Partial<HostUnderTest> = {}): HostUnderTest {
  const rows: Row[] = [];
  const userStore = new auth.InMemoryUserStore([AWA, KOFI].map(withPassword));
  const app = express();
  app.use('/v1', auth.createLoginRouter(userStore), auth.requireBearer({ userStore }));
  app.post('/v1/transactions', auth.requireOwnReference(), (req, res) => {
    const row = { id: newId(), refercence_cl: auth.merchantOf(req).referencl };
    rows.push(row);
    res.status(201).json(row);
  });
  app.get('/v1/transactions/:id', (req, res) => {
    const row = rows.filter(isOwn(req)).find(({ id }) => String(id) === req.params.id);
    res.status(row ? 200 : 404).json(row ?? { error: 'not_found' });
  });
  mount?.(app, rows);
  app.use(auth.authErrorHandler());
  return { ...HOST, app, transactions: { ...HOST.transactions, idOf: ({ id }: Row) => id }, ...change };
}

/** Returns the outcome of the case whose name begins so. */
function outcomeFor(name: string, host: HostUnderTest): Promise<string> {
  return outcomeOf(
    authContract(() => Promise.resolve(host)).find((test) => test.name.startsWith(name)) ?? expect.fail(),
  );
}

describe('authContract accounts for each route behind a guard', () => {
  beforeEach(() => stubComputations(({ password }) => password === PASSWORD));

  const accountFor = (addition: Addition, change?: Partial<HostUnderTest>) =>
    outcomeFor('each route', hostWith(addition, change));
  const unknown = (name: string) =>
    `${name} is behind a guard, and nothing tests it. If it takes the id of a row, name it in rows. If no merchant may ` +
    `use it, write refused: { '${name}': 'the reason' }. Otherwise write leaveOut: { '${name}': 'the reason' }.`;

  it('passes where each is the one of the transactions, has their id, is a list, or has an entry', async () => {
    const mount = (app: Express) => {
      app.use('/v1', pass).get('/v1/transactions', answer).get('/v1/merchants/:refercence_cl/balance', answer);
      app.get('/v1/reports/:month', answer).get('/v1/admin/:id', answer).post('/v1/refunds', answer);
    };
    const change: Partial<HostUnderTest> = {
      leaveOut: { 'GET /v1/reports/:month': 'A report has no rows.' },
      refused: { 'GET /v1/admin/*': 'For operators.' },
      rows: [{ method: 'post', path: () => '/v1/refunds', body: (id) => ({ id }), skip: true, reason: 'Later.' }],
    };
    expect(await accountFor({ mount: (app) => mount(app) }, change)).to.equal('passed');
  });

  for (const [what, mount, names] of [
    ['an id elsewhere', (app) => app.get('/v1/payments/:id', answer), ['GET /v1/payments/:id']],
    [
      'a wildcard or an expression',
      (app) => app.get('/v1/files/*path', answer).get(/^\/v1\/x(\d+)/, answer),
      ['GET /v1/files/*path', 'GET /^\\/v1\\/x(\\d+)/'],
    ],
    [
      'a body and no parameter',
      (app) => app.post('/v1/lookup', answer).all('/v1/sync', answer),
      ['POST /v1/lookup', 'ALL /v1/sync'],
    ],
  ] satisfies [string, NonNullable<Addition['mount']>, string[]][]) {
    it(`is red for a route with ${what}, and says the line to write`, async () => {
      expect(await accountFor({ mount })).to.equal(names.map(unknown).join('\n'));
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
    expect(await accountFor({ mount }, { apps: [inner] })).to.equal(unknown('GET /v1/payments/:id'));
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
    expect(await outcomeFor('each route', running)).to.equal(
      'left out: Name the routes in routes to test this, because there is no app.',
    );
    const routes = { 'GET /v1/transactions/:id': {}, 'GET /v1/transactions': {} };
    expect(await outcomeFor('each route', { ...running, routes })).to.equal(
      'left out: Nobody looked for routes other than those in routes, because there is no app: GET /v1/transactions/:id, ' +
        'GET /v1/transactions.',
    );
    expect(await outcomeFor('each route', { ...running, routes: { 'GET /v1/payments/:id': {} } })).to.equal(
      unknown('GET /v1/payments/:id'),
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
    outcomeFor('5.6 a list', hostWith({ ...(mount && { mount }), ...(newId && { newId }) }, change));
  const list =
    (show: (rows: readonly Row[], req: Request) => unknown): NonNullable<Addition['mount']> =>
    (app, rows) =>
      app.get('/v1/list', (req, res) => void res.send(show(rows, req)));
  const leak = (what: string) =>
    `GET /v1/list showed CNT-1002 the ${what} of a row that BTQ-1001 had just made. Select the rows by ` +
    'merchantOf(req).referencl.';
  let number = 16;
  const count = () => (number += 1);

  for (const [what, mount, newId] of [
    ['the own rows', list((rows, req) => rows.filter(isOwn(req)))],
    ['a number that is an id by chance', list((rows) => ({ requests: rows.at(-1)?.id })), count],
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
    ['rows of all merchants', 'reference', list((rows) => ({ data: rows }))],
    ['their ids under another name', 'id', list((rows) => rows.map(({ id }) => ({ payment: id })))],
    ['their short ids', 'id', list((rows) => rows.map(({ id }) => ({ payment_id: id }))), count],
    ['their ids as CSV', 'id', list((rows) => rows.map(({ id }) => `${id},1500`).join('\n'))],
    [
      'the own ones, behind requireOwnReference()',
      'reference',
      (app, rows) => app.get('/v1/list', auth.requireOwnReference(), (_req, res) => void res.json(rows)),
    ],
  ] satisfies [string, string, NonNullable<Addition['mount']>, (() => number)?][]) {
    it(`is red for a list with ${what}`, async () => {
      expect(await sweep(mount, {}, newId)).to.match(new RegExp(`^${leak(told).replace(/\W/g, '\\$&')}`));
    });
  }

  it('needs a 2xx, and sends the query and the headers that the host gives', async () => {
    const mount: Addition['mount'] = (app, rows) =>
      app.get('/v1/list', (req, res) => {
        if (req.query['from'] === '2026' && req.get('X-Shop') === '7') res.json(rows);
        else res.status(400).json({ error: 'from_missing' });
      });
    expect(await sweep(mount)).to.equal(
      "GET /v1/list for BTQ-1001 got 400 from_missing, so its rows were not seen. Write its query: routes: { 'GET /v1/list': " +
        '{ query: { ... } } }. Or leave it out: leaveOut: { \'GET /v1/list\': \'the reason\' }. The body: {"error":"from_missing"}',
    );
    const routes = { 'GET /v1/*': { query: { from: '2026' }, headers: { 'X-Shop': '7' } } };
    expect(await sweep(mount, { routes })).to.contain(leak('reference'));
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
    outcomeFor('a refused route', hostWith({ mount }, { refused }));
  const forOperators: RequestHandler = (_req, res) => void res.status(403).json({});

  it('passes for 401, 403 and 404', async () => {
    const mount = (app: Express) => app.get('/v1/admin/:id', forOperators).all('/v1/admin', forOperators);
    const refused = { 'GET /v1/admin/*': 'For operators.', 'ALL /v1/admin': 'For operators.' };
    expect(await refuse(mount, refused)).to.equal('passed');
  });

  it('is red for one that shows a row, which it asks by an id that exists', async () => {
    const mount: Addition['mount'] = (app, rows) =>
      app.get('/v1/admin/:id', (req, res) => {
        const row = rows.find(({ id }) => id === req.params.id);
        res.status(row ? 200 : 404).json(row ?? {});
      });
    expect(await refuse(mount, { 'GET /v1/admin/:id': 'For operators.' })).to.equal(
      'GET /v1/admin/:id got 200 for BTQ-1001 in place of 401, 403 or 404, although refused names it. Check on the server ' +
        'that the caller is no merchant. The body has the members id, refercence_cl.',
    );
  });

  it('is red for one method of app.all, and for one merchant', async () => {
    const mount: Addition['mount'] = (app) =>
      app.all('/v1/admin', (req, res) => {
        res.sendStatus(req.method === 'DELETE' && auth.merchantOf(req).id === KOFI.id ? 204 : 403);
      });
    expect(await refuse(mount, { 'ALL /v1/admin': 'For operators.' })).to.match(
      /^ALL \/v1\/admin got 204 for CNT-1002 /,
    );
  });
});

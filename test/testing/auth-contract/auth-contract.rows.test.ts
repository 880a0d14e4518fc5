import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Express, Request, RequestHandler, Response } from 'express';
import type { HostUnderTest, Resource } from '../../../src/testing/index.js';
import { AWA, KOFI, PASSWORD } from '../../helpers/accounts.js';
import { stubComputations } from '../../helpers/computations.js';
import { outcomeOfCase } from '../../helpers/contract.js';
import { FRAMEWORK } from '../../helpers/framework.js';
import { serve } from '../../helpers/http.js';
import { onEachExpress } from '../../helpers/on-each-express.js';
import { type Addition, answerNotFound, answerWith, hostWith, type Row, type Rows, TRANSACTIONS } from './rows-host.js';

const { auth } = FRAMEWORK;

const fakeHashes = () => stubComputations(({ password }) => password === PASSWORD);
const outcomeFor = (addition: Addition = {}, change?: Partial<HostUnderTest>) =>
  outcomeOfCase('5.6 a row of', hostWith(addition, change));

type Mount = NonNullable<Addition['mount']>;
const path = '/v1/transactions/:id';
/** Mounts a GET that has its own answer to some requests, and is right for all others. */
const getting =
  (answer: (rows: Rows) => RequestHandler): Mount =>
  (app, rows) =>
    app.get(path, answer(rows));
/** Mounts a change that a lookup decides. */
const changing =
  (find: (rows: Rows) => Rows['own'], method: 'patch' | 'put' | 'post' = 'patch'): Mount =>
  (app, rows) =>
    app[method](path, (req, res) => {
      const row = find(rows)(req);
      Object.assign(row ?? {}, { note: (req.body as Row).note ?? '' });
      answerWith(find(rows))(req, res, () => undefined);
    });
const deleting =
  (find: (rows: Rows) => Rows['own']) =>
  (rows: Rows): RequestHandler =>
  (req, res) => {
    const row = find(rows)(req);
    if (row) {
      rows.all.splice(rows.all.indexOf(row), 1);
      res.status(204).end();
    } else answerNotFound(res);
  };
const noting = (route: string) => ({ routes: { [route]: { body: () => ({ note: randomUUID() }) } } });
const lookup = { 'POST /v1/lookup': { body: ({ id }: { id?: unknown }) => ({ id }) } };

/** Refunds of transactions, whose ids begin at 1 in each transaction. */
const REFUNDS: Resource = {
  read: 'GET /v1/transactions/:id/refunds/:refund',
  async create(as) {
    const { id } = await TRANSACTIONS.create(as);
    const { refund } = (await as.send(`POST /v1/transactions/${id}/refunds`, { reason: 'returned' })) as {
      refund: number;
    };
    return { id: id ?? '', refund };
  },
};
interface Refund {
  readonly id: unknown;
  readonly refund: number;
  readonly refercence_cl: string;
}
/** Mounts refunds. `isRight` decides if a request gets one. */
const refunding =
  (
    isRight: (refund: Refund, asked: { id?: string; refund?: string }, referencl: string) => boolean,
    newRefund: (refunds: readonly Refund[], id: unknown) => number,
  ): Mount =>
  (app, { own }) => {
    const refunds: Refund[] = [];
    app.post('/v1/transactions/:id/refunds', (req, res) => {
      const row = own(req);
      if ((req.body as { reason?: unknown }).reason !== 'returned') res.sendStatus(422);
      else if (row) {
        refunds.push({ id: row.id, refund: newRefund(refunds, row.id), refercence_cl: row.refercence_cl });
        res.status(201).json(refunds.at(-1));
      } else answerNotFound(res);
    });
    app.get('/v1/transactions/:id/refunds/:refund', (req, res) => {
      const { referencl } = auth.merchantOf(req);
      const found = refunds.find((refund) => isRight(refund, req.params, referencl));
      if (found) res.json({ refund: found.refund });
      else answerNotFound(res);
    });
  };
const counted = (refunds: readonly Refund[], id: unknown) => refunds.filter((refund) => refund.id === id).length + 1;
const everCounted = (refunds: readonly Refund[]) => refunds.length + 1;
const both = ({ id, refund }: Refund, asked: { id?: string; refund?: string }) =>
  id === asked.id && String(refund) === asked.refund;

/** Keeps answers by their URL, as a cache before the guard does. */
function caching(isServed: (authorization: string | undefined) => boolean): RequestHandler {
  const kept = new Map<string, string>();
  return (req, res, next) => {
    const hit = kept.get(req.originalUrl);
    if (hit !== undefined && isServed(req.headers.authorization)) {
      res.type('json').send(hit);
      return;
    }
    const json = res.json.bind(res);
    res.json = (body) => {
      if (req.method === 'GET' && res.statusCode === 200) kept.set(req.originalUrl, JSON.stringify(body));
      return json(body);
    };
    next();
  };
}

describe('the case of rows passes for a right host', () => {
  beforeEach('fake the hashes', fakeHashes);

  let number = 16;
  const count = () => (number += 1);
  const counts = new Map<string, number>();
  const RIGHT: Readonly<Record<string, readonly [Addition, Partial<HostUnderTest>?]>> = {
    'with ids that are UUIDs': [{}],
    'with ids that are numbers': [{ newId: count }],
    'with ids that each merchant counts': [
      {
        newId: (referencl) => {
          counts.set(referencl, (counts.get(referencl) ?? 0) + 1);
          return counts.get(referencl) ?? 0;
        },
      },
    ],
    'that changes and deletes rows': [
      {
        mount: (app, rows) => {
          changing(({ own }) => own)(app, rows);
          app.delete(path, deleting(({ own }) => own)(rows)).post(`${path}/reminder`, answerWith(rows.own));
        },
      },
      noting(`PATCH ${path}`),
    ],
    'that answers each refusal with 403, a time, a number and the path': [
      {
        mount: getting(({ own }) => (req, res, next) => {
          if (own(req)) next();
          else res.status(403).json({ at: new Date(), request: count(), path: req.originalUrl });
        }),
      },
    ],
    'that answers 200 with success: false for each row that is not there': [
      {
        mount: getting(
          ({ own }) =>
            (req, res, next) =>
              own(req) ? next() : res.json({ success: false }),
        ),
      },
    ],
    'whose ids cannot be guessed, with 403 for a row of another merchant': [
      {
        mount: getting(({ own, any }) => (req, res, next) => {
          if (any(req) && !own(req)) res.status(403).json({ error: 'forbidden' });
          else next();
        }),
      },
      { resources: [{ ...TRANSACTIONS, hides: false }] },
    ],
    'with app.all that serves two methods': [
      {
        mount: (app, rows) =>
          app.all(path, (req, res, next) => {
            if (req.method === 'DELETE') deleting(({ own }) => own)(rows)(req, res, next);
            else if (req.method === 'GET') next();
            else res.sendStatus(405);
          }),
      },
    ],
    'with refunds that each transaction counts': [
      {
        mount: refunding(
          (refund, asked, referencl) => both(refund, asked) && refund.refercence_cl === referencl,
          counted,
        ),
      },
      { resources: [TRANSACTIONS, REFUNDS] },
    ],
    'that takes the id in a body, in a query and behind requireOwnReference()': [
      {
        mount: (app, { own }) => {
          app.post('/v1/lookup', auth.requireOwnReference(), answerWith(own));
          app.get('/v1/receipt', auth.requireOwnReference(), answerWith(own));
        },
      },
      { routes: { ...lookup, 'GET /v1/receipt': { query: ({ id }) => ({ id }) } } },
    ],
    'whose refusals have times and numbers that are the same for some time': [
      {
        mount: getting(({ own, any }) => {
          let misses = 0;
          const start = Date.now();
          return (req, res, next) => {
            const at = new Date(start + (any(req) ? 0 : 1_000));
            if (own(req)) next();
            else res.status(404).json({ at, minute: (misses += 1) > 1 });
          };
        }),
      },
    ],
    'with a part of a row at a path of its own': [
      {
        mount: (app, { own }) => {
          const settings = new Map<unknown, unknown>();
          const show = (req: Request, res: Response) => {
            if (own(req)) res.json({ settings: settings.get(own(req)) ?? null });
            else answerNotFound(res);
          };
          app.get(`${path}/settings`, show).put(`${path}/settings`, (req, res) => {
            if (own(req)) settings.set(own(req), req.body);
            show(req, res);
          });
        },
      },
    ],
    'whose POST needs an Idempotency-Key': [
      {
        before: (req, res, next) =>
          req.method !== 'POST' || req.url === '/v1/login' || req.get('Idempotency-Key') ? next() : res.sendStatus(400),
      },
    ],
    'whose route needs a header': [
      { mount: getting(() => (req, res, next) => (req.get('X-Shop') === '7' ? next() : res.sendStatus(400))) },
      { routes: { [`GET ${path}`]: { headers: { 'X-Shop': '7' } } } },
    ],
  };
  for (const [what, [addition, change]] of Object.entries(RIGHT)) {
    it(what, async () => {
      expect(await outcomeFor(addition, change)).to.equal('passed');
    });
  }

  it('whose rows are made without a request', async () => {
    let rows: Row[] = [];
    const create: Resource['create'] = ({ referencl }) => {
      rows.push({ id: randomUUID(), refercence_cl: referencl });
      return Promise.resolve({ id: rows.at(-1)?.id ?? '' });
    };
    const mount: Mount = (_app, { all }) => (rows = all);
    expect(await outcomeFor({ mount }, { resources: [{ ...TRANSACTIONS, create }] })).to.equal('passed');
  });

  it('that is asked by its address', async () => {
    const { app, ...host } = hostWith();
    const baseUrl = `http://127.0.0.1:${(await serve(app ?? expect.fail())).port}`;
    expect(await outcomeOfCase('5.6 a row of', { ...host, baseUrl })).to.equal('passed');
  });
});

const UUID_PATH = /\/v1\/transactions\/[\da-f-]{36}/;
const FIND = 'Find the row by its id and by merchantOf(req).referencl, and answer 404 when there is none.';
const CACHE = 'A cache before the guard keeps answers. Mount it after the guard, keyed by merchantOf(req).id.';
const asked = (route: string, names = 'id') => `${route} of CNT-1002 with the ${names} of BTQ-1001 got`;
const tells = 'an id that nobody has, which tells that the row exists.';
const leaveOut = (route: string) => `Or leave it out: leaveOut: { '${route}': 'the reason' }.`;

describe('the case of rows is red, and says what to change', () => {
  beforeEach('fake the hashes', fakeHashes);

  let requests = 0;
  const foreign =
    (answer: RequestHandler): Mount =>
    (app, { own, any }) =>
      app.get(path, (req, res, next) => (any(req) && !own(req) ? answer(req, res, next) : next()));
  const FAULTS: Readonly<Record<string, readonly [Addition, string, Partial<HostUnderTest>?]>> = {
    'a row that is found by its id alone': [
      { mount: getting(({ any }) => answerWith(any)) },
      `${asked(`GET ${path}`)} 200. ${FIND} The body has the members transaction.`,
    ],
    'a status that tells that the row exists': [
      { mount: foreign((_req, res) => void res.status(403).json({ error: 'forbidden' })) },
      `${asked(`GET ${path}`)} 403 forbidden, and 404 not_found with ${tells} ${FIND} If ids cannot be guessed, write ` +
        `hides: false beside read: 'GET ${path}'. The body: {"error":"forbidden"}`,
    ],
    'a member that only a row that exists has': [
      { mount: foreign((_req, res) => void res.status(404).json({ error: 'not_found', trace: randomUUID() })) },
      `${asked(`GET ${path}`)} 404 not_found, with another body than for ${tells} ${FIND} The body: ...`,
    ],
    'a text about the id that tells that the row exists': [
      {
        mount: getting(({ own, any }) => (req, res, next) => {
          if (own(req)) next();
          else res.status(404).json({ text: `${req.params['id']} is ${any(req) ? 'not yours' : 'not there'}.` });
        }),
      },
      `${asked(`GET ${path}`)} 404, with another body than for ${tells} ${FIND} The body: ...`,
    ],
    'the reference of its owner in a refusal that differs each time': [
      {
        mount: getting(({ own, any }) => (req, res, next) => {
          const text = `${any(req)?.refercence_cl} ${randomUUID()}`;
          if (own(req)) next();
          else res.status(404).json({ text });
        }),
      },
      `${asked(`GET ${path}`)} 404, with the reference or another id of BTQ-1001. ${FIND} The body: ...`,
    ],
    'app.all with a hole in DELETE': [
      {
        mount: (app, rows) =>
          app.all(path, (req, res, next) =>
            req.method === 'DELETE' ? deleting(({ any }) => any)(rows)(req, res, next) : next(),
          ),
      },
      `${asked(`DELETE ${path}`)} 204. ${FIND}`,
    ],
    'an id in the body': [
      { mount: (app, { any }) => app.post('/v1/lookup', answerWith(any)) },
      `${asked('POST /v1/lookup')} 200. ${FIND} The body has the members transaction.`,
      { routes: lookup },
    ],
    'a refund of another merchant, with its transaction': [
      { mount: refunding(both, everCounted) },
      `${asked(REFUNDS.read, 'id and refund')} 200. ${FIND} The body has the members refund.`,
      { resources: [REFUNDS] },
    ],
    'a refund of another merchant, with an own transaction': [
      { mount: refunding(({ refund }, one) => String(refund) === one.refund, everCounted) },
      `${asked(REFUNDS.read, 'refund')} 200. ${FIND} The body has the members refund.`,
      { resources: [REFUNDS] },
    ],
    'a change that is made before its merchant is checked': [
      {
        mount: (app, rows) =>
          app.patch(path, (req, res, next) => {
            Object.assign(rows.any(req) ?? {}, { note: randomUUID() });
            answerWith(rows.own)(req, res, next);
          }),
      },
      `PATCH ${path} of CNT-1002 changed the row of BTQ-1001: GET ${path} shows another transaction.note. ${FIND}`,
    ],
    'a change that shows nowhere, so the test proves nothing': [
      { mount: (app, { own }) => app.put(path, answerWith(own)) },
      `PUT ${path} of the owner changed nothing that GET ${path} shows, so the test proves nothing. Write a body that ` +
        `changes the row: routes: { 'PUT ${path}': { body: { ... } } }. Or give a resource whose read shows it.`,
    ],
    'a change that takes the merchant from the body': [
      {
        reference: 'unchecked',
        mount: (app, { own }) =>
          app.patch(path, (req, res, next) => {
            const row = own(req);
            Object.assign(row ?? {}, req.body);
            if (row) res.json({ transaction: row });
            else answerWith(own)(req, res, next);
          }),
      },
      `PATCH ${path} with the reference of CNT-1002 as refercence_cl in the body moved the row to it. Take the reference ` +
        'from merchantOf(req).referencl, never from the body. The body has the members transaction.',
      noting(`PATCH ${path}`),
    ],
    'the same under another name, which the guard does not look at': [
      {
        mount: (app, { own, all }) => {
          app.patch(path, (req, res, next) => {
            const row = own(req);
            const { merchant, note = '' } = req.body as { merchant?: string; note?: string };
            Object.assign(row ?? {}, { note }, merchant === undefined ? {} : { refercence_cl: merchant });
            if (row) res.json({ id: row.id });
            else answerWith(own)(req, res, next);
          });
          app.get(path, (req, res) => {
            const row = own(req);
            if (row) res.json({ data: { merchant: row.refercence_cl, note: row.note, rows: all.length } });
            else answerNotFound(res);
          });
        },
      },
      `PATCH ${path} with the reference of CNT-1002 as merchant in the body moved the row to it. Take the reference from ` +
        'merchantOf(req).referencl, never from the body. The body has the members id.',
      noting(`PATCH ${path}`),
    ],
    'a cache before the guard, for the other merchant': [
      { before: caching((authorization) => authorization !== undefined) },
      `${asked(`GET ${path}`)} 200. ${CACHE} The body has the members transaction.`,
    ],
    'a cache before the guard, for a caller without a token': [
      { before: caching((authorization) => authorization === undefined) },
      `GET ${path} without a token got 200 after its owner had read it. ${CACHE} The body has the members transaction.`,
    ],
    'a request that the owner may not send, so the test proves nothing': [
      { mount: (app) => app.patch(path, (_req, res) => void res.status(422).json({ error: 'state_missing' })) },
      `PATCH /v1/transactions/<id> of CNT-1002 for its own row got 422 state_missing, so the test of PATCH ${path} proves ` +
        `nothing. Write what the route needs: routes: { 'PATCH ${path}': { body: { ... } } }. ${leaveOut(`PATCH ${path}`)} ` +
        'The body: {"error":"state_missing"}',
    ],
    'a function of routes that takes no value': [
      { mount: (app, { any }) => app.post('/v1/lookup', answerWith(any)) },
      'POST /v1/lookup takes no value, and no create returns that. Let body and query of routes be functions of the values ' +
        'that create returns.',
      { routes: { 'POST /v1/lookup': { body: () => ({}) } } },
    ],
    'a limiter': [
      { mount: (app) => app.get(path, (_req, res, next) => ((requests += 1) > 2 ? void res.sendStatus(429) : next())) },
      'GET /v1/transactions/<id> got 429. A limiter refused it: ...',
    ],
  };
  for (const [fault, [addition, says, change]] of Object.entries(FAULTS)) {
    it(fault, async () => {
      const outcome = await outcomeFor(addition, change);
      const [start = '', isCut] = says.endsWith('...') ? [says.slice(0, -3), true] : [says];
      const shown = outcome.replace(UUID_PATH, '/v1/transactions/<id>');
      expect(isCut ? shown.slice(0, start.length) : shown).to.equal(start);
    });
  }

  for (const [what, create, says] of [
    [
      'create that fails, without the password',
      (as) => Promise.reject(new Error(`no row for ${as.password}`)),
      `create of GET ${path} failed: no row for <password>.`,
    ],
    [
      'create that sends what the route refuses',
      (as) => as.send('POST /v1/transactions', { refercence_cl: 'X' }) as Promise<Record<string, string>>,
      'POST /v1/transactions for CNT-1002 got 403 foreign_reference. Let create of the resource send what the route ' +
        'accepts, different each time. The body: ...',
    ],
    [
      'create that returns no id',
      () => Promise.resolve({ uuid: '7' }),
      `create of GET ${path} returned no id. Return the value of each parameter of read.`,
    ],
    [
      'create that makes no row of the owner',
      async (as) => (as.email === AWA.email ? { id: randomUUID() } : TRANSACTIONS.create(as)),
      `GET /v1/transactions/<id> of BTQ-1001 for its own row got 404 not_found, so the test of GET ${path} proves nothing. ...`,
    ],
    [
      'create that gives both merchants one id',
      async (as) => ({ ...(await TRANSACTIONS.create(as)), id: '7' }),
      `GET /v1/transactions/7 of CNT-1002 for its own row got 404 not_found, so the test of GET ${path} proves nothing. ...`,
    ],
  ] satisfies [string, Resource['create'], string][]) {
    it(what, async () => {
      const outcome = await outcomeFor({}, { resources: [{ ...TRANSACTIONS, create }] });
      const start = says.replace(/\.\.\.$/, '');
      const shown = outcome.replace(UUID_PATH, '/v1/transactions/<id>');
      expect(says === start ? shown : shown.slice(0, start.length)).to.equal(start);
    });
  }

  it('rows of which both merchants have the same ids', async () => {
    const mount = getting(() => (_req, res) => void res.json({}));
    const outcome = await outcomeFor({ mount, newId: () => 7 });
    expect(outcome).to.equal(
      `create of GET ${path} gave BTQ-1001 only ids that CNT-1002 has too. Let it make a new row each time.`,
    );
  });
});

describe('the case of rows', () => {
  beforeEach('fake the hashes', fakeHashes);

  it('is left out without resources, another merchant or a route, and says which', async () => {
    const { resources, ...host } = hostWith();
    const { otherMerchant, ...alone } = hostWith();
    expect([resources?.length, otherMerchant?.email]).to.deep.equal([1, KOFI.email]);
    const outcomes = await Promise.all(
      [host, alone, hostWith({}, { leaveOut: { [`GET ${path}`]: 'A receipt is public.' } })].map((one) =>
        outcomeOfCase('5.6 a row of', one),
      ),
    );
    expect(outcomes).to.deep.equal([
      'left out: Give resources to test this.',
      'left out: Give otherMerchant to test this.',
      'left out: No route of a resource is behind a guard, so no row was asked for.',
    ]);
  });

  it('sends the merchant the parsed answer', async () => {
    const seen: unknown[] = [];
    const create: Resource['create'] = async (as) => {
      const { id } = await TRANSACTIONS.create(as);
      seen.push(await as.send(`GET /v1/transactions/${id}`, undefined, { 'X-Shop': '7' }), as.referencl);
      return { id: id ?? '' };
    };
    const before: RequestHandler = (req, _res, next) => {
      if (req.method === 'GET') seen.push(req.get('X-Shop'), req.get('Idempotency-Key'));
      next();
    };
    await outcomeFor({ before }, { resources: [{ ...TRANSACTIONS, create }] });
    expect(seen.slice(0, 2)).to.deep.equal(['7', undefined]);
    expect(seen[2]).to.have.nested.property('transaction.refercence_cl', KOFI.marchand.referencl);
    expect(seen).to.include(AWA.marchand.referencl);
  });
});

onEachExpress('the case of rows', (framework) => {
  beforeEach('fake the hashes', fakeHashes);

  it('asks routes with an optional part, an expression or a wildcard, in a sub-app', async () => {
    const paths = framework.major === 4 ? ['/:id([\\w-]+)/receipt', '/*'] : ['/:id{/receipt}', '/*id'];
    const inner = framework.express();
    const mount = (app: Express, { any }: Rows) => {
      app.use('/v1/transactions', inner);
      for (const one of paths)
        inner.get(one, (req, res, next) => {
          const [id] = [Object.values(req.params)[0]].flat();
          answerWith(() => any({ params: { id } } as never))(req, res, next);
        });
    };
    const host = hostWith({ mount }, { apps: [inner] }, framework);
    const outcome = await outcomeOfCase('5.6 a row of', host, framework.testing.authContract);
    for (const one of paths) expect(outcome).to.contain(asked(`GET /v1/transactions${one}`));
  });
});

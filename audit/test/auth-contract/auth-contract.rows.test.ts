import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Express, RequestHandler } from 'express';
import type { HostUnderTest, Resource } from '../../src/index.js';
import { AWA, KOFI } from '../../../test/helpers/accounts.js';
import { outcomeOfCase } from '../contract.js';
import { onEachExpress } from '../../../test/helpers/on-each-express.js';
import {
  both,
  caching,
  countingForEach,
  deleting,
  everCounted,
  fakeHashes,
  getting,
  lookup,
  type Mount,
  noting,
  outcomeFor,
  path,
  refunding,
  REFUNDS,
} from './row-handlers.js';
import { type Addition, answerNotFound, answerWith, hostWith, type Rows, TRANSACTIONS } from './rows-host.js';

const UUID_PATH = /\/v1\/transactions\/[\da-f-]{36}/;
const FIND = 'Find the row by its id and by merchantOf(req).referencl, and answer 404 when there is none.';
const CACHE =
  'A cache keeps answers for all callers. Mount it after the guard, and let its keys have merchantOf(req).id.';
const asked = (route: string, names = 'id') => `${route} of CNT-1002 with the ${names} of BTQ-1001 got`;
const tells = 'an id that nobody has, which tells that the row exists.';
const leaveOut = (route: string) => `Or leave it out: leaveOut: { '${route}': 'the reason' }.`;

describe('the case of rows is red, and says what to change', () => {
  beforeEach('fake the hashes', fakeHashes);

  let requests = 0;
  const numberOf = countingForEach();
  /** Finds the first row with the number of an own one. */
  const firstOf =
    ({ own, any }: Rows): Rows['own'] =>
    (req) =>
      own(req) && any(req);
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
      `${asked(`GET ${path}`)} 404 not_found, and its trace differs from the answer for ${tells} ${FIND} The body: ...`,
    ],
    'a text about the id that tells that the row exists': [
      {
        mount: getting(({ own, any }) => (req, res, next) => {
          if (own(req)) next();
          else res.status(404).json({ text: `${req.params['id']} is ${any(req) ? 'not yours' : 'not there'}.` });
        }),
      },
      `${asked(`GET ${path}`)} 404, and its text differs from the answer for ${tells} ${FIND} The body: ...`,
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
    'a row that is found by its number alone, where the caller has that number too': [
      { newId: numberOf, mount: getting((rows) => answerWith(firstOf(rows))) },
      `GET ${path} of CNT-1002 for its own row showed the reference of BTQ-1001. ${FIND} The body has the members transaction.`,
    ],
    'the same of a table that keeps one row for each number': [
      {
        newId: numberOf,
        mount: getting(({ own, all }) =>
          answerWith((req) => own(req) && all.findLast(({ id }) => String(id) === req.params['id'])),
        ),
      },
      `GET ${path} of CNT-1002 for its own row showed the reference of BTQ-1001. ${FIND} The body has the members transaction.`,
    ],
    'a change of the row that is found by its number alone, where the caller has that number too': [
      {
        newId: numberOf,
        mount: (app, rows) =>
          app.patch(path, (req, res) => {
            const row = firstOf(rows)(req);
            Object.assign(row ?? {}, { note: randomUUID() });
            res.status(row ? 200 : 404).json({});
          }),
      },
      `PATCH ${path} of CNT-1002 changed the row of BTQ-1001: GET ${path} shows another transaction.note. ${FIND}`,
    ],
    'an own row with the rows of all merchants beside it': [
      {
        mount: (app, { own, all }) =>
          app.get(`${path}/related`, (req, res) => {
            if (own(req)) res.json(all.map(({ id }) => ({ id })));
            else answerNotFound(res);
          }),
      },
      `GET ${path}/related of CNT-1002 for its own row showed the id of a row of BTQ-1001. ${FIND}`,
    ],
    'app.all with a hole in POST': [
      {
        mount: (app, rows) =>
          app.all(`${path}/reminder`, (req, res, next) => {
            if (/^(?:GET|POST)$/.test(req.method))
              answerWith(req.method === 'POST' ? rows.any : rows.own)(req, res, next);
            else res.sendStatus(405);
          }),
      },
      `${asked(`POST ${path}/reminder`)} 200. ${FIND} The body has the members transaction.`,
    ],
    'app.all that serves no method': [
      { mount: (app) => app.all(`${path}/reminder`, (_req, res) => void res.sendStatus(405)) },
      `ALL ${path}/reminder answers an own row with 404, 405 or 501 to each method.`,
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
      `PATCH ${path} with the value of CNT-1002 as refercence_cl in the body moved the row to it. Take the merchant ` +
        'from merchantOf(req), never from the body. The body has the members transaction.',
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
      `PATCH ${path} with the value of CNT-1002 as merchant in the body moved the row to it. Take the merchant from ` +
        'merchantOf(req), never from the body. The body has the members id.',
      noting(`PATCH ${path}`),
    ],
    'the same in an object': [
      {
        mount: (app, { own }) => {
          app.patch(path, (req, res) => {
            const row = own(req);
            const { merchant, note = '' } = req.body as { merchant?: { code?: string }; note?: string };
            Object.assign(row ?? {}, { note }, merchant?.code === undefined ? {} : { refercence_cl: merchant.code });
            res.status(row ? 200 : 404).json({});
          });
          app.get(path, (req, res) => {
            const { refercence_cl: code, note } = own(req) ?? {};
            if (code === undefined) answerNotFound(res);
            else res.json({ merchant: { code }, note });
          });
        },
      },
      `PATCH ${path} with the value of CNT-1002 as merchant in the body moved the row to it. Take the merchant from ` +
        'merchantOf(req), never from the body.',
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
      'POST /v1/lookup takes no value that create returns. Let body, query or headers of routes be a function of these values. ' +
        'If the route takes no row, let create of a resource send its request, without an entry.',
      { routes: { 'POST /v1/lookup': { body: ({ refercence_cl }) => ({ refercence_cl }) } } },
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
      'create that sends to a path without a method',
      (as) => as.send('/v1/transactions', {}) as Promise<Record<string, string>>,
      'send takes a method and a path, for example POST /v1/payments, and not "/v1/transactions".',
    ],
    [
      'create that returns nothing',
      () => Promise.resolve(undefined as never),
      `create of GET ${path} returned nothing as id. Return a string or a number for each parameter of read.`,
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
      `create of GET ${path} gave BTQ-1001 no id that CNT-1002 does not have too. Let it make a new row each time. Or ` +
        `leave GET ${path} out, if it takes no id of a row.`,
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
    const outcome = await outcomeOfCase('5.6 a row of', host);
    for (const one of paths) expect(outcome).to.contain(asked(`GET /v1/transactions${one}`));
  });
});

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Request, Response } from 'express';
import type { HostUnderTest, Resource } from '../../src/index.js';
import { outcomeOfCase } from '../contract.js';
import { FRAMEWORK } from '../../../test/helpers/framework.js';
import { serve } from '../../../test/helpers/http.js';
import {
  both,
  changing,
  counted,
  countingForEach,
  deleting,
  fakeHashes,
  getting,
  type Mount,
  noting,
  outcomeFor,
  path,
  refunding,
  REFUNDS,
} from './row-handlers.js';
import { type Addition, answerNotFound, answerWith, hostWith, type Row, TRANSACTIONS } from './rows-host.js';

const { auth } = FRAMEWORK;

describe('the case of rows passes for a right host', () => {
  beforeEach('fake the hashes', fakeHashes);

  let number = 16;
  const count = () => (number += 1);
  const numberOf = countingForEach();
  const RIGHT: Readonly<Record<string, readonly [Addition, Partial<HostUnderTest>?]>> = {
    'with ids that are UUIDs': [{}],
    'with ids that are numbers, and the next one in the answer': [
      {
        newId: count,
        mount: getting(
          ({ own }) =>
            (req, res, next) =>
              own(req) ? res.json({ next: Number(own(req)?.id) + 1 }) : next(),
        ),
      },
    ],
    'with ids that each merchant counts': [{ newId: numberOf }],
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
    'whose ids have a form that a made-up one does not have': [
      {
        newId: () => String(1000 + count()),
        before: (req, res, next) => (/\/transactions\/(?!\d{4}$)/.test(req.url) ? void res.sendStatus(400) : next()),
      },
    ],
    'whose path has a kind beside the id, which each merchant has': [
      {
        mount: (app, { own }) =>
          app.get(`${path}/documents/:kind`, (req, res) => {
            const { kind } = req.params;
            if (kind === 'receipt' && own(req)) res.json({ kind });
            else res.status(404).json({ error: kind === 'receipt' ? 'not_found' : 'unknown_kind' });
          }),
      },
      {
        resources: [
          {
            read: `GET ${path}/documents/:kind`,
            create: async (as) => ({ ...(await TRANSACTIONS.create(as)), kind: 'receipt' }),
          },
        ],
      },
    ],
    'with a body that fits the rows of one resource alone': [
      { mount: (app, { own }) => app.post('/v1/lookup', answerWith(own)) },
      {
        resources: [{ read: 'GET /v1/shops/:shop', create: () => Promise.resolve({ shop: 'S1' }) }, TRANSACTIONS],
        routes: { 'POST /v1/lookup': { body: ({ id }) => ({ id: (id as string).trim() }) } },
      },
    ],
    'that tells its time in a number of few values': [
      {
        mount: getting(({ own, any }) => {
          const times = [2, 2];
          return (req, res, next) => {
            if (own(req)) next();
            else res.status(404).json({ took_ms: (any(req) && times.shift()) ?? 1 });
          };
        }),
      },
    ],
    'with a POST that hides the row': [
      {
        mount: (app, { all, own }) =>
          app.post(`${path}/archive`, (req, res) => {
            const row = own(req);
            if (!row) answerNotFound(res);
            else res.json(all.splice(all.indexOf(row), 1));
          }),
      },
    ],
    'whose first rows change by themselves': [
      {
        mount: (app, rows) => {
          const reads = new Map<unknown, number>();
          changing(({ own }) => own)(app, rows);
          app.get(path, (req, res) => {
            const row = rows.own(req);
            if (!row) {
              answerNotFound(res);
              return;
            }
            reads.set(row, (reads.get(row) ?? 0) + 1);
            const isPending = rows.all.indexOf(row) < 3 && (reads.get(row) ?? 0) < 3;
            return res.json({ ...row, state: isPending ? 'pending' : 'paid' });
          });
        },
      },
      noting(`PATCH ${path}`),
    ],
    'with long ids that each merchant counts, and the own rows beside a row': [
      {
        newId: (referencl) => `INV-${1000 + numberOf(referencl)}`,
        mount: (app, { all, own }) =>
          app.get(`${path}/related`, (req, res) => {
            const merchant = own(req)?.refercence_cl;
            if (merchant === undefined) answerNotFound(res);
            else res.json(all.filter(({ refercence_cl }) => refercence_cl === merchant));
          }),
      },
    ],
    'with app.all that changes and shows a part of a row': [
      {
        mount: (app, { own }) => {
          const settings = new Map<unknown, unknown>();
          app.all(`${path}/settings`, (req, res) => {
            const row = own(req);
            if (req.method === 'PUT' && row) settings.set(row, req.body);
            if (!/^(?:GET|PUT)$/.test(req.method)) res.sendStatus(405);
            else if (row) res.json({ settings: settings.get(row) ?? null });
            else answerNotFound(res);
          });
        },
      },
    ],
    'with app.all that serves POST alone': [
      {
        mount: (app, { own }) =>
          app.all(`${path}/reminder`, (req, res) => {
            if (req.method === 'POST') answerWith(own)(req, res, () => undefined);
            else res.sendStatus(405);
          }),
      },
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
      {
        routes: {
          'POST /v1/lookup': { body: ({ id, refercence_cl }) => ({ id, refercence_cl }) },
          'GET /v1/receipt': { query: ({ id }) => ({ id }) },
        },
      },
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
    'with settings of a row at another path': [
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

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Request, RequestHandler, Response } from 'express';
import { AWA, KOFI, withPassword } from '../../helpers/accounts.js';
import { HOST } from '../../helpers/contract.js';
import { onEachExpress } from '../../helpers/on-each-express.js';
import { serve } from '../../helpers/http.js';
import type { HostUnderTest, RowRoute } from '../../../src/testing/index.js';

const CASE = '5.6 a row of another merchant';
const FIND = 'Find the row by its id and by merchantOf(req).referencl, and answer 404 when there is none.';

interface Row {
  readonly id: string | number;
  readonly refercence_cl: string;
  amount: number;
}

type Find = (req: Request, id: unknown) => Row | undefined;

/** The differences from a right host. */
interface Difference {
  readonly newId?: () => string | number;
  readonly routes?: (rows: Row[], find: Find, findAny: Find) => Readonly<Record<string, RequestHandler>>;
  readonly before?: RequestHandler;
  readonly rows?: readonly RowRoute[];
}

const notFound = (res: Response) =>
  void res.status(404).json({ error: 'not_found', at: new Date(), request: randomUUID() });
const send = (res: Response, row: Row | undefined) => (row ? void res.json({ transaction: row }) : notFound(res));

onEachExpress('the case of rows', (framework) => {
  const { auth, express, testing } = framework;

  function hostWith({ newId = randomUUID, routes, before, rows: named }: Difference): HostUnderTest {
    const rows: Row[] = [];
    const findAny: Find = (_req, id) => rows.find((row) => String(row.id) === String(id));
    const find: Find = (req, id) => {
      const row = findAny(req, id);
      return row?.refercence_cl === auth.merchantOf(req).referencl ? row : undefined;
    };
    const handlers: Record<string, RequestHandler> = {
      'get /': (req, res) =>
        void res.json(rows.filter(({ refercence_cl }) => refercence_cl === auth.merchantOf(req).referencl)),
      'get /:id': (req, res) => send(res, find(req, req.params['id'])),
      ...routes?.(rows, find, findAny),
    };
    const router = express.Router();
    router.post('/', auth.requireOwnReference(), (req, res) => {
      const row = { id: newId(), refercence_cl: auth.merchantOf(req).referencl, amount: 1500 };
      rows.push(row);
      res.status(201).json({ transaction: row });
    });
    for (const [route, handler] of Object.entries(handlers)) {
      const [method, path] = route.split(' ') as ['get', string];
      router[method](path, handler);
    }
    const store = new auth.InMemoryUserStore([AWA, KOFI].map(withPassword));
    const app = express();
    app.use('/v1', auth.createLoginRouter(store));
    app.use('/v1', auth.requireBearer({ userStore: store }));
    if (before) app.use(before);
    // A mounted app with a nested router.
    app.use('/v1', express().use('/transactions', router));
    app.use(auth.authErrorHandler());
    const idOf = (answer: { transaction: Row }) => answer.transaction.id;
    return { ...HOST, app, transactions: { ...HOST.transactions, idOf }, ...(named && { rows: named }) };
  }

  /** Returns the message of the case, the reason of a case that is left out, or `passed`. */
  async function outcomeOf(host: HostUnderTest): Promise<string> {
    let outcome = 'passed';
    const only = testing.authContract(() => Promise.resolve(host)).find(({ name }) => name.startsWith(CASE));
    const skip = (reason: string) => (outcome = `left out: ${reason}`);
    await only?.run.call({ skip }).catch((error: unknown) => (outcome = (error as Error).message));
    return outcome;
  }

  const refund =
    (find: Find): RequestHandler =>
    (req, res) =>
      send(res, find(req, req.params['id']));
  const byBody: RowRoute[] = [
    { method: 'post', path: () => '/v1/transactions/search', body: (id) => ({ transaction_id: id }) },
  ];
  const search =
    (find: Find): RequestHandler =>
    (req, res) =>
      send(res, find(req, (req.body as { transaction_id: string }).transaction_id));
  const receipts: RowRoute[] = [
    { method: 'GET', path: (id) => `/v1/transactions/${id}`, skip: true, reason: 'A receipt is public.' },
  ];
  const counter = () => {
    let number = 16;
    return () => (number += 1);
  };

  const right: Readonly<Record<string, Difference>> = {
    'with ids that are UUIDs': {},
    'with numbers that are members of other rows too': {
      newId: counter(),
      routes: () => ({ 'get /': (_req, res) => void res.json([{ id: 1, amount: 17 }]) }),
    },
    'that refunds, changes and deletes rows': {
      routes: (rows, find) => ({
        'post /:id/refund': refund(find),
        'patch /:id': refund(find),
        'delete /:id': (req, res) => {
          const row = find(req, req.params['id']);
          if (row) rows.splice(rows.indexOf(row), 1);
          if (row) res.status(204).end();
          else notFound(res);
        },
      }),
    },
    'that answers 403 for each id that is not its own': {
      routes: (_rows, find) => ({
        'get /:id': (req, res) => {
          const row = find(req, req.params['id']);
          if (row) res.json({ transaction: row });
          else res.status(403).json({ error: 'forbidden', path: req.originalUrl });
        },
      }),
    },
    'with a public receipt, which rows leave out': {
      routes: (_rows, _find, findAny) => ({ 'get /:id': (req, res) => send(res, findAny(req, req.params['id'])) }),
      rows: receipts,
    },
    'with a route of two parameters, which rows name': {
      routes: (_rows, find) => ({ 'get /:id/items/:item': refund(find) }),
      rows: [{ method: 'GET', path: (id) => `/v1/transactions/${id}/items/1` }],
    },
    'with a search by the body, which rows name': {
      routes: (_rows, find) => ({ 'post /search': search(find) }),
      rows: byBody,
    },
  };
  for (const [what, difference] of Object.entries(right)) {
    it(`holds for a right host ${what}`, async () => {
      expect(await outcomeOf(hostWith(difference))).to.equal('passed');
    });
  }

  const faults: readonly (readonly [fault: string, difference: Difference, message: string])[] = [
    [
      'GET by id alone',
      { routes: (_rows, _find, findAny) => ({ 'get /:id': refund(findAny) }) },
      `GET /v1/transactions/:id for a row of another merchant got 200. ${FIND} The body has the members transaction.`,
    ],
    [
      'GET by id alone, with ids in lower case only',
      {
        newId: () =>
          randomUUID()
            .replaceAll(/[^a-f]/g, 'b')
            .slice(0, 20),
        routes: (_rows, _find, findAny) => ({ 'get /:id': refund(findAny) }),
      },
      `GET /v1/transactions/:id for a row of another merchant got 200. ${FIND} The body has the members transaction.`,
    ],
    [
      'GET by a numeric id alone',
      { newId: counter(), routes: (_rows, _find, findAny) => ({ 'get /:id': refund(findAny) }) },
      `GET /v1/transactions/:id for a row of another merchant got 200. ${FIND} The body has the members transaction.`,
    ],
    [
      'a refund by id alone',
      { routes: (_rows, _find, findAny) => ({ 'post /:id/refund': refund(findAny) }) },
      `POST /v1/transactions/:id/refund for a row of another merchant got 200. ${FIND} The body has the members transaction.`,
    ],
    [
      'PATCH by id alone',
      { routes: (_rows, _find, findAny) => ({ 'patch /:id': refund(findAny) }) },
      `PATCH /v1/transactions/:id for a row of another merchant got 200. ${FIND} The body has the members transaction.`,
    ],
    [
      'DELETE by id alone',
      { routes: () => ({ 'delete /:id': (_req, res) => void res.status(204).end() }) },
      `DELETE /v1/transactions/:id for a row of another merchant got 204. ${FIND}`,
    ],
    [
      'a second route with the parameter',
      {
        routes: (_rows, _find, findAny) => ({
          'get /:transaction/receipt': (req, res) => send(res, findAny(req, req.params['transaction'])),
        }),
      },
      `GET /v1/transactions/:transaction/receipt for a row of another merchant got 200. ${FIND} The body has the members transaction.`,
    ],
    [
      'a list without the merchant',
      { routes: (rows) => ({ 'get /': (_req, res) => void res.json(rows.map(({ id }) => ({ id }))) }) },
      'GET /v1/transactions shows a row of another merchant. Select the rows by merchantOf(req).referencl.',
    ],
    [
      'a status that tells that the row exists',
      {
        routes: (_rows, find, findAny) => ({
          'get /:id': (req, res) => {
            if (findAny(req, req.params['id']) && !find(req, req.params['id']))
              res.status(403).json({ error: 'forbidden' });
            else send(res, find(req, req.params['id']));
          },
        }),
      },
      'GET /v1/transactions/:id for a row of another merchant got 403 forbidden, and 404 not_found for an id that nobody has, ' +
        `which tells that the row exists. ${FIND} The body: {"error":"forbidden"}`,
    ],
    [
      'a text that tells that the row exists',
      {
        routes: (_rows, find, findAny) => ({
          'get /:id': (req, res) => {
            const isForeign = findAny(req, req.params['id']) && !find(req, req.params['id']);
            if (isForeign) res.status(404).json({ error: 'not_yours' });
            else send(res, find(req, req.params['id']));
          },
        }),
      },
      'GET /v1/transactions/:id for a row of another merchant got 404 not_yours with another body than for an id that nobody ' +
        `has, which tells that the row exists. ${FIND} The body: {"error":"not_yours"}`,
    ],
    [
      'a refusal with the reference of the other merchant',
      {
        routes: (_rows, find, findAny) => ({
          'get /:id': (req, res) => {
            const row = findAny(req, req.params['id']);
            if (find(req, req.params['id'])) send(res, row);
            else res.status(404).json({ error: 'not_found', description: `This is of ${row?.refercence_cl}.` });
          },
        }),
      },
      'GET /v1/transactions/:id for a row of another merchant got 404 not_found, with the reference of that merchant. ' +
        `${FIND} The body: {"error":"not_found","description":"This is of BTQ-1001."}`,
    ],
    [
      'a body that names the row',
      { routes: (_rows, _find, findAny) => ({ 'post /search': search(findAny) }), rows: byBody },
      `POST /v1/transactions/search for a row of another merchant got 200. ${FIND} The body has the members transaction.`,
    ],
  ];
  for (const [fault, difference, message] of faults) {
    it(`fails with the route, the status and the line to write: ${fault}`, async () => {
      const host = hostWith(difference);
      expect(await outcomeOf(host)).to.equal(message);
    });
  }

  const orSkip = "Or leave it out: skip: true, reason: '...'.";
  const request = 'a request that the owner of the row may send';
  const advice = (method: string, path: string) =>
    `Name it in rows with ${request}: { method: '${method}', path: (id) => \`/v1/transactions/${path}\`, ` +
    `body: (id) => ({ ... }) }. ${orSkip}`;
  for (const [what, difference, message] of [
    [
      'a change that wants a body',
      { routes: () => ({ 'patch /:id': (_req, res) => void res.status(422).json({ error: 'state_missing' }) }) },
      `PATCH /v1/transactions/:id for the own row got 422 state_missing, so the test proves nothing. ${advice('PATCH', '${id}')} ` +
        'The body: {"error":"state_missing"}',
    ],
    [
      'a row that is gone before its merchant is checked',
      {
        routes: (rows, find) => ({
          'delete /:id': (req, res) => {
            const row = find(req, req.params['id']);
            rows.length = 0;
            send(res, row);
          },
        }),
      },
      'DELETE /v1/transactions/:id for the own row got 404 not_found, so the test proves nothing. The request of the other ' +
        `merchant may have changed the row: check the merchant before that. ${advice('DELETE', '${id}')} The body: ...`,
    ],
    [
      'a route of rows that does not exist',
      { rows: [{ method: 'GET', path: (id) => `/v1/payments/${id}` }] },
      `GET /v1/payments/:id for the own row got 404, so the test proves nothing. Correct path and body in rows: it needs ${request}. ` +
        `${orSkip} The body: ...`,
    ],
    [
      'a route with two parameters',
      { routes: (_rows, find) => ({ 'get /:id/items/:item': refund(find) }) },
      `GET /v1/transactions/:id/items/:item has several parameters, so it was not tested. ${advice('GET', '${id}/items/${id}')}`,
    ],
    [
      'a rate limiter',
      {
        before: (() => {
          let requests = 0;
          return (_req: Request, res: Response, next: () => void) =>
            (requests += 1) > 3 ? void res.status(429).json({ error: 'too_many_requests' }) : next();
        })(),
      },
      'GET /v1/transactions/:id got 429. A limiter refused it: allow more requests in the test.',
    ],
  ] as const satisfies readonly (readonly [string, Difference, string])[]) {
    it(`fails when it proves nothing, and says what the test has to give: ${what}`, async () => {
      const outcome = await outcomeOf(hostWith(difference));
      expect(message.endsWith('...') ? outcome.replace(/ The body: .*/, ' The body: ...') : outcome).to.equal(message);
    });
  }

  it('is left out without idOf, another merchant or a way to find the routes, and says which', async () => {
    const host = hostWith({ rows: byBody, routes: (_rows, find) => ({ 'post /search': search(find) }) });
    const { idOf, ...transactions } = host.transactions;
    expect(await outcomeOf({ ...host, transactions })).to.equal(
      'left out: Give transactions.idOf to test this. By id: POST /v1/transactions/search, GET /v1/transactions/:id.',
    );
    const { otherMerchant, ...alone } = host;
    expect(await outcomeOf(alone)).to.equal('left out: Give otherMerchant to test this.');
    const { port } = await serve(host.app ?? expect.fail());
    const { app, rows, ...running } = { ...host, baseUrl: `http://127.0.0.1:${port}` };
    expect(await outcomeOf(running)).to.equal('left out: Give app, or name the routes by id in rows.');
    expect(await outcomeOf({ ...running, rows: byBody })).to.equal('passed');
    for (const unused of [idOf, otherMerchant, app, rows]) expect(unused).not.to.equal(undefined);
  });

  it('needs an id, and a reason for a route that is left out', async () => {
    const host = hostWith({});
    for (const [idOf, problem] of [
      [() => undefined, 'transactions.idOf found no id in the answer of POST /v1/transactions. Return the id.'],
      [
        (answer: { data: Row }) => answer.data.id,
        "transactions.idOf failed on the answer of POST /v1/transactions: Cannot read properties of undefined (reading 'id').",
      ],
    ] as const) {
      const outcome = await outcomeOf({ ...host, transactions: { ...host.transactions, idOf } });
      expect(outcome.split('\n')[0]).to.include(problem);
    }
    const misplaced = { ...host.transactions, rows: byBody };
    expect(await outcomeOf({ ...host, transactions: misplaced })).to.equal(
      'authContract: rows is a member of the host, beside transactions.',
    );
    const rows = [{ method: 'GET', path: () => '/', skip: true }];
    expect(await outcomeOf({ ...host, rows })).to.equal(
      'authContract: a route of rows that is skipped needs a reason.',
    );
  });
});

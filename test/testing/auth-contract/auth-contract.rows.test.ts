import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Request, RequestHandler, Response } from 'express';
import { authContract, type HostUnderTest, type RowRoute } from '../../../src/testing/index.js';
import { AWA, KOFI, PASSWORD, withPassword } from '../../helpers/accounts.js';
import { stubComputations } from '../../helpers/computations.js';
import { HOST, outcomeOf } from '../../helpers/contract.js';
import { FRAMEWORK } from '../../helpers/framework.js';
import { serve } from '../../helpers/http.js';
import { onEachExpress } from '../../helpers/on-each-express.js';

const FIND = 'Find the row by its id and by merchantOf(req).referencl, and answer 404 when there is none.';

interface Row {
  readonly id: string | number;
  readonly refercence_cl: string;
  readonly amount: number;
}

/** The rows of a host, with the lookups of the row that a request names. */
interface Rows {
  readonly all: Row[];
  readonly own: (req: Request) => Row | undefined;
  /** Finds a row by its id alone, which is the fault. */
  readonly any: (req: Request) => Row | undefined;
}

/** The differences from a right host. */
interface Difference {
  readonly newId?: () => string | number;
  readonly routes?: (rows: Rows) => Readonly<Record<string, RequestHandler>>;
  readonly before?: RequestHandler;
  /** Demands a reference on each route by id. */
  readonly demand?: boolean;
  readonly rows?: readonly RowRoute[];
}

const answerWith =
  (find: Rows['own']): RequestHandler =>
  (req, res) => {
    const row = find(req);
    if (row) res.json({ transaction: row });
    else res.status(404).json({ error: 'not_found', at: new Date(), request: randomUUID() });
  };

/** Makes a host whose GET answers with `refuse` where `isRefused` holds. */
const refusing = (
  isRefused: (rows: Rows, req: Request) => boolean,
  refuse: (rows: Rows, req: Request, res: Response) => void,
): Difference => ({
  routes: (rows) => ({
    'get /:id': (req, res, next) =>
      isRefused(rows, req) ? refuse(rows, req, res) : answerWith(rows.own)(req, res, next),
  }),
});
const isForeign = ({ own, any }: Rows, req: Request) => any(req) !== undefined && own(req) === undefined;

function createHost(
  { newId = randomUUID, routes, before, demand, rows: named }: Difference,
  framework = FRAMEWORK,
): HostUnderTest {
  const { auth, express } = framework;
  const all: Row[] = [];
  const isOwn = (req: Request, row: Row | undefined) => row?.refercence_cl === auth.merchantOf(req).referencl;
  const any: Rows['any'] = ({ params, body }) => {
    const id = Object.values(params)[0] ?? (body as { transaction_id: string }).transaction_id;
    return all.find((row) => String(row.id) === id);
  };
  const own: Rows['own'] = (req) => [any(req)].find((row) => isOwn(req, row));
  const handlers: Record<string, RequestHandler> = {
    'get /': (req, res) => void res.json(all.filter((row) => isOwn(req, row))),
    'get /:id': answerWith(own),
    ...routes?.({ all, own, any }),
  };
  const router = express.Router();
  router.post('/', auth.requireOwnReference(), (req, res) => {
    const row = { id: newId(), refercence_cl: auth.merchantOf(req).referencl, amount: 1500 };
    all.push(row);
    res.status(201).json({ transaction: row });
  });
  for (const [route, handler] of Object.entries(handlers)) {
    const [method, path] = route.split(' ') as ['get', string];
    router[method](path, ...(demand ? [auth.requireOwnReference()] : []), handler);
  }
  const store = new auth.InMemoryUserStore([AWA, KOFI].map(withPassword));
  const app = express();
  app.use('/v1', auth.createLoginRouter(store));
  app.use('/v1', auth.requireBearer({ userStore: store }));
  if (before) app.use(before);
  // A mounted app with a nested router.
  const inner = express().use('/transactions', router);
  app.use('/v1', inner);
  app.use(auth.authErrorHandler());
  const idOf = (answer: { transaction: Row }) => answer.transaction.id;
  return { ...HOST, app, apps: [inner], transactions: { ...HOST.transactions, idOf }, ...(named && { rows: named }) };
}

/** Returns the outcome of the case of rows. */
function outcomeFor(host: HostUnderTest, contract = authContract): Promise<string> {
  const found = contract(() => Promise.resolve(host)).find(({ name }) => name.startsWith('5.6 a row of'));
  return outcomeOf(found ?? expect.fail());
}

const SEARCH: RowRoute = {
  method: 'post',
  path: () => '/v1/transactions/search',
  body: (id) => ({ transaction_id: id }),
};
const RECEIPT: RowRoute = {
  method: 'GET',
  path: (id) => `/v1/transactions/${id}`,
  skip: true,
  reason: 'A receipt is public.',
};

const fakeHashes = () => stubComputations(({ password }) => password === PASSWORD);

describe('the case of rows', () => {
  beforeEach('fake the hashes', fakeHashes);

  let id = 16;
  const RIGHT: Readonly<Record<string, Difference>> = {
    'with ids that are UUIDs': {},
    'with ids that are numbers': {
      newId: () => (id += 1),
    },
    'that refunds, changes and deletes rows': {
      routes: ({ all, own }) => ({
        'post /:id/refund': answerWith(own),
        'patch /:id': answerWith(own),
        'delete /:id': (req, res, next) => {
          const row = own(req);
          if (row) {
            all.splice(all.indexOf(row), 1);
            res.status(204).end();
          } else answerWith(own)(req, res, next);
        },
      }),
    },
    'that answers 403 for each id that is not its own': refusing(
      ({ own }, req) => own(req) === undefined,
      (_rows, req, res) => res.status(403).json({ error: 'forbidden', path: req.originalUrl }),
    ),
    'with a public receipt, which rows leave out': {
      routes: ({ any }) => ({ 'get /:id': answerWith(any) }),
      rows: [RECEIPT],
    },
    'with a route of two parameters, which rows name': {
      routes: ({ own }) => ({ 'get /:id/items/:item': answerWith(own) }),
      rows: [{ method: 'GET', path: (id) => `/v1/transactions/${id}/items/1` }],
    },
    'with a route by id, which rows name with a query': {
      routes: ({ own }) => ({
        'get /:id': (req, res, next) => (req.query['full'] ? answerWith(own)(req, res, next) : res.sendStatus(400)),
      }),
      rows: [{ method: 'GET', path: (id) => `/v1/transactions/${id}?full=1` }],
    },
    'that demands the reference on each route': {
      demand: true,
      routes: ({ own }) => ({ 'post /search': answerWith(own), 'patch /:id': answerWith(own) }),
      rows: [{ ...SEARCH, body: (id, refercence_cl) => ({ transaction_id: id, refercence_cl }) }],
    },
    'with a route that rows leave out, by an encoded id': {
      routes: ({ any }) => ({ 'get /:id': answerWith(any) }),
      rows: [{ ...RECEIPT, path: (id) => `/v1/transactions/${encodeURIComponent(id)}` }],
    },
    'with a search by the body, which rows name': {
      routes: ({ own }) => ({ 'post /search': answerWith(own) }),
      rows: [SEARCH],
    },
  };
  for (const [what, difference] of Object.entries(RIGHT)) {
    it(`holds for a right host ${what}`, async () => {
      expect(await outcomeFor(createHost(difference))).to.equal('passed');
    });
  }

  for (const route of ['get /:id', 'get /:transaction/receipt', 'post /:id/refund', 'patch /:id', 'post /search']) {
    it(`fails with the route, the status and the line to write where a row is found by its id alone: ${route}`, async () => {
      const rows = route === 'post /search' ? [SEARCH] : [];
      const outcome = await outcomeFor(createHost({ rows, routes: ({ any }) => ({ [route]: answerWith(any) }) }));
      const [method = '', path = ''] = route.split(' ');
      expect(outcome).to.equal(
        `${method.toUpperCase()} /v1/transactions${path} for a row of another merchant got 200. ${FIND} ` +
          'The body has the members transaction.',
      );
    });
  }

  const request = 'a request that the owner of the row may send';
  const orSkip = "Or leave it out: skip: true, reason: '...'.";
  const advice = (method: string, path: string, body = '') =>
    `Name it in rows with ${request}: { method: '${method}', path: (id, referencl) => \`/v1/transactions/${path}\`` +
    `${body} }. ${orSkip}`;
  let requests = 0;
  const FAULTS: Readonly<Record<string, Difference & { readonly says: string }>> = {
    'DELETE by id alone, without a body': {
      routes: () => ({ 'delete /:id': (_req, res) => void res.status(204).end() }),
      says: `DELETE /v1/transactions/:id for a row of another merchant got 204. ${FIND}`,
    },
    'a route by id beside one with an ending, which rows leave out': {
      routes: ({ own, any }) => ({ 'get /:id.pdf': answerWith(own), 'get /:id': answerWith(any) }),
      rows: [{ ...RECEIPT, path: (id) => `/v1/transactions/${id}.pdf` }],
      says: `GET /v1/transactions/:id for a row of another merchant got 200. ${FIND} The body has the members transaction.`,
    },
    'a status that tells that the row exists': {
      ...refusing(isForeign, (_rows, _req, res) => res.status(403).json({ error: 'forbidden' })),
      says:
        'GET /v1/transactions/:id for a row of another merchant got 403 forbidden, and 404 not_found for an id that nobody has, ' +
        `which tells that the row exists. ${FIND} The body: {"error":"forbidden"}`,
    },
    'a text that tells that the row exists': {
      ...refusing(isForeign, (_rows, _req, res) => res.status(404).json({ error: 'not_yours' })),
      says:
        'GET /v1/transactions/:id for a row of another merchant got 404 not_yours with another body than for an id that nobody ' +
        `has, which tells that the row exists. ${FIND} The body: {"error":"not_yours"}`,
    },
    'a refusal with the reference of the other merchant': {
      ...refusing(isForeign, ({ any }, req, res) => {
        res.status(404).json({ error: 'not_found', description: `This is of ${any(req)?.refercence_cl}.` });
      }),
      says:
        'GET /v1/transactions/:id for a row of another merchant got 404 not_found, with the reference of that merchant. ' +
        `${FIND} The body: {"error":"not_found","description":"This is of BTQ-1001."}`,
    },
    'a change that wants a body, so the test proves nothing': {
      routes: () => ({ 'patch /:id': (_req, res) => void res.status(422).json({ error: 'state_missing' }) }),
      says:
        `PATCH /v1/transactions/:id for the own row got 422 state_missing, so the test proves nothing. ` +
        `${advice('PATCH', '${id}', ', body: (id, referencl) => ({ ... })')} ` +
        'The body: {"error":"state_missing"}',
    },
    'a row that is gone before its merchant is checked, so the test proves nothing': {
      routes: ({ all, own }) => ({
        'delete /:id': (req, res, next) => {
          answerWith(own)(req, res, next);
          all.length = 0;
        },
      }),
      says:
        'DELETE /v1/transactions/:id for the own row got 404 not_found, so the test proves nothing. The request of the other ' +
        `merchant may have changed the row: check the merchant before that. ${advice('DELETE', '${id}')} The body: ...`,
    },
    'a route of rows that does not exist, so the test proves nothing': {
      rows: [{ method: 'GET', path: (id) => `/v1/payments/${id}` }],
      says:
        'GET /v1/payments/:id for the own row got 404, so the test proves nothing. Correct path and body in rows, functions of ' +
        `(id, referencl): it needs ${request}. ${orSkip} The body: ...`,
    },
    'a body of rows with the reference of the first merchant, so the test proves nothing': {
      routes: ({ any }) => ({ 'post /search': answerWith(any) }),
      rows: [{ ...SEARCH, body: (id) => ({ transaction_id: id, refercence_cl: AWA.marchand.referencl }) }],
      says:
        'POST /v1/transactions/search for the own row got 403 foreign_reference, so the test proves nothing. Correct path and ' +
        `body in rows, functions of (id, referencl): it needs ${request}. ${orSkip} The body: ...`,
    },
    'a route with two parameters': {
      routes: ({ own }) => ({ 'get /:id/items/:item': answerWith(own) }),
      says: `GET /v1/transactions/:id/items/:item has several parameters, so it was not tested. ${advice('GET', '${id}/items/${id}')}`,
    },
    'a rate limiter': {
      before: (_req, res, next) =>
        (requests += 1) > 3 ? void res.status(429).json({ error: 'too_many_requests' }) : next(),
      says: 'GET /v1/transactions/:id got 429. A limiter refused it: allow more requests in the test.',
    },
  };
  for (const [fault, { says, ...difference }] of Object.entries(FAULTS)) {
    it(`fails, and says what to change in the host or in the test: ${fault}`, async () => {
      const outcome = await outcomeFor(createHost(difference));
      expect(says.endsWith('...') ? outcome.replace(/ The body: .*/, ' The body: ...') : outcome).to.equal(says);
    });
  }

  it('is left out without idOf, another merchant or a way to find the routes, and says which', async () => {
    const host = createHost({ rows: [SEARCH], routes: ({ own }) => ({ 'post /search': answerWith(own) }) });
    const { body } = host.transactions;
    expect(await outcomeFor({ ...host, transactions: { body } })).to.equal(
      'left out: Give transactions.idOf to test this. By id: POST /v1/transactions/search, GET /v1/transactions/:id.',
    );
    const { otherMerchant, ...alone } = host;
    expect(await outcomeFor(alone)).to.equal('left out: Give otherMerchant to test this.');
    const { port } = await serve(host.app ?? expect.fail());
    const { app, rows, ...running } = { ...host, baseUrl: `http://127.0.0.1:${port}` };
    expect(await outcomeFor(running)).to.equal(
      'left out: Name routes with an id in rows to test this: the app has none below the transactions.',
    );
    expect(await outcomeFor({ ...running, rows: [SEARCH] })).to.equal('passed');
    for (const unused of [otherMerchant, app, rows]) expect(unused).not.to.equal(undefined);
  });

  it('needs an id, and a reason for a route that is left out', async () => {
    const host = createHost({});
    const withIdOf = (idOf: (answer: { data: Row }) => unknown) =>
      outcomeFor({ ...host, transactions: { ...host.transactions, idOf } });
    expect(await withIdOf(() => undefined)).to.include(
      'transactions.idOf found no id in the answer of POST /v1/transactions. Return the id.',
    );
    expect(await withIdOf(({ data }) => data.id)).to.include(
      "transactions.idOf failed on the answer of POST /v1/transactions: Cannot read properties of undefined (reading 'id').",
    );
    const misplaced = { ...host.transactions, rows: [SEARCH] };
    expect(await outcomeFor({ ...host, transactions: misplaced })).to.equal(
      'authContract: rows is a member of the host, beside transactions.',
    );
    expect(await outcomeFor({ ...host, rows: [{ ...RECEIPT, reason: '' }] })).to.equal(
      'authContract: a route of rows that is skipped needs a reason.',
    );
  });
});

onEachExpress('the case of rows', (framework) => {
  beforeEach('fake the hashes', fakeHashes);

  it('finds a route with an optional part, and with an expression in Express 4', async () => {
    const path = framework.major === 4 ? '/:id([\\w-]+)/receipt' : '/:id{/receipt}';
    const host = createHost({ routes: ({ any }) => ({ [`get ${path}`]: answerWith(any) }) }, framework);
    expect(await outcomeFor(host, framework.testing.authContract)).to.match(
      /^GET \/v1\/transactions\/:id\S+ for a row of another merchant got 200\./,
    );
  });
});

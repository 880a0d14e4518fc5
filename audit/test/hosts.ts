import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express';
import type { UserStore } from '../../src/index.js';
import type { Caller, HostUnderTest, Resource } from '../src/index.js';
import { accountStore, PASSWORD } from '../../test/helpers/accounts.js';
import { stubComputations } from '../../test/helpers/computations.js';
import { serve } from '../../test/helpers/http.js';
import { FRAMEWORK } from '../../test/helpers/on-each-express.js';
import { HOST, outcomeOfCase } from './contract.js';

export interface Row {
  readonly id: string | number;
  refercence_cl: string;
  note?: string | undefined;
}

/** A request, with the rows that it names by an id in its path, query, header `X-Row` or body. */
export interface Asked {
  readonly req: Request;
  readonly body: Readonly<Record<string, string | undefined>>;
  /** The reference of the caller. */
  readonly me: string;
  readonly all: Row[];
  /** The rows of the caller. */
  readonly mine: readonly Row[];
  readonly own: Row | undefined;
  /** The row that is found by its id alone, which is the fault. */
  readonly any: Row | undefined;
  /** The row of another merchant. */
  readonly foreign: Row | undefined;
  /** The values that the routes of a host keep. */
  readonly kept: Map<unknown, unknown>;
}

/** A status, a body, or the function that answers. After `undefined`, the next route answers, and in the end a 404. */
type Answer = number | string | object | ((res: Response) => unknown) | undefined;
type Answering = (asked: Asked) => Answer;
/** Routes, by the method and the path. */
export type Routes = Readonly<Record<string, Answering | readonly [RequestHandler, Answering]>>;

/** The parts of a right host that a test replaces, and those that it adds. */
export interface Parts {
  readonly before?: RequestHandler | RequestHandler[];
  readonly store?: UserStore;
  readonly login?: RequestHandler;
  readonly guard?: RequestHandler | RequestHandler[];
  readonly demand?: RequestHandler;
  readonly onError?: ErrorRequestHandler | RequestHandler;
  readonly mount?: (app: Express, all: Row[]) => unknown;
  /** Routes before the right ones. */
  readonly serves?: Routes;
  readonly newId?: (referencl: string) => string | number;
}

const { auth, express } = FRAMEWORK;
export const PATH = '/v1/transactions/:id';
export const TRANSACTIONS: Resource = {
  read: `GET ${PATH}`,
  async create(as) {
    const { id } = (await as.send('POST /v1/transactions', { refercence_cl: as.referencl })) as Row;
    return { id };
  },
};

/** Transactions whose `create` returns more. */
export const returning = (moreOf: (as: Caller) => object): Resource => ({
  ...TRANSACTIONS,
  create: async (as) => ({ ...(await TRANSACTIONS.create(as)), ...moreOf(as) }),
});

export const pass: RequestHandler = (_req, _res, next) => next();
export const status = (code: number, body: object) => (res: Response) => void res.status(code).json(body);
/** Answers with a row, or with 404 for none. */
export const show = (row: Row | undefined) => row && { transaction: row };
/** Changes a row as the body says. */
export const note = ({ body }: Asked, row: Row | undefined) => row && show(Object.assign(row, { note: body['note'] }));

/** Makes ids that each merchant counts. */
export function countingForEach(): (referencl: string) => number {
  const counts = new Map<string, number>();
  return (referencl) => counts.set(referencl, (counts.get(referencl) ?? 0) + 1).get(referencl) ?? 0;
}

/** Makes a right host with transactions, or one with other parts. */
export function hostWith(changed: Parts & Partial<HostUnderTest> = {}): HostUnderTest {
  const { before = pass, store = accountStore(), newId = () => randomUUID(), demand, login, guard, onError } = changed;
  const all: Row[] = [];
  const kept = new Map<unknown, unknown>();
  const callerOf = (req: Request) => {
    try {
      return auth.merchantOf(req).referencl;
    } catch {
      return 'no guard';
    }
  };
  const handlerOf =
    (answerTo: Answering): RequestHandler =>
    (req, res, next) => {
      const { params, query } = req;
      const body = (req.body ?? {}) as Asked['body'];
      const named = String(params['id'] ?? query['id'] ?? req.get('X-Row') ?? body['id']);
      const me = callerOf(req);
      const mine = all.filter(({ refercence_cl }) => refercence_cl === me);
      const [own, any] = [mine, all].map((rows) => rows.find(({ id }) => String(id) === named));
      const answer = answerTo({ req, body, me, all, mine, own, any, foreign: own ? undefined : any, kept });
      if (answer === undefined) next();
      else if (typeof answer === 'number') res.sendStatus(answer);
      else if (typeof answer === 'function') (answer as (res: Response) => unknown)(res);
      else res.send(answer);
    };
  const create: Answering = ({ me }) => {
    const row = { id: newId(me), refercence_cl: me };
    all.push(row);
    return status(201, row);
  };
  const app = express().use(before);
  app.use('/v1', login ?? auth.createLoginRouter(store));
  app.use('/v1', guard ?? auth.requireBearer({ userStore: store }));
  changed.mount?.(app, all);
  for (const [route, answering] of Object.entries(changed.serves ?? {})) {
    const [method = '', path = ''] = route.split(' ');
    const [check, answerTo] = typeof answering === 'function' ? [pass, answering] : answering;
    app[method.toLowerCase() as 'get'](path, check, handlerOf(answerTo));
  }
  app.post('/v1/transactions', demand ?? auth.requireOwnReference(), handlerOf(create));
  app.get(
    PATH,
    handlerOf(({ own }) => show(own)),
  );
  app.use((_req, res) => void res.status(404).json({ error: 'not_found' }));
  app.use(onError ?? auth.authErrorHandler({ log: () => undefined }));
  return { ...HOST, app, resources: [TRANSACTIONS], ...changed };
}

/** Serves such a host, and describes it by its address and the routes that it serves before the right ones. */
export async function servedHostWith(changed: Parts & Partial<HostUnderTest> = {}): Promise<HostUnderTest> {
  const { app, ...host } = hostWith(changed);
  const routes = Object.fromEntries(Object.keys(changed.serves ?? {}).map((name) => [name, {}]));
  const { port } = await serve(app ?? expect.fail());
  return { ...host, baseUrl: `http://127.0.0.1:${port}`, routes: { ...routes, ...changed.routes } };
}

/** A host of a table. */
interface Described extends Parts, Partial<HostUnderTest> {
  /** The message of the failure, in which `…` stands for any text. Default: the case passes. */
  readonly says?: string;
}

type Hosts = Readonly<Record<string, Described>>;

/** Tests for each host of a table what the case says whose name begins with `start`. */
export function testHosts(start: string, hosts: Hosts): void {
  testEach(start, hosts, hostWith);
}

/** Does the same for the address of each host, so that the contract does not first ask for the routes of an app. */
export function testServedHosts(start: string, hosts: Hosts): void {
  testEach(start, hosts, servedHostWith);
}

function testEach(start: string, hosts: Hosts, make: (parts: Parts) => HostUnderTest | Promise<HostUnderTest>): void {
  beforeEach('fake the hashes', () => stubComputations(({ password }) => password === PASSWORD));

  for (const [what, { says = 'passed', ...parts }] of Object.entries(hosts)) {
    it(what, async () => {
      const outcome = await outcomeOfCase(start, await make(parts));
      const texts = says.split('…').map((text) => text.replace(/\W/g, '\\$&'));
      if (texts.length === 1) expect(outcome).to.equal(says);
      else expect(outcome).to.match(new RegExp(`^${texts.join('.*')}$`, 's'));
    });
  }
}

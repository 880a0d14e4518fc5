import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { HostUnderTest, Resource } from '../../src/index.js';
import { PASSWORD } from '../../../test/helpers/accounts.js';
import { stubComputations } from '../../../test/helpers/computations.js';
import { outcomeOfCase } from '../contract.js';
import { FRAMEWORK } from '../../../test/helpers/framework.js';
import { type Addition, answerNotFound, answerWith, hostWith, type Row, type Rows, TRANSACTIONS } from './rows-host.js';

const { auth } = FRAMEWORK;

export const fakeHashes = () => stubComputations(({ password }) => password === PASSWORD);
/** Resolves to the outcome of the case on rows for a host with this addition. */
export const outcomeFor = (addition: Addition = {}, change?: Partial<HostUnderTest>) =>
  outcomeOfCase('5.6 a row of', hostWith(addition, change));

/** Makes ids that each merchant counts. */
export function countingForEach(): (referencl: string) => number {
  const counts = new Map<string, number>();
  return (referencl) => {
    const number = (counts.get(referencl) ?? 0) + 1;
    counts.set(referencl, number);
    return number;
  };
}

export type Mount = NonNullable<Addition['mount']>;
export const path = '/v1/transactions/:id';
/** Mounts a GET that has its own answer to some requests, and is right for all others. */
export const getting =
  (answer: (rows: Rows) => RequestHandler): Mount =>
  (app, rows) =>
    app.get(path, answer(rows));
/** Mounts a change that a lookup decides. */
export const changing =
  (find: (rows: Rows) => Rows['own'], method: 'patch' | 'put' | 'post' = 'patch'): Mount =>
  (app, rows) =>
    app[method](path, (req, res) => {
      const row = find(rows)(req);
      Object.assign(row ?? {}, { note: (req.body as Row).note ?? '' });
      answerWith(find(rows))(req, res, () => undefined);
    });
export const deleting =
  (find: (rows: Rows) => Rows['own']) =>
  (rows: Rows): RequestHandler =>
  (req, res) => {
    const row = find(rows)(req);
    if (row) {
      rows.all.splice(rows.all.indexOf(row), 1);
      res.status(204).end();
    } else answerNotFound(res);
  };
export const noting = (route: string) => ({ routes: { [route]: { body: () => ({ note: randomUUID() }) } } });
export const lookup = { 'POST /v1/lookup': { body: ({ id }: { id?: unknown }) => ({ id }) } };

/** Refunds of transactions, whose ids begin at 1 in each transaction. */
export const REFUNDS: Resource = {
  read: 'GET /v1/transactions/:id/refunds/:refund',
  async create(as) {
    const { id } = await TRANSACTIONS.create(as);
    const { refund } = (await as.send(`POST /v1/transactions/${id}/refunds`, { reason: 'returned' })) as {
      refund: number;
    };
    return { id: id ?? '', refund };
  },
};
export interface Refund {
  readonly id: unknown;
  readonly refund: number;
  readonly refercence_cl: string;
}
/** Mounts refunds. `isRight` decides if a request gets one. */
export const refunding =
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
export const counted = (refunds: readonly Refund[], id: unknown) =>
  refunds.filter((refund) => refund.id === id).length + 1;
export const everCounted = (refunds: readonly Refund[]) => refunds.length + 1;
export const both = ({ id, refund }: Refund, asked: { id?: string; refund?: string }) =>
  id === asked.id && String(refund) === asked.refund;

/** Keeps answers by their URL, as a cache before the guard does. */
export function caching(isServed: (authorization: string | undefined) => boolean): RequestHandler {
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

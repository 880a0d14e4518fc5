import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Resource } from '../../src/index.js';
import { accountStore, AWA } from '../../../test/helpers/accounts.js';
import { FRAMEWORK } from '../../../test/helpers/on-each-express.js';
import { type Asked, PATH, type Row, type Routes, status, TRANSACTIONS } from '../hosts.js';

/** Says in an entry that a route takes the id of a row in a header. */
export const HEADER = { 'GET /v1/receipt': { headers: ({ id }: { id?: unknown }) => ({ 'X-Row': String(id) }) } };
export const noting = (route: string) => ({ [route]: { body: () => ({ note: randomUUID() }) } });

/** Refunds of transactions. Their create sends a body that the route demands. */
export const REFUNDS: Resource = {
  read: `GET ${PATH}/refunds/:refund`,
  async create(as) {
    const { id = '' } = await TRANSACTIONS.create(as);
    const made = (await as.send(`POST /v1/transactions/${id}/refunds`, { reason: 'returned' })) as { refund: number };
    return { id, refund: made.refund };
  },
};

/**
 * Returns the routes of refunds.
 * @param names the members that have to be right to get one
 * @param isCounting says if the ids begin at 1 in each transaction
 */
export function refunding(names: readonly string[], isCounting: boolean): Routes {
  const made: Readonly<Record<string, unknown>>[] = [];
  return {
    [`POST ${PATH}/refunds`]: ({ own, body }) => {
      if (body['reason'] !== 'returned') return 422;
      const { length } = isCounting ? made.filter(({ id }) => id === own?.id) : made;
      if (own) made.push({ id: own.id, refund: length + 1, refercence_cl: own.refercence_cl });
      return own && made.at(-1);
    },
    [REFUNDS.read]: ({ req, me }) => {
      const asked: Record<string, unknown> = { ...req.params, refercence_cl: me };
      const found = made.find((one) => names.every((name) => String(one[name]) === asked[name]));
      return found && { refund: found['refund'] };
    },
  };
}

/** Returns the routes of rows that only a list shows, with a note that can be changed. */
export function documents(
  isShown: (one: Row, asked: Asked) => boolean = isOwn,
  isChanged: (one: Row, asked: Asked) => boolean = isShown,
): Routes {
  const made: Row[] = [];
  return {
    'POST /v1/documents': ({ me }) => {
      made.push({ id: 100 + made.length, refercence_cl: me });
      return made.at(-1);
    },
    'GET /v1/documents': (asked) => ({
      data: made.filter((one) => isShown(one, asked)).map(({ id, note }) => ({ id, note })),
    }),
    'PATCH /v1/documents/:id': (asked) => {
      const found = made.find((one) => String(one.id) === asked.req.params['id'] && isChanged(one, asked));
      if (found) found.note = asked.body['note'];
      return found && 204;
    },
  };
}
const isOwn = ({ refercence_cl }: Row, { me }: Asked) => refercence_cl === me;
export const DOCUMENTS: Resource = {
  read: 'GET /v1/documents',
  create: async (as) => ({ id: ((await as.send('POST /v1/documents', {})) as Row).id }),
};

/** Receipts below a transaction, whose id `create` does not return. */
export const RECEIPTS: Resource = {
  read: 'GET /v1/receipts/:receipt',
  async create(as) {
    const { id } = (await as.send('POST /v1/transactions', { refercence_cl: as.referencl })) as Row;
    await as.send('GET /v1/rates');
    return {
      receipt: ((await as.send('POST /v1/receipts', { of: { id }, kind: 'paid' })) as { receipt: string }).receipt,
    };
  },
};

/** Returns the routes of receipts. `find` says if there is a transaction with the id in the body. */
export function receipts(find: (asked: Asked, id: unknown) => boolean): Routes {
  const made: { readonly receipt: string; readonly of: string }[] = [];
  return {
    'GET /v1/rates': () => [{ kind: 'paid' }],
    'POST /v1/receipts': (asked) => {
      const { of, kind } = asked.body as unknown as { of: { id: unknown }; kind: string };
      if (kind !== 'paid' || !find(asked, of.id)) return 404;
      made.push({ receipt: randomUUID(), of: asked.me });
      return status(201, made.at(-1) ?? {});
    },
    [RECEIPTS.read]: ({ req, me }) => made.find(({ receipt, of }) => receipt === req.params['receipt'] && of === me),
  };
}

/** Returns the account that tells a merchant where no row shows a reference. */
export const accountOf = (referencl: string) => (referencl === AWA.marchand.referencl ? 501 : 502);

/** Returns the routes of rows that each merchant counts, so that ids repeat. `accountIn` finds the merchant of a new row. */
export function vouchers(accountIn: (body: Asked['body'], own: number) => unknown): Routes {
  const made: { readonly id: number; readonly accountId: unknown }[] = [];
  return {
    'POST /v1/vouchers': ({ body, me }) => {
      const accountId = accountIn(body, accountOf(me));
      const id = (accountId === 501 ? 100 : 96) + made.filter((one) => one.accountId === accountId).length;
      if (accountId !== undefined) made.push({ id, accountId });
      return status(accountId === undefined ? 400 : 201, { id });
    },
    [VOUCHERS.read]: ({ req, me }) =>
      made.find((one) => one.accountId === accountOf(me) && String(one.id) === req.params['id']),
  };
}
export const VOUCHERS: Resource = {
  read: 'GET /v1/vouchers/:id',
  create: async (as) => ({ id: ((await as.send('POST /v1/vouchers', { amount: 5 })) as Row).id }),
};

/** A host whose clients send `merchantId`, and whose model also takes `refercence_cl`, as an alias of mongoose does. */
export const aliasing = (serves: Routes) => ({
  guard: FRAMEWORK.auth.requireBearer({ userStore: accountStore(), referenceNames: ['merchantId'] }),
  referenceName: 'merchantId',
  transactions: { body: (merchantId: string | undefined) => ({ merchantId }) },
  resources: [
    {
      ...TRANSACTIONS,
      create: async (as) => {
        const { id } = (await as.send('POST /v1/transactions', { merchantId: as.referencl })) as Row;
        return { id };
      },
    } satisfies Resource,
  ],
  serves: { [TRANSACTIONS.read]: ({ own }: Asked) => own && { note: own.note }, ...serves },
});

/** Keeps answers by their URL, as a cache does, for some callers. */
export function caching(isServed: (authorization: string | undefined) => boolean): RequestHandler {
  const kept = new Map<string, unknown>();
  return (req, res, next) => {
    const { originalUrl: url } = req;
    const json = res.json.bind(res);
    if (kept.has(url) && isServed(req.headers.authorization)) {
      json(kept.get(url));
      return;
    }
    res.json = (body) => {
      if (req.method === 'GET' && res.statusCode === 200) kept.set(url, body);
      return json(body);
    };
    next();
  };
}

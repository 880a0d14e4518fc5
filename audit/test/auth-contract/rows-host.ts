import { randomUUID } from 'node:crypto';
import type { Express, Request, RequestHandler, Response } from 'express';
import type { HostUnderTest, Resource } from '../../src/index.js';
import { AWA, KOFI, withPassword } from '../../../test/helpers/accounts.js';
import { HOST } from '../contract.js';
import { FRAMEWORK } from '../../../test/helpers/framework.js';

export interface Row {
  readonly id: string | number;
  refercence_cl: string;
  note?: string;
}

/** The rows of a host, with the lookups of the row that a request names. */
export interface Rows {
  readonly all: Row[];
  readonly own: (req: Request) => Row | undefined;
  /** Finds a row by its id alone, which is the fault. */
  readonly any: (req: Request) => Row | undefined;
}

/** The parts that a test adds to a right host. */
export interface Addition {
  readonly before?: RequestHandler;
  /** Mounts routes before the right `GET /v1/transactions/:id`. */
  readonly mount?: (app: Express, rows: Rows) => unknown;
  readonly newId?: (referencl: string) => string | number;
  readonly reference?: 'own' | 'unchecked';
}

export const TRANSACTIONS: Resource = {
  read: 'GET /v1/transactions/:id',
  async create(as) {
    const { id } = (await as.send('POST /v1/transactions', { refercence_cl: as.referencl })) as Row;
    return { id };
  },
};

export const answerNotFound = (res: Response) => void res.status(404).json({ error: 'not_found' });

/** Answers with the row that a lookup finds, and 404 for none. */
export const answerWith =
  (find: Rows['own']): RequestHandler =>
  (req, res) => {
    const row = find(req);
    if (row) res.json({ transaction: row });
    else answerNotFound(res);
  };

export function hostWith(
  { before, mount, newId = () => randomUUID(), reference = 'own' }: Addition = {},
  change: Partial<HostUnderTest> = {},
  { auth, express } = FRAMEWORK,
): HostUnderTest {
  const all: Row[] = [];
  const isAsked = ({ params, query, body }: Request) => {
    const id = params['id'] ?? query['id'] ?? (body as { id?: unknown } | undefined)?.id;
    return (row: Row) => String(row.id) === String(id);
  };
  const any: Rows['any'] = (req) => all.find(isAsked(req));
  const own: Rows['own'] = (req) =>
    all.filter(isAsked(req)).find((row) => row.refercence_cl === auth.merchantOf(req).referencl);
  const userStore = new auth.InMemoryUserStore([AWA, KOFI].map(withPassword));
  const app = express();
  if (before) app.use(before);
  app.use('/v1', auth.createLoginRouter(userStore), auth.requireBearer({ userStore, reference }));
  if (reference === 'unchecked') app.use(express.json());
  app.post('/v1/transactions', auth.requireOwnReference(), (req, res) => {
    const { referencl } = auth.merchantOf(req);
    all.push({ id: newId(referencl), refercence_cl: referencl });
    res.status(201).json(all.at(-1));
  });
  mount?.(app, { all, own, any });
  app.get('/v1/transactions/:id', answerWith(own));
  app.use(auth.authErrorHandler());
  return { ...HOST, app, resources: [TRANSACTIONS], ...change };
}

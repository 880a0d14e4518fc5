import type { Request } from 'express';
import type { Framework } from '../../../test/helpers/on-each-express.js';

export interface Row {
  readonly id: string;
  readonly number: number;
  readonly owner: string;
  readonly amount: number;
  readonly note: string;
  readonly refunds: readonly { readonly id: string; readonly of: string }[];
}

/** Returns what the host shows as JSON, a text as CSV, and 404 for nothing. */
type Show = (req: Request, me: string) => unknown;
export type Routes = Readonly<Record<string, Show>>;

export const ONE = { name: 'one', headers: { Authorization: 'Bearer token-of-m-1' } };
export const OTHER = { name: 'other', headers: { Authorization: 'Bearer token-of-m-2' } };

export const ROWS: readonly Row[] = ['m-1', 'm-2'].flatMap((owner, of) =>
  [1, 2, 3].map((at) => {
    const id = `0b8f4c1e-7d2a-4e5b-9c3d-${of}${at}a4e6b8c0d2`;
    const refunds = [{ id: `rf-${of}${at}77`, of: id }];
    return { id, number: 3 * of + at, owner, amount: 10 * at, note: `for ${owner}`, refunds };
  }),
);

export const mine = (me: string): readonly Row[] => ROWS.filter(({ owner }) => owner === me);

/** Serves routes to both callers, and 401 to everyone else. */
export function hostOf({ express }: Pick<Framework, 'express'>, routes: Routes) {
  const app = express();
  app.use((req, res, next) => {
    res.locals['me'] = /^Bearer token-of-(m-[12])$/.exec(req.get('authorization') ?? '')?.[1];
    if (res.locals['me'] === undefined) res.sendStatus(401);
    else next();
  });
  for (const [path, show] of Object.entries(routes))
    app.get(path, (req, res) => {
      const shown = show(req, String(res.locals['me']));
      if (shown === undefined) res.sendStatus(404);
      else if (typeof shown === 'number') res.sendStatus(shown);
      else if (typeof shown === 'string') res.type('csv').send(shown);
      else res.json(shown);
    });
  return app;
}

// `npm run types` compiles this file, and nothing runs it. It has the functions that hosts give to the package, with and
// without annotations. The consumer typescript-nodenext compiles it with more versions of TypeScript and @types/express.
/* oxlint-disable typescript/no-unsafe-member-access, typescript/no-unsafe-return --
   The body of Express's Request has the type any, and hosts use it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import {
  type AuthError,
  authErrorHandler,
  createLoginRouter,
  InMemoryUserStore,
  merchantOf,
  requireBearer,
  requireOwnReference,
  type Respond,
} from '../../src/index.js';

const userStore = new InMemoryUserStore();

// `respond` without annotations, with the type of the function, and with those of Express.
requireBearer({ userStore, respond: (error, _req, _res, next) => next(error) });
requireBearer({
  respond: (error, req, res) => {
    res.status(error.status).set(error.headers).json({ ok: false, path: req.originalUrl, reason: error.code });
  },
});
const ownFormat: Respond = (error, _req, res) => {
  res.status(error.status).set(error.headers).json({ ok: false, reason: error.code, text: error.description });
};
function toErrorHandler(error: AuthError, _req: Request, _res: Response, next: NextFunction): void {
  next(error);
}
async function translated(error: AuthError, req: Request, res: Response): Promise<void> {
  const language = await Promise.resolve(req.acceptsLanguages('fr', 'en'));
  res.status(error.status).set(error.headers).json({ language });
}
// Functions for another framework have the types of node:http.
function plain(error: AuthError, _req: IncomingMessage, res: ServerResponse): void {
  res.writeHead(error.status, error.headers).end(JSON.stringify(error));
}
for (const respond of [ownFormat, toErrorHandler, translated, plain]) {
  createLoginRouter(userStore, { respond });
  requireBearer({ userStore, respond });
  authErrorHandler({ respond });
}

// `from` without annotations, and with those of Express.
requireOwnReference({ from: (req) => req.body.merchantRef });
requireOwnReference({ from: (req) => req.body?.items?.[0]?.merchantRef });
requireOwnReference({ from: ({ body }): unknown => body });
requireOwnReference({ from: ({ params }) => params['merchant'] });
requireOwnReference({ from: (req) => req.query['merchant'] });
requireOwnReference({ from: (req) => req.get('X-Merchant') });
requireOwnReference({ from: async (req) => Promise.resolve(req.headers['x-merchant']) });
requireOwnReference({ from: (req: Request) => req.params['merchant'] });
requireOwnReference({ from: (req: IncomingMessage) => req.headers['x-merchant'] });

// `log` without annotations, and with those of Express.
authErrorHandler({ log: (error, req) => console.error(req.method, error.code, error.cause) });
authErrorHandler({ log: (error: AuthError, req: Request) => console.error(req.path, error.detail) });

// A handler of the host that Express's type describes.
export const showMerchant: RequestHandler<{ id: string }> = (req, res) => {
  const { id, referencl, claims } = merchantOf(req);
  res.json({ shown: req.params.id, id, referencl, until: claims.exp });
};

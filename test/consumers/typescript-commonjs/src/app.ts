import express, { type ErrorRequestHandler, type Express, type Request } from 'express';
import {
  AuthError,
  type AuthErrorCode,
  authErrorHandler,
  createLoginRouter,
  merchantOf,
  requireBearer,
  requireOwnReference,
  type Respond,
} from 'express-merchant-auth';
import type { ShopAccount, ShopStore } from './shop-store';

interface Payment {
  readonly refercence_cl: string;
  readonly amount: number;
}

/** A payment API whose refusals pass through its own error handler, which counts them. */
export function createApp(userStore: ShopStore, onRefusal: (code: AuthErrorCode) => void): Express {
  const respond: Respond = (error, _req, _res, next) => next(error);
  const countRefusals: ErrorRequestHandler = (err, _req, _res, next) => {
    if (err instanceof AuthError) onRefusal(err.code);
    next(err);
  };

  const app = express();
  app.use('/v1', createLoginRouter(userStore, { respond }));
  app.use('/v1', requireBearer({ userStore, respond }));
  app.post('/v1/transactions', requireOwnReference(), (req: Request<object, unknown, Payment>, res) => {
    const { account, referencl } = merchantOf<ShopAccount>(req);
    res.status(201).json({ referencl, shop: account.shop, amount: req.body.amount });
  });
  app.get(
    '/v1/merchants/:refercence_cl/shop',
    requireOwnReference(),
    (req: Request<{ refercence_cl: string }>, res) => {
      res.json({ referencl: req.params.refercence_cl, shop: merchantOf<ShopAccount>(req).account.shop });
    },
  );
  app.use(countRefusals);
  app.use(authErrorHandler());
  return app;
}

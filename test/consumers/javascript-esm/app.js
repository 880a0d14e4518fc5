import express from 'express';
import {
  AuthError,
  authErrorHandler,
  createLoginRouter,
  merchantOf,
  requireBearer,
  requireOwnReference,
} from 'express-merchant-auth';

/**
 * A payment API with a webhook whose handler throws an `AuthError`.
 * @param {import('express-merchant-auth').UserStore} userStore
 */
export function createApp(userStore) {
  const app = express();
  app.use('/v1', createLoginRouter(userStore));
  app.use('/v1', requireBearer({ userStore }));
  app.post('/v1/transactions', requireOwnReference(), (req, res) => {
    const { referencl, account } = merchantOf(req);
    res.status(201).json({ referencl, email: account?.email, amount: req.body.amount });
  });
  app.get('/v1/transactions/:id', () => {
    throw new AuthError('foreign_reference');
  });
  app.use(authErrorHandler());
  return app;
}

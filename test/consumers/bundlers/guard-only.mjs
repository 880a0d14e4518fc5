import express from 'express';
import { merchantOf, requireBearer, requireOwnReference } from 'express-merchant-auth';

/** A service without the account database. It has no login. */
export const createApp = () => {
  const app = express();
  app.use('/v1', requireBearer());
  app.post('/v1/transactions', requireOwnReference(), (req, res) => {
    res.status(201).json({ refercence_cl: merchantOf(req).referencl, amount: req.body?.amount });
  });
  return app;
};

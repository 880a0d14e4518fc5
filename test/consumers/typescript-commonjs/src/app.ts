import express, { type Express } from 'express';
import * as auth from 'express-merchant-auth';

/** README's shortest host. */
export function createApp(userStore: auth.UserStore): Express {
  const app = express();
  app.use('/v1', auth.createLoginRouter(userStore));
  app.use('/v1', auth.requireBearer({ userStore }));
  app.post('/v1/transactions', auth.requireOwnReference(), (req, res) => {
    const { referencl } = auth.merchantOf(req);
    res.status(201).json({ refercence_cl: referencl, amount: req.body?.amount });
  });
  app.use(auth.authErrorHandler());
  return app;
}

'use strict';

const { AWA } = require('./cases.cjs');

/** README's shortest host, with the Express and the package of a consumer. */
exports.createShortestHost = (express, auth) => {
  const userStore = new auth.InMemoryUserStore([AWA]);
  const app = express();
  app.use('/v1', auth.createLoginRouter(userStore));
  app.use('/v1', auth.requireBearer({ userStore }));
  app.post('/v1/transactions', auth.requireOwnReference(), (req, res) => {
    const { referencl } = auth.merchantOf(req);
    res.status(201).json({ refercence_cl: referencl, amount: req.body?.amount });
  });
  app.use(auth.authErrorHandler());
  return app;
};

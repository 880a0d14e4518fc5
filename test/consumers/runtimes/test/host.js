import { randomUUID } from 'node:crypto';
import express from 'express';
import * as auth from 'express-merchant-auth';

process.env.JWT_SECRET = 'the secret of this host, which has 32 bytes or more';

const accountOf = ([id, email, referencl, disabled]) => {
  const password = `the password of ${id}`;
  return { id, email, marchand: { referencl }, disabled, password };
};

export const [AWA, KOFI, FERMEE] = [
  ['1', 'awa@boutique.example', 'BTQ-1001', false],
  ['2', 'kofi@cantine.example', 'CNT-1002', false],
  ['3', 'fermee@ancien.example', 'ANC-1003', true],
].map(accountOf);

export const tokens = auth.createTokens();

/** A host that keeps its transactions in memory. The options are those of the login. */
export function createApp({ userStore = new auth.InMemoryUserStore([AWA, KOFI, FERMEE]), ...options } = {}) {
  const rows = [];
  const rowsOf = (req) => rows.filter(({ refercence_cl }) => refercence_cl === auth.merchantOf(req).referencl);
  const app = express();
  app.use('/v1', auth.createLoginRouter(userStore, { tokens, ...options }));
  app.use('/v1', auth.requireBearer({ userStore, tokens }));
  app.post('/v1/transactions', auth.requireOwnReference(), (req, res) => {
    rows.push({ id: randomUUID(), refercence_cl: auth.merchantOf(req).referencl });
    res.status(201).json(rows.at(-1));
  });
  app.get('/v1/transactions', (req, res) => res.json({ transactions: rowsOf(req) }));
  app.get('/v1/transactions/:id', (req, res) => {
    const row = rowsOf(req).find(({ id }) => id === req.params.id);
    res.status(row ? 200 : 404).json(row ?? { error: 'not_found' });
  });
  app.use(auth.authErrorHandler());
  return app;
}

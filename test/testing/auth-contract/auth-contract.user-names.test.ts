import express from 'express';
import * as auth from '../../../src/index.js';
import { authContract } from '../../../src/testing/index.js';
import { AWA, PASSWORD_HASH } from '../../helpers/accounts.js';
import { HOST } from '../../helpers/contract.js';
import { stubComputations } from '../../helpers/computations.js';

const USER = 'awa-1';
const PIN = '2580';

/** Makes a host with user names and PINs, whose validator refuses every other form. */
function createApp(): express.Express {
  const userStore: auth.UserStore = {
    findCredentials: (typed) =>
      Promise.resolve(typed === USER ? { account: AWA, passwordHash: PASSWORD_HASH, identifier: USER } : null),
    findById: (id) => Promise.resolve(id === AWA.id ? AWA : null),
  };
  const login = auth.createLogin(userStore);
  const app = express().use(express.json());
  app.post('/v1/login', (req, res, next) => {
    const { user, pin } = req.body as { user: string; pin: string };
    if (/^[a-z]{3}-[1-9]$/.test(user) && /^\d{4}$/.test(pin)) {
      login.attempt(req, { identifier: user, password: pin }).then(({ token }) => res.json({ token }), next);
    } else res.status(400).json({ text: 'That is not a user name and a PIN.' });
  });
  app.use('/v1', auth.requireBearer({ userStore }));
  app.post('/v1/transactions', auth.requireOwnReference(), (_req, res) => void res.status(201).json({}));
  return app.use(auth.authErrorHandler({ log: () => undefined }));
}

describe('authContract holds for a host with user names, and a validator that refuses every other form', () => {
  let app: express.Express;
  beforeEach(() => {
    stubComputations(({ password }) => password === PIN);
    app = createApp();
  });

  const cases = authContract(() =>
    Promise.resolve({
      app,
      merchant: { ...HOST.merchant, email: USER, password: PIN },
      ownLogin: {
        body: (user: string, pin: string) => ({ user, pin }),
        tokenOf: (body: unknown) => (body as { token?: unknown }).token,
      },
      transactions: HOST.transactions,
    }),
  );
  for (const { name, run } of cases) it(name, run);
});

// A host with login. Its arguments are the emails and the hashes of its accounts, and `createLogin` for a login route
// without the router. Prints its port.
import console from 'node:console';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import process from 'node:process';

const require = createRequire(import.meta.url);
const express = require('express');
const { authErrorHandler, createLogin, createLoginRouter, createTokens } = require('express-merchant-auth');
const { InMemoryUserStore, requireBearer } = require('express-merchant-auth');

const accounts = JSON.parse(process.argv[2]).map((account, index) => {
  return { ...account, id: String(index), marchand: { referencl: 'BTQ-1001' } };
});
const userStore = new InMemoryUserStore(accounts);
const tokens = createTokens({ secret: randomBytes(48) });

const app = express();
if (process.argv[3] === 'createLogin') {
  const login = createLogin(userStore, { tokens });
  app.post('/login', express.json(), async (req, res) => {
    const { email: identifier, password } = req.body;
    const { token } = await login.attempt(req, { identifier, password });
    res.json({ authorisation: { token } });
  });
} else {
  app.use(createLoginRouter(userStore, { tokens }));
}
app.use(requireBearer({ userStore, tokens }));
app.get('/', (_req, res) => res.json('guarded'));
app.use(authErrorHandler());
app.use((error, _req, res, _next) => res.status(500).json({ unexpected: error.message }));
const server = app.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));

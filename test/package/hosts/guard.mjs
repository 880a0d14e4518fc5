// A host that only guards. Prints its port and a token, and answers with the packages that it loaded after Express.
import console from 'node:console';
import { randomBytes } from 'node:crypto';
import module, { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const express = require('express');
const ofExpress = new Set(Object.keys(module._cache));
const { authErrorHandler, createTokens, merchantOf, requireBearer } = require('express-merchant-auth');

const account = { id: '1', marchand: { referencl: 'BTQ-1001' }, disabled: false };
const userStore = {
  findCredentials: () => Promise.resolve(null),
  findById: (id) => Promise.resolve(id === account.id ? account : null),
};
const tokens = createTokens({ secret: randomBytes(48) });

const app = express();
app.use(requireBearer({ userStore, tokens }));
app.post('/', (req, res) => {
  const files = Object.keys(module._cache).filter((file) => !ofExpress.has(file));
  const packages = files.map((file) => /.*node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1]);
  res.json({ referencl: merchantOf(req).referencl, packages: [...new Set(packages)].filter(Boolean).sort() });
});
app.use(authErrorHandler());
const server = app.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ port: server.address().port, token: tokens.issue(account) }));
});

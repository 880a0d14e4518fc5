import { expect } from 'chai';
import express from 'express';
import * as auth from 'express-merchant-auth';
import { AWA, withPassword } from '../helpers/accounts.js';
import { bearer, serve } from '../helpers/http.js';
import { logIn, tokenOf } from '../helpers/login-host.js';
import { loadSnippet, writeSnippets } from '../helpers/snippets.js';

const PAGE = 'docs/changing-a-password.md';

it(`${PAGE} moves a merchant from one account to another, without a refused payment`, async () => {
  writeSnippets(PAGE);
  const { watchAccount } = loadSnippet('watch-account.ts', PAGE) as {
    watchAccount: (id: string, report: (source: string | undefined) => void) => () => void;
  };
  const second = { ...AWA, id: '9', email: 'awa-2@boutique.example' };
  const userStore = new auth.InMemoryUserStore([AWA, second].map(withPassword));
  const app = express().use('/v1', auth.createLoginRouter(userStore), auth.requireBearer({ userStore }));
  app.post('/v1/transactions', auth.requireOwnReference(), (_req, res) => void res.sendStatus(201));
  const client = await serve(app.use(auth.authErrorHandler()));
  const pay = async (token: string) => {
    const body = { refercence_cl: AWA.marchand.referencl };
    return (await client.send('POST', '/v1/transactions', { body, headers: bearer(token) })).status;
  };

  const sources: (string | undefined)[] = [];
  const stop = watchAccount(AWA.id, (source) => sources.push(source));
  const [before, after] = [tokenOf(await logIn(client)), tokenOf(await logIn(client, second.email))];
  stop();
  expect(sources).to.deep.equal(['127.0.0.1']);
  expect([await pay(before), await pay(after)]).to.deep.equal([201, 201]);
  userStore.put(withPassword({ ...AWA, disabled: true }));
  expect([await pay(before), await pay(after)]).to.deep.equal([401, 201]);
  expect((await logIn(client)).json).to.include({ error: 'account_disabled' });
});

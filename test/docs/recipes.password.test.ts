import { expect } from 'chai';
import express, { type Router } from 'express';
import * as auth from 'express-merchant-auth';
import { createPasswords, createTokens, InMemoryUserStore } from 'express-merchant-auth';
import { openStores } from '../../example-app/src/stores/open-stores.js';
import { AWA as PAYER, PASSWORD, withPassword } from '../helpers/accounts.js';
import { expectRevokedToken, expectTooManyAttempts, expectWrongCredentials } from '../helpers/answers.js';
import { onEachDatabase, type TestDatabase } from '../helpers/databases.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { bearer, serve } from '../helpers/http.js';
import { blockOf, loadSnippet, readPage, writeSnippets } from '../helpers/snippets.js';
import { AWA, KOFI, list, logIn, tryLogIn } from '../example-app/calls.js';
import { serveApp } from '../example-app/serve-app.js';

const PAGE = 'docs/recipes.md';

interface PasswordRouteSnippet {
  createPasswordRoute(
    guard: auth.Guard,
    login: auth.Login,
    change: (id: string, password: string) => Promise<void>,
  ): Router;
}

describe(PAGE, () => {
  before(() => void writeSnippets(PAGE));

  it('shows a route that changes a password, where wrong guesses at the current one count', async () => {
    freezeTime();
    const { createPasswordRoute } = loadSnippet('password-route.ts', PAGE) as PasswordRouteSnippet;
    const userStore = new InMemoryUserStore([withPassword(PAYER)]);
    const changes: unknown[] = [];
    const change = (...values: unknown[]) => Promise.resolve(void changes.push(values));
    const routes = createPasswordRoute(auth.createGuard({ userStore }), auth.createLogin(userStore), change);
    const client = await serve(express().use(routes, auth.authErrorHandler()));
    const headers = bearer(createTokens().issue(PAYER));
    const put = (current: string, password: unknown) =>
      client.send('PUT', '/password', { headers, body: { current, password } });

    const password = 'calebasse et baobab';
    for (const refused of [undefined, 'fourteen chars', `${password}\0`, 'x'.repeat(256)]) {
      const { status, json } = await put(PASSWORD, refused);
      expect([status, json]).to.deep.equal([400, { error: 'password_refused' }]);
    }
    const { status, text } = await put(PASSWORD, password);
    expect([status, text, changes]).to.deep.equal([204, '', [[PAYER.id, password]]]);
    for (let guess = 1; guess <= 10; guess++) expectWrongCredentials(await put(`guess ${guess}`, password));
    expectTooManyAttempts(await put(PASSWORD, password), 900);
    expect(changes).to.have.length(1);
  });
});

onEachDatabase(`${PAGE}: changing a password and logging out everywhere`, (database) => {
  it('ends the tokens of that merchant and its old password, and no other', async () => {
    const stores = await openStores({ kind: database.kind, url: database.url, seedDemo: true }, () => undefined);
    try {
      const { userStore } = stores;
      const { app } = serveApp({ userStore });
      const [awa, kofi] = [await logIn(app, AWA), await logIn(app, KOFI)];
      const found = await userStore.findCredentials(AWA.email);
      await changeIn(database, found?.account.id ?? '', 'a new password');
      expectRevokedToken(await list(app, awa));
      expectWrongCredentials(await tryLogIn(app, AWA));
      const changed = await logIn(app, { ...AWA, password: 'a new password' });
      for (const headers of [changed, kofi, await logIn(app, KOFI)]) {
        await list(app, headers).expect(200);
      }
    } finally {
      await stores.close();
    }
  });
});

/** Runs the statement of the page for the database. */
async function changeIn(database: TestDatabase, id: string, password: string): Promise<void> {
  const sql = blockOf(PAGE, 'change-password.sql');
  const [, time = ''] = /`([^`]+)` in place of `now\(\)`/.exec(readPage(PAGE)) ?? [];
  const statement = database.kind === 'mysql' ? sql.replace('now()', time).replaceAll(/\$\d/g, '?') : sql;
  await database.query(statement, [await createPasswords().hash(password), id]);
}

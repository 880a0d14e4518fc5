import { expect } from 'chai';
import express, { type ErrorRequestHandler, type Router } from 'express';
import * as auth from 'express-merchant-auth';
import { createPasswords, createTokens, InMemoryUserStore, type Passwords, requireBearer } from 'express-merchant-auth';
import pg from 'pg';
import { authContract, type HostUnderTest, type TestMerchant } from 'express-merchant-auth-audit';
import { openMetrics } from '../../example-app/src/operations/metrics.js';
import { openStores } from '../../example-app/src/stores/open-stores.js';
import { AWA as PAYER, KOFI as OTHER, PASSWORD, withPassword } from '../helpers/accounts.js';
import {
  expectRevokedToken,
  expectStoreUnavailable,
  expectTooManyAttempts,
  expectWrongCredentials,
  MISSING_TOKEN,
  STORE_UNAVAILABLE,
} from '../helpers/answers.js';
import { onEachDatabase, type TestDatabase } from '../helpers/databases.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { bearer, clientOf, serve } from '../helpers/http.js';
import { printedBy } from '../helpers/diagnostics.js';
import { blockOf, loadSnippet, readPage, reportOf, writeSnippets } from '../helpers/snippets.js';
import { rejectionOf } from '../helpers/thrown.js';
import { AWA, KOFI, list, logIn, tryLogIn } from '../example-app/calls.js';
import { serveApp } from '../example-app/serve-app.js';

const PAGE = 'docs/operations.md';

interface PasswordSnippet {
  changePassword(pool: pg.Pool, passwords: Passwords, id: string, password: string): Promise<void>;
}

interface PasswordRouteSnippet {
  createPasswordRoute(
    guard: auth.Guard,
    login: auth.Login,
    change: (id: string, password: string) => Promise<void>,
  ): Router;
}

interface TelemetrySnippet {
  readonly countAuthEvents: (meter: object) => () => void;
}

describe(PAGE, () => {
  before(() => void writeSnippets(PAGE));

  describe('has for the metrics of the app', () => {
    let text: string;

    before('read the metrics', async () => {
      const metrics = await openMetrics(createPasswords(), 0);
      ({ text } = await clientOf(Number(new URL(metrics.url).port)).send('GET', '/metrics'));
      metrics.close();
    });

    it('a list of all but those of Node.js', () => {
      const served = [...text.matchAll(/^# TYPE ((?:merchant|http)_\S+)/gm)].map(([, name]) => name);
      const listed = [...readPage(PAGE).matchAll(/^- `((?:merchant|http)_\w+)`/gm)].map(([, name]) => name);
      expect(served).to.have.length(6).and.have.members(listed);
    });

    it('rules for Prometheus, whose metrics and labels exist from the start', () => {
      const expressions = readPage('docs/prometheus-rules.yml')
        .split(/^ +expr: /m)
        .slice(1);
      expect(expressions).to.have.length(8);
      for (const rule of expressions) {
        const [expression = ''] = rule.split(/^ +(?:for|annotations):/m);
        const selectors = [...expression.matchAll(/\b((?:merchant|http)_\w+)(?:\{(\w+)(=~?|!=)"([^"]+)"\})?/g)];
        expect(selectors, rule).not.to.have.length(0);
        for (const [, name = '', label, operator, values = ''] of selectors) {
          expect(text, rule).to.match(new RegExp(`^${name}[ {]`, 'm'));
          for (const value of operator === '!=' || label === undefined ? [] : values.split('|')) {
            expect(text, rule).to.match(new RegExp(`^${name}\\{.*\\b${label}="${value}".*\\} 0$`, 'm'));
          }
        }
      }
    });
  });

  it('shows a log of errors with the request, the detail and the cause', async () => {
    const { errorHandler } = loadSnippet('error-log.ts', PAGE) as { errorHandler: ErrorRequestHandler };
    const away = new Error('the database is away');
    const userStore = { findCredentials: () => Promise.resolve(null), findById: () => Promise.reject(away) };
    const client = await serve(express().use(requireBearer({ userStore }), errorHandler));
    const printed = await printedBy('error', async () => {
      const answer = await client.send('GET', '/payments', { headers: bearer(createTokens().issue(PAYER)) });
      expectStoreUnavailable(answer);
    });
    expect(printed).to.deep.equal([['GET', '/payments', STORE_UNAVAILABLE, 'UserStore.findById failed.', away]]);
  });

  it('shows how OpenTelemetry counts the decisions', async () => {
    const { countAuthEvents } = loadSnippet('opentelemetry.ts', PAGE) as TelemetrySnippet;
    const added: unknown[][] = [];
    const stop = countAuthEvents({
      createCounter: (name: string) => ({
        add(value: number, attributes: Record<string, string>) {
          // The login of an earlier test can still upgrade its hash, or find that its store is gone.
          if (!attributes['type']?.startsWith('hash_')) added.push([name, value, attributes]);
        },
      }),
    });
    try {
      const { app, awa } = serveApp();
      await logIn(app);
      await list(app, {});
      await list(app, awa);
    } finally {
      stop();
    }
    expect(added).to.deep.equal([
      ['merchant_auth.events', 1, { type: 'login_succeeded' }],
      ['merchant_auth.events', 1, { type: 'token_refused', reason: MISSING_TOKEN }],
    ]);
  });

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

  it('shows a test of that route, which passes, and the entry that the contract demands for it', async () => {
    expect(reportOf('password-route.test.ts', PAGE)).to.match(/^# pass 1$/m);
    const { createPasswordRoute } = loadSnippet('password-route.ts', PAGE) as PasswordRouteSnippet;
    const { leaveOut } = loadSnippet('password.test-host.ts', PAGE) as Pick<HostUnderTest, 'leaveOut'>;
    const userStore = new InMemoryUserStore([PAYER, OTHER].map(withPassword));
    const login = auth.createLogin(userStore);
    const app = express().use('/v1', auth.createLoginRouter(login));
    app.use(
      '/auth',
      createPasswordRoute(auth.createGuard({ userStore }), login, () => Promise.resolve()),
    );
    const [merchant, otherMerchant] = [PAYER, OTHER].map(({ email, marchand: { referencl } }) => {
      return { email, password: PASSWORD, referencl };
    }) as [TestMerchant, TestMerchant];
    const host: HostUnderTest = { app, merchant, otherMerchant, resources: [] };
    const check = (given: HostUnderTest) =>
      authContract(() => Promise.resolve(given)).find(({ name }) => name.startsWith('each route behind a guard'));
    const [without, withEntry] = [check(host), check({ ...host, ...(leaveOut && { leaveOut }) })];
    expect(String(await rejectionOf(without?.run() ?? Promise.resolve()))).to.include('PUT /auth/password');
    await withEntry?.run();
  });

  it('shows how to watch who still logs in to one of the accounts of a merchant', async () => {
    const { watchAccount } = loadSnippet('watch-account.ts', PAGE) as {
      watchAccount: (id: string, report: (source: string | undefined) => void) => () => void;
    };
    const second = { ...PAYER, id: '9', email: 'awa-2@boutique.example' };
    const { app } = serveApp({ userStore: new InMemoryUserStore([PAYER, second].map(withPassword)) });
    const sources: (string | undefined)[] = [];
    const stop = watchAccount(PAYER.id, (source) => sources.push(source));
    await logIn(app, { email: PAYER.email, password: PASSWORD });
    await logIn(app, { email: second.email, password: PASSWORD }).finally(stop);
    expect(sources).to.deep.equal(['127.0.0.1']);
  });
});

onEachDatabase(`${PAGE}: changing a password and logging out everywhere`, (database) => {
  it('ends the tokens of that merchant and its old password, and no other', async () => {
    writeSnippets(PAGE);
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
  const passwords = createPasswords();
  if (database.kind === 'mysql') {
    await database.query(blockOf(PAGE, 'change-password.mysql.sql'), [await passwords.hash(password), id]);
    return;
  }
  const pool = new pg.Pool({ connectionString: database.url });
  try {
    await (loadSnippet('change-password.ts', PAGE) as PasswordSnippet).changePassword(pool, passwords, id, password);
  } finally {
    await pool.end();
  }
}

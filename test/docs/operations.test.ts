import { expect } from 'chai';
import express, { type ErrorRequestHandler } from 'express';
import {
  authErrorHandler,
  createLoginRouter,
  createPasswords,
  createTokens,
  InMemoryUserStore,
  type Passwords,
  requireBearer,
  requireOwnReference,
} from 'express-merchant-auth';
import pg from 'pg';
import { PANELS } from '../../bench/logins/metrics-samples.js';
import { openMetrics } from '../../example-app/src/operations/metrics.js';
import { openStores, type Stores } from '../../example-app/src/stores/open-stores.js';
import { AWA as PAYER, withPassword } from '../helpers/accounts.js';
import { expectRevokedToken, expectStoreUnavailable, expectWrongCredentials } from '../helpers/answers.js';
import { onEachDatabase, type TestDatabase } from '../helpers/databases.js';
import { bearer, type Client, clientOf, serve } from '../helpers/http.js';
import * as loginHost from '../helpers/login-host.js';
import { printedBy } from '../helpers/printed.js';
import { blockOf, loadSnippet, readPage, writeSnippets } from '../helpers/snippets.js';
import { AWA, KOFI, list, logIn, tryLogIn } from '../example-app/calls.js';
import { serveApp } from '../example-app/serve-app.js';

const PAGE = 'docs/operations.md';

interface PasswordSnippet {
  changePassword(pool: pg.Pool, passwords: Passwords, id: string, password: string): Promise<void>;
}

interface TelemetrySnippet {
  readonly countAuthEvents: (meter: object) => () => void;
}

describe(PAGE, () => {
  it('names every metric beside those of Node.js, with its labels', async () => {
    const metrics = await openMetrics(createPasswords(), 0);
    try {
      const { text } = await clientOf(Number(new URL(metrics.url).port)).send('GET', '/metrics');
      const served = [...text.matchAll(/^# TYPE ((?:merchant|http)_\S+)/gm)].map(([, name]) => name);
      const listed = [...readPage(PAGE).matchAll(/^- `((?:merchant|http)_\w+)`/gm)].map(([, name]) => name);
      expect(served).to.have.length(6).and.have.members(listed);
    } finally {
      metrics.close();
    }
  });

  it('has rules for Prometheus whose metrics and labels exist from the start', async () => {
    const metrics = await openMetrics(createPasswords(), 0);
    try {
      const { text } = await clientOf(Number(new URL(metrics.url).port)).send('GET', '/metrics');
      const [, ...rules] = readPage('docs/prometheus-rules.yml').split('- alert: ');
      expect(rules).to.have.length(8);
      for (const rule of rules) {
        const [, alert, expr = ''] =
          /^(\w+)\n +expr: (.+?)\n +(?:for: \d+m\n +)?annotations:\n +summary: .+\.$/ms.exec(rule) ?? [];
        const selectors = [...expr.matchAll(/\b((?:merchant|http)_\w+)(?:\{(\w+)(=~?|!=)"([^"]+)"\})?/g)];
        expect(selectors, alert).not.to.have.length(0);
        for (const [, name = '', label, operator, values = ''] of selectors) {
          expect(text, alert).to.match(new RegExp(`^${name}[ {]`, 'm'));
          for (const value of operator === '!=' || label === undefined ? [] : values.split('|')) {
            expect(text, alert).to.match(new RegExp(`^${name}\\{.*\\b${label}="${value}".*\\} 0$`, 'm'));
          }
        }
      }
    } finally {
      metrics.close();
    }
  });

  it('shows a picture with the panels and series of these metrics', () => {
    const shown = readPage('docs/login-flood.svg');
    for (const text of [...PANELS, 'succeeded', 'waiting']) expect(shown).to.include(`>${text}<`);
  });

  it('shows a log of errors with the request, the detail and the cause', async () => {
    writeSnippets(PAGE);
    const { errorHandler } = loadSnippet('error-log.ts', PAGE) as { errorHandler: ErrorRequestHandler };
    const away = new Error('the database is away');
    const userStore = { findCredentials: () => Promise.resolve(null), findById: () => Promise.reject(away) };
    const client = await serve(express().use(requireBearer({ userStore }), errorHandler));
    const printed = await printedBy('error', async () => {
      const answer = await client.send('GET', '/payments', { headers: bearer(createTokens().issue(PAYER)) });
      expectStoreUnavailable(answer);
    });
    expect(printed).to.deep.equal([['GET', '/payments', 'store_unavailable', 'UserStore.findById failed.', away]]);
  });

  it('shows how OpenTelemetry counts the decisions', async () => {
    writeSnippets(PAGE);
    const { countAuthEvents } = loadSnippet('opentelemetry.ts', PAGE) as TelemetrySnippet;
    const added: unknown[][] = [];
    const stop = countAuthEvents({
      createCounter: (name: string) => ({
        add(value: number, attributes: Record<string, string>) {
          // The login of an earlier test can still upgrade its hash.
          if (attributes['type'] !== 'hash_upgraded') added.push([name, value, attributes]);
        },
      }),
    });
    try {
      const { client, awa } = await serveApp();
      await logIn(client);
      await list(client, {});
      await list(client, awa);
    } finally {
      stop();
    }
    expect(added).to.deep.equal([
      ['merchant_auth.events', 1, { type: 'login_succeeded' }],
      ['merchant_auth.events', 1, { type: 'token_refused', reason: 'missing_token' }],
    ]);
  });

  it('moves a merchant from one account to another, without a refused payment', async () => {
    writeSnippets(PAGE);
    const { watchAccount } = loadSnippet('watch-account.ts', PAGE) as {
      watchAccount: (id: string, report: (source: string | undefined) => void) => () => void;
    };
    const second = { ...PAYER, id: '9', email: 'awa-2@boutique.example' };
    const userStore = new InMemoryUserStore([PAYER, second].map(withPassword));
    const app = express().use('/v1', createLoginRouter(userStore), requireBearer({ userStore }));
    app.post('/v1/transactions', requireOwnReference(), (_req, res) => void res.sendStatus(201));
    const host = await serve(app.use(authErrorHandler()));
    const pay = async (token: string) => {
      const body = { refercence_cl: PAYER.marchand.referencl };
      return (await host.send('POST', '/v1/transactions', { body, headers: bearer(token) })).status;
    };

    const sources: (string | undefined)[] = [];
    const stop = watchAccount(PAYER.id, (source) => sources.push(source));
    const answers = [await loginHost.logIn(host), await loginHost.logIn(host, second.email)];
    stop();
    const [before = '', after = ''] = answers.map(loginHost.tokenOf);
    expect(sources).to.deep.equal(['127.0.0.1']);
    expect([await pay(before), await pay(after)]).to.deep.equal([201, 201]);
    userStore.put(withPassword({ ...PAYER, disabled: true }));
    expect([await pay(before), await pay(after)]).to.deep.equal([401, 201]);
    expect((await loginHost.logIn(host)).json).to.include({ error: 'account_disabled' });
  });
});

onEachDatabase(`${PAGE}: changing a password and logging out everywhere`, (database) => {
  const passwords = createPasswords();
  const tokens = createTokens();
  let stores: Stores;
  let client: Client;

  before('make the accounts', async () => {
    writeSnippets(PAGE);
    stores = await openStores({ kind: database.kind, url: database.url, seedDemo: true }, () => undefined);
  });

  after('close the stores', () => stores.close());

  beforeEach('serve a host', async () => {
    const { userStore } = stores;
    const app = express();
    app.use('/v1', createLoginRouter(userStore, { tokens, passwords }), requireBearer({ userStore, tokens }));
    app.get('/v1/transactions', (_req, res) => void res.json({ transactions: [] }));
    client = await serve(app.use(authErrorHandler()));
  });

  async function idOf(email: string): Promise<string> {
    const found = await stores.userStore.findCredentials(email);
    if (found === null) throw new Error(`There is no ${email}.`);
    return found.account.id;
  }

  const change = async (email: string, password: string) => changeIn(database, passwords, await idOf(email), password);

  it('ends the tokens of that merchant and its old password, and no other', async () => {
    const awa = await logIn(client, AWA);
    const kofi = await logIn(client, KOFI);
    await change(AWA.email, 'a new password');
    expectRevokedToken(await list(client, awa));
    expectWrongCredentials(await tryLogIn(client, AWA));
    expect((await list(client, await logIn(client, { ...AWA, password: 'a new password' }))).status).to.equal(200);
    expect((await list(client, kofi)).status).to.equal(200);
    await logIn(client, KOFI);
  });

  it('refuses the token of a login that read the account before', async () => {
    const before = await stores.userStore.findCredentials(KOFI.email);
    if (before === null) throw new Error('The account is missing.');
    await change(KOFI.email, 'another password');
    const late = { Authorization: `Bearer ${tokens.issue(before.account)}` };
    expectRevokedToken(await list(client, late));
  });
});

/** Runs the statement of the page for the database. */
async function changeIn(database: TestDatabase, passwords: Passwords, id: string, password: string): Promise<void> {
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

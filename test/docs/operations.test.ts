import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import express, { type ErrorRequestHandler } from 'express';
import {
  authErrorHandler,
  createLoginRouter,
  createPasswords,
  createTokens,
  type Passwords,
  requireBearer,
  type UserStore,
} from 'express-merchant-auth';
import pg from 'pg';
import { drawSamples, PANELS, parseMetrics, samplesOf } from '../../bench/logins/metrics-samples.js';
import { openMetrics } from '../../example-app/src/operations/metrics.js';
import { openStores, type Stores } from '../../example-app/src/stores/open-stores.js';
import { AWA as PAYER } from '../helpers/accounts.js';
import { expectRevokedToken, expectStoreUnavailable, expectWrongCredentials } from '../helpers/answers.js';
import { onEachDatabase, type TestDatabase } from '../helpers/databases.js';
import { bearer, type Client, clientOf, serve } from '../helpers/http.js';
import { blocksOf, loadSnippet, readPage, writeSnippets } from '../helpers/snippets.js';
import { AWA, KOFI, list, logIn, tryLogIn } from '../example-app/calls.js';
import { serveApp } from '../example-app/serve-app.js';

const PAGE = 'docs/operations.md';
const ROOT = path.resolve(__dirname, '../..');

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
      expect(served).to.have.length(5).and.have.members(listed);
    } finally {
      metrics.close();
    }
  });

  it('shows a picture that is drawn from these metrics', async () => {
    const passwords = createPasswords();
    const metrics = await openMetrics(passwords, 0);
    try {
      const port = Number(new URL(metrics.url).port);
      const scrape = async () => parseMetrics((await clientOf(port).send('GET', '/metrics')).text);
      const before = await scrape();
      const { client, awa } = await serveApp({ measure: metrics.measure, passwords });
      await logIn(client);
      expectWrongCredentials(await tryLogIn(client, { ...AWA, password: 'not the password' }));
      await list(client, awa);
      const samples = samplesOf(before, await scrape(), 2, 1);
      expect(samples.filter(({ panel }) => panel === 'Logins per second')).to.deep.equal([
        { panel: 'Logins per second', series: 'succeeded', second: 1, value: 0.5 },
        { panel: 'Logins per second', series: 'wrong_password', second: 1, value: 0.5 },
      ]);
      const series = new Set(samples.map((sample) => sample.series));
      expect(series).to.include.all.keys('running', 'waiting', 'guarded p99');
      const shown = fs.readFileSync(path.join(ROOT, 'docs/login-flood.svg'), 'utf8');
      for (const picture of [await drawSamples(samples), shown]) {
        for (const text of [...PANELS, 'succeeded', 'waiting']) expect(picture).to.include(`>${text}<`);
      }
    } finally {
      metrics.close();
    }
  });

  it('shows a log of errors with the request, the detail and the cause', async () => {
    writeSnippets(PAGE);
    const { errorHandler } = loadSnippet('error-log.ts', PAGE) as { errorHandler: ErrorRequestHandler };
    const away = new Error('the database is away');
    const userStore = { findCredentials: () => Promise.resolve(null), findById: () => Promise.reject(away) };
    const client = await serve(express().use(requireBearer({ userStore }), errorHandler));
    const printed: unknown[][] = [];
    const { error } = console;
    console.error = (...values: unknown[]) => void printed.push(values);
    try {
      const answer = await client.send('GET', '/payments', { headers: bearer(createTokens().issue(PAYER)) });
      expectStoreUnavailable(answer);
    } finally {
      console.error = error;
    }
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
    const { client } = await serveApp();
    await list(client, {});
    expect(added).to.deep.equal([
      ['merchant_auth.events', 1, { type: 'login_succeeded' }],
      ['merchant_auth.events', 1, { type: 'token_refused', reason: 'missing_token' }],
    ]);
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
    client = await serveHost(stores.userStore);
  });

  function serveHost(userStore: UserStore): Promise<Client> {
    const app = express();
    app.use('/v1', createLoginRouter(userStore, { tokens, passwords }), requireBearer({ userStore, tokens }));
    app.get('/v1/transactions', (_req, res) => void res.json({ transactions: [] }));
    return serve(app.use(authErrorHandler()));
  }

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

  it('is not undone by the upgrade of a hash that began before', async () => {
    const id = await idOf(KOFI.email);
    const before = await stores.userStore.findCredentials(KOFI.email);
    await change(KOFI.email, 'a third password');
    const upgraded = await stores.userStore.replacePasswordHash?.(id, before?.passwordHash ?? '', 'an upgraded hash');
    expect(upgraded).to.equal(false);
    await logIn(client, { ...KOFI, password: 'a third password' });
  });
});

/** Runs the statement of the page for the database. */
async function changeIn(database: TestDatabase, passwords: Passwords, id: string, password: string): Promise<void> {
  if (database.kind === 'mysql') {
    const block = blocksOf(PAGE).find(({ file }) => file === 'change-password.mysql.sql');
    await database.query(block?.text ?? '', [await passwords.hash(password), id]);
    return;
  }
  const pool = new pg.Pool({ connectionString: database.url });
  try {
    await (loadSnippet('change-password.ts', PAGE) as PasswordSnippet).changePassword(pool, passwords, id, password);
  } finally {
    await pool.end();
  }
}

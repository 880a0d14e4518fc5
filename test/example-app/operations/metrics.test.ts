import { channel } from 'node:diagnostics_channel';
import { mock } from 'node:test';
import { expect } from 'chai';
import request from 'supertest';
import express from 'express';
import {
  createLoginThrottle,
  createPasswords,
  createTokens,
  InMemoryUserStore,
  requireBearer,
} from 'express-merchant-auth';
import { demoAccounts } from '../../../example-app/src/demo-accounts.js';
import { type Metrics, openMetrics } from '../../../example-app/src/operations/metrics.js';
import { ACCOUNT_DISABLED, FOREIGN_REFERENCE, MISSING_TOKEN, STORE_UNAVAILABLE } from '../../helpers/answers.js';
import { collectWarnings } from '../../helpers/diagnostics.js';
import { bearer } from '../../helpers/http.js';
import { AWA, create, KOFI, list, logIn, TRANSACTION, tryLogIn } from '../calls.js';
import { serveApp } from '../serve-app.js';

describe('example-app: GET /metrics', () => {
  const passwords = createPasswords();
  let metrics: Metrics;

  beforeEach('open the metrics', async () => {
    metrics = await openMetrics(passwords, 0);
  });

  afterEach('close the metrics', () => {
    metrics.close();
    mock.restoreAll();
  });

  const ask = (path: string) => request(`http://127.0.0.1:${new URL(metrics.url).port}`).get(path);

  const serveMeasured = () => serveApp({ passwords, measure: metrics.measure });

  /** Returns the samples of a metric, by their labels. */
  async function samples(name: string): Promise<Record<string, number>> {
    const found = (await ask('/metrics')).text.matchAll(new RegExp(`^${name}\\{(.*)\\} (.*)$`, 'gm'));
    return Object.fromEntries([...found].map(([, labels = '', value]) => [labels.replaceAll('"', ''), Number(value)]));
  }

  it('is text that Prometheus reads, and the only route on its port', async () => {
    const { headers, text } = await ask('/metrics').expect(200);
    expect(headers['content-type']).to.equal('text/plain; version=0.0.4; charset=utf-8');
    expect(text).to.match(/^process_cpu_seconds_total \S+$/m);
    const { app } = serveMeasured();
    await request(app).get('/metrics').expect(404);
    await ask('/').expect(404);
  });

  /** Returns the samples that are not 0. */
  async function counted(name: string): Promise<Record<string, number>> {
    return Object.fromEntries(Object.entries(await samples(name)).filter(([, value]) => value !== 0));
  }

  it('has every series of the counters and of 5xx answers from the start, with 0', async () => {
    for (const [name, size] of [
      ['merchant_auth_logins_total', 8],
      ['merchant_auth_refusals_total', 10],
      ['merchant_auth_store_failures_total', 2],
      ['http_request_duration_seconds_count', 22],
    ] as const) {
      expect(Object.values(await samples(name)), name).to.deep.equal(Array(size).fill(0));
    }
  });

  it('says when failed logins are counted in memory', async () => {
    const inMemory = async () => /^merchant_auth_counting_in_memory (\d)$/m.exec((await ask('/metrics')).text)?.[1];
    expect(await inMemory()).to.equal('1');
    metrics.close();
    const throttle = createLoginThrottle();
    let isCountingInMemory = false;
    Object.defineProperty(throttle, 'isCountingInMemory', { get: () => isCountingInMemory });
    metrics = await openMetrics(passwords, 0, { throttle });
    expect(await inMemory()).to.equal('0');
    isCountingInMemory = true;
    expect(await inMemory()).to.equal('1');
  });

  it('counts logins by outcome', async () => {
    const { app } = serveMeasured();
    await logIn(app);
    await tryLogIn(app, { email: 'fermee@ancien.example', password: 'fermeture-2026' });
    await tryLogIn(app, { email: 'nobody@ancien.example', password: 'fermeture-2026' });
    for (let guess = 0; guess < 11; guess++) await tryLogIn(app, { ...KOFI, password: 'not the password' });
    expect(await counted('merchant_auth_logins_total')).to.deep.equal({
      'outcome=succeeded': 1,
      [`outcome=${ACCOUNT_DISABLED}`]: 1,
      'outcome=unknown_email': 1,
      'outcome=wrong_password': 10,
      'outcome=throttled': 1,
    });
  });

  it('counts refusals of the guard by reason, without findings that a guard only reports', async () => {
    collectWarnings();
    const { app, awa } = serveMeasured();
    for (let time = 0; time < 2; time++) await list(app, {});
    const foreign = { ...TRANSACTION, refercence_cl: 'CNT-1002' };
    await request(app).post('/v1/transactions').set(awa).send(foreign);
    const tokens = createTokens();
    const guard = requireBearer({ tokens, reference: 'reported' });
    const reporting = express().use(guard, (_req, res) => void res.json({}));
    const headers = bearer(tokens.issue({ id: '1', marchand: { referencl: 'BTQ-1001', statut: 1 } }));
    await request(reporting).get('/?refercence_cl=CNT-1002').set(headers).expect(200);
    expect(await counted('merchant_auth_refusals_total')).to.deep.equal({
      [`reason=${MISSING_TOKEN}`]: 2,
      [`reason=${FOREIGN_REFERENCE}`]: 1,
    });
  });

  it('counts a login and a token from an address that the account does not allow', async () => {
    const userStore = new InMemoryUserStore(demoAccounts.map((account) => ({ ...account, allowedSources: [] })));
    const { app, awa } = serveApp({ userStore });
    await tryLogIn(app, AWA);
    await list(app, awa);
    expect(await counted('merchant_auth_refusals_total')).to.deep.equal({ 'reason=source_refused': 2 });
  });

  it('counts failures of the account store', async () => {
    const userStore = new InMemoryUserStore(demoAccounts);
    userStore.findById = () => Promise.reject(new Error('away'));
    mock.method(console, 'error', () => undefined);
    const { app, awa } = serveApp({ userStore });
    await list(app, awa);
    expect(await counted('merchant_auth_store_failures_total')).to.deep.equal({ [`reason=${STORE_UNAVAILABLE}`]: 1 });
  });

  it('shows the hashes that run and wait now', async () => {
    expect(await samples('merchant_auth_hashes')).to.deep.equal({ 'state=running': 0, 'state=waiting': 0 });
    const hashes = Array.from({ length: 40 }, () => passwords.hash('baobab-2026'));
    const { running, waiting } = passwords.load();
    const shown = await samples('merchant_auth_hashes');
    expect(shown['state=running']).to.be.within(1, running);
    expect(shown['state=waiting']).to.be.within(1, waiting);
    await Promise.all(hashes);
  });

  it('measures answers by route and status, without a label that callers choose', async () => {
    const { app, awa } = serveMeasured();
    await tryLogIn(app, AWA);
    await create(app, awa);
    for (const id of ['none', 'another']) await request(app).get(`/v1/transactions/${id}`).set(awa);
    for (const path of ['/a/path/of/a/caller', '/healthz']) await request(app).get(path);
    expect(await counted('http_request_duration_seconds_count')).to.deep.equal({
      'route=POST /v1/login,status=200': 1,
      'route=POST /v1/transactions,status=201': 1,
      'route=GET /v1/transactions/:id,status=404': 2,
      'route=other,status=404': 1,
    });
    const buckets = await samples('http_request_duration_seconds_bucket');
    expect(buckets['le=+Inf,route=POST /v1/login,status=200']).to.equal(1);
    expect(buckets['le=0.001,route=POST /v1/login,status=200']).to.equal(0);
  });

  it('counts nothing when it is closed, and frees its port', async () => {
    metrics.close();
    expect(channel('express-merchant-auth').hasSubscribers).to.equal(false);
    metrics = await openMetrics(passwords, Number(new URL(metrics.url).port));
  });
});

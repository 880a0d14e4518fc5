import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { mock } from 'node:test';
import { expect } from 'chai';
import request from 'supertest';
import { InMemoryUserStore } from 'express-merchant-auth';
import { demoAccounts } from '../../../example-app/src/demo-accounts.js';
import { createLogger, logAuthEvents } from '../../../example-app/src/operations/logger.js';
import { InMemoryTransactionStore } from '../../../example-app/src/transactions/in-memory-transaction-store.js';
import { STORE_UNAVAILABLE } from '../../helpers/answers.js';
import { bearer, serve } from '../../helpers/http.js';
import { until } from '../../helpers/until.js';
import { AWA, list, logIn, TRANSACTION, tryLogIn } from '../calls.js';
import { type LogLine, serveApp, type ServedApp } from '../serve-app.js';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const WRONG = { ...AWA, password: 'not the password' };

describe('example-app: the log', () => {
  let stop: () => void = () => undefined;

  afterEach('stop the logging of events', () => {
    stop();
    mock.restoreAll();
  });

  /** Serves the app and logs its audit events, as the process does. */
  function serveLogged(dependencies: Parameters<typeof serveApp>[0] = {}): ServedApp {
    const lines: LogLine[] = [];
    const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line) as LogLine) });
    stop = logAuthEvents(logger);
    return { ...serveApp({ logger, ...dependencies }), lines };
  }

  const answersIn = (lines: readonly LogLine[]) => lines.filter(({ msg }) => msg === 'Request answered');

  /** Returns the line about the only answer. The app writes it when the response has closed. */
  async function answerIn({ lines }: ServedApp): Promise<LogLine> {
    await until(() => answersIn(lines).length > 0);
    const [line] = answersIn(lines);
    if (line === undefined) throw new Error('Nothing was logged.');
    return line;
  }

  it('has one line for each answer, with its id, caller, route and status', async () => {
    const served = serveLogged();
    const headers = { ...served.awa, 'X-Request-Id': 'order-17/try:1' };
    await request(served.app).post('/v1/transactions?page=2').set(headers).send(TRANSACTION);
    const { time, milliseconds, ...line } = await answerIn(served);
    expect(line).to.deep.equal({
      level: 'info',
      pid: process.pid,
      requestId: 'order-17/try:1',
      accountId: '1',
      route: 'POST /v1/transactions',
      status: 201,
      msg: 'Request answered',
    });
    expect(new Date(String(time)).toISOString()).to.equal(time);
    expect(milliseconds).to.be.a('number').and.at.least(0);
    expect(served.lines).to.have.length(1);
  });

  it('says that a caller left before its answer, with the id and without a status', async () => {
    const transactionStore = new InMemoryTransactionStore();
    let isListing = false;
    transactionStore.list = () => {
      isListing = true;
      return new Promise(() => undefined);
    };
    const served = serveLogged({ transactionStore });
    const headers = { ...served.awa, 'X-Request-Id': 'abandoned' };
    const { port } = await serve(served.app);
    const abandoned = http.get({ port, host: '127.0.0.1', path: '/v1/transactions', headers });
    abandoned.on('error', () => undefined);
    await until(() => isListing);
    abandoned.destroy();
    await until(() => served.lines.length > 0);
    expect(served.lines[0]).to.include({
      msg: 'Request aborted',
      requestId: 'abandoned',
      route: 'GET /v1/transactions',
    });
    expect(served.lines[0]).not.to.have.property('status');
  });

  it('takes the id of the caller, or makes one for an id that is missing, long or odd, and sends it back', async () => {
    const { app } = serveLogged();
    const idFor = async (headers: Readonly<Record<string, string>>) =>
      (await request(app).get('/healthz').set(headers)).headers['x-request-id'];
    expect(await idFor({ 'X-Request-Id': 'from-the-proxy' })).to.equal('from-the-proxy');
    expect(await idFor({})).to.match(UUID);
    for (const id of ['', 'x'.repeat(129), 'a"b', 'a b', 'é'])
      expect(await idFor({ 'X-Request-Id': id })).to.match(UUID);
  });

  it('has the id of its request in each line, even when many come at once on one connection', async () => {
    const served = serveLogged();
    const { port } = await serve(served.app);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 2 });
    const ids = Array.from({ length: 20 }, (_, index) => `request-${index}`);
    const results = ids.map(async (id) => {
      const headers = { 'X-Request-Id': id };
      const path = '/v1/transactions';
      const sent = http.get({ port, host: '127.0.0.1', path, headers, agent });
      const [response] = (await once(sent, 'response')) as [http.IncomingMessage];
      await text(response);
    });
    await Promise.all(results);
    await until(() => answersIn(served.lines).length === ids.length);
    for (const msg of ['token_refused', 'Request answered']) {
      const found = served.lines.filter((line) => line.msg === msg).map(({ requestId }) => requestId);
      expect(found).to.have.members(ids);
    }
    agent.destroy();
  });

  it('holds no password, token, email, body, query or Authorization header', async () => {
    const served = serveLogged();
    await logIn(served.app);
    await tryLogIn(served.app, { ...WRONG, note: 'a note in a body' });
    await request(served.app).get('/v1/transactions?token=a-token-in-a-query').set(served.awa);
    await request(served.app).get('/v1/transactions/a-token-in-a-path').set(served.awa);
    await request(served.app).get('/v1/transactions').set(bearer('a.bad.token'));
    await until(() => answersIn(served.lines).length === 5);
    const written = JSON.stringify(served.lines);
    const token = String(served.awa['Authorization']).slice('Bearer '.length);
    const secrets = [AWA.password, WRONG.password, AWA.email, token, 'a.bad.token', 'eyJ', 'Bearer', 'a-token-in'];
    for (const secret of [...secrets, 'a note']) expect(written).not.to.include(secret);
  });

  for (const [title, failure, code] of [
    ['a code', Object.assign(new Error("Duplicate entry 'a-secret-value'"), { code: 'ECONNRESET' }), 'ECONNRESET'],
    [
      'a code of its cause',
      new Error('away', { cause: Object.assign(new Error('a-secret-value'), { code: 'ECONNREFUSED' }) }),
      'ECONNREFUSED',
    ],
    ['a timeout', new Error('away', { cause: new Error('timeout exceeded: a-secret-value') }), 'timeout'],
    ['a message like frames', new Error('\n    at a-secret-value'), undefined],
  ] as const) {
    it(`names a failure of the store with ${title} at level error, without the values in its message`, async () => {
      const userStore = new InMemoryUserStore(demoAccounts);
      userStore.findById = () => Promise.reject(failure);
      const served = serveLogged({ userStore });
      await list(served.app, served.awa);
      await answerIn(served);
      const cause = code === undefined ? { name: 'Error' } : { name: 'Error', code };
      const [event, error, answer] = served.lines;
      expect(served.lines.map(({ level }) => level)).to.deep.equal(['error', 'error', 'error']);
      expect(event?.['audit']).to.deep.include({ type: 'store_failed', reason: STORE_UNAVAILABLE, cause });
      expect(error).to.deep.include({ msg: 'UserStore.findById failed.', error: STORE_UNAVAILABLE });
      expect(error?.['requestId']).to.equal(answer?.['requestId']);
      const reported = error?.['cause'] as { frames: string[] } | undefined;
      expect(reported?.frames[0]).to.match(/^at .+logger\.test\.ts/);
      expect(JSON.stringify(served.lines)).not.to.include('a-secret-value');
    });
  }

  it('has throttled logins and their answers at level warn', async () => {
    const served = serveLogged();
    for (let guess = 0; guess < 11; guess++) await tryLogIn(served.app, WRONG);
    await until(() => answersIn(served.lines).length === 11);
    const warned = served.lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
    expect(warned).to.deep.equal(['login_throttled', 'Request answered']);
  });
});

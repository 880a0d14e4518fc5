import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { mock } from 'node:test';
import { expect } from 'chai';
import { InMemoryUserStore } from 'express-merchant-auth';
import { demoAccounts } from '../../../example-app/src/demo-accounts.js';
import { createLogger, logAuthEvents } from '../../../example-app/src/operations/logger.js';
import { InMemoryTransactionStore } from '../../../example-app/src/transactions/in-memory-transaction-store.js';
import { STORE_UNAVAILABLE } from '../../helpers/answers.js';
import { bearer } from '../../helpers/http.js';
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
  async function serveLogged(dependencies: Parameters<typeof serveApp>[0] = {}): Promise<ServedApp> {
    const lines: LogLine[] = [];
    const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line) as LogLine) });
    stop = logAuthEvents(logger);
    return { ...(await serveApp({ logger, ...dependencies })), lines };
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
    const app = await serveLogged();
    const headers = { ...app.awa, 'X-Request-Id': 'order-17/try:1' };
    await app.client.send('POST', '/v1/transactions?page=2', { headers, body: TRANSACTION });
    const { time, milliseconds, ...line } = await answerIn(app);
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
    expect(app.lines).to.have.length(1);
  });

  it('says that a caller left before its answer, with the id and without a status', async () => {
    const transactionStore = new InMemoryTransactionStore();
    let isListing = false;
    transactionStore.list = () => {
      isListing = true;
      return new Promise(() => undefined);
    };
    const app = await serveLogged({ transactionStore });
    const headers = { ...app.awa, 'X-Request-Id': 'abandoned' };
    const request = http.get({ port: app.client.port, host: '127.0.0.1', path: '/v1/transactions', headers });
    request.on('error', () => undefined);
    await until(() => isListing);
    request.destroy();
    await until(() => app.lines.length > 0);
    expect(app.lines[0]).to.include({ msg: 'Request aborted', requestId: 'abandoned', route: 'GET /v1/transactions' });
    expect(app.lines[0]).not.to.have.property('status');
  });

  it('takes the id of the caller, or makes one for an id that is missing, long or odd, and sends it back', async () => {
    const { client } = await serveLogged();
    const idFor = async (headers: Readonly<Record<string, string>>) =>
      (await client.send('GET', '/healthz', { headers })).headers['x-request-id'];
    expect(await idFor({ 'X-Request-Id': 'from-the-proxy' })).to.equal('from-the-proxy');
    expect(await idFor({})).to.match(UUID);
    for (const id of ['', 'x'.repeat(129), 'a"b', 'a b', 'é'])
      expect(await idFor({ 'X-Request-Id': id })).to.match(UUID);
  });

  it('has the id of its request in each line, even when many come at once on one connection', async () => {
    const app = await serveLogged();
    const agent = new http.Agent({ keepAlive: true, maxSockets: 2 });
    const ids = Array.from({ length: 20 }, (_, index) => `request-${index}`);
    const results = ids.map(async (id) => {
      const headers = { 'X-Request-Id': id };
      const path = '/v1/transactions';
      const request = http.get({ port: app.client.port, host: '127.0.0.1', path, headers, agent });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      await text(response);
    });
    await Promise.all(results);
    await until(() => answersIn(app.lines).length === ids.length);
    for (const msg of ['token_refused', 'Request answered']) {
      const found = app.lines.filter((line) => line.msg === msg).map(({ requestId }) => requestId);
      expect(found).to.have.members(ids);
    }
    agent.destroy();
  });

  it('holds no password, token, email, body, query or Authorization header', async () => {
    const app = await serveLogged();
    await logIn(app.client);
    await tryLogIn(app.client, { ...WRONG, note: 'a note in a body' });
    await app.client.send('GET', '/v1/transactions?token=a-token-in-a-query', { headers: app.awa });
    await app.client.send('GET', '/v1/transactions/a-token-in-a-path', { headers: app.awa });
    await app.client.send('GET', '/v1/transactions', { headers: bearer('a.bad.token') });
    await until(() => answersIn(app.lines).length === 5);
    const written = JSON.stringify(app.lines);
    const token = String(app.awa['Authorization']).slice('Bearer '.length);
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
      const app = await serveLogged({ userStore });
      await list(app.client, app.awa);
      await answerIn(app);
      const cause = code === undefined ? { name: 'Error' } : { name: 'Error', code };
      const [event, error, answer] = app.lines;
      expect(app.lines.map(({ level }) => level)).to.deep.equal(['error', 'error', 'error']);
      expect(event?.['audit']).to.deep.include({ type: 'store_failed', reason: STORE_UNAVAILABLE, cause });
      expect(error).to.deep.include({ msg: 'UserStore.findById failed.', error: STORE_UNAVAILABLE });
      expect(error?.['requestId']).to.equal(answer?.['requestId']);
      const reported = error?.['cause'] as { frames: string[] } | undefined;
      expect(reported?.frames[0]).to.match(/^at .+logger\.test\.ts/);
      expect(JSON.stringify(app.lines)).not.to.include('a-secret-value');
    });
  }

  it('has throttled logins and their answers at level warn', async () => {
    const app = await serveLogged();
    for (let guess = 0; guess < 11; guess++) await tryLogIn(app.client, WRONG);
    await until(() => answersIn(app.lines).length === 11);
    const warned = app.lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
    expect(warned).to.deep.equal(['login_throttled', 'Request answered']);
  });
});

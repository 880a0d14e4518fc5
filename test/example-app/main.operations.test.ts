import { once } from 'node:events';
import net from 'node:net';
import { expect } from 'chai';
import { expectError } from '../helpers/answers.js';
import { onEachDatabase } from '../helpers/databases.js';
import { clientOf } from '../helpers/http.js';
import { withRedis } from '../helpers/redis.js';
import { startTcpProxy, type TcpProxy } from '../helpers/tcp-proxy.js';
import { exceptOn, itWithSignals } from '../helpers/unavailable.js';
import { printedBy, spawnApp, startApp, type StartedApp } from './app-process.js';
import { create, list, logIn } from './calls.js';
import type { LogLine } from './serve-app.js';

async function stop({ child, ending }: StartedApp): Promise<string> {
  child.kill('SIGTERM');
  const { code, signal, stdout, stderr } = await ending;
  expect({ code, signal, stderr }).to.deep.equal({ code: 0, signal: null, stderr: '' });
  return stdout;
}

/** Reads the output of a process that logs. */
function linesOf(stdout: string): LogLine[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LogLine);
}

async function connects(host: string, port: number): Promise<boolean> {
  const socket = net.connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

describe('example-app: the operations of the process', () => {
  const itWithTwoAddresses = exceptOn(['win32', 'darwin'], 'it needs signals, and a second address of loopback');
  itWithTwoAddresses('listens on loopback alone, unless HOST says otherwise', async () => {
    const usual = await startApp();
    expect(await connects('127.0.0.1', usual.port)).to.equal(true);
    expect(await connects('127.0.0.2', usual.port)).to.equal(false);
    const other = await startApp({ HOST: '127.0.0.2' });
    expect(await connects('127.0.0.2', other.port)).to.equal(true);
    expect(await connects('127.0.0.1', other.port)).to.equal(false);
    expect(await stop(other)).to.match(new RegExp(`^Listening on http://127\\.0\\.0\\.2:${other.port}\\n`));
    const all = await startApp({ HOST: '0.0.0.0' });
    expect(await connects('127.0.0.2', all.port)).to.equal(true);
    expect(await stop(all)).to.equal(printedBy(all.port, 'SIGTERM'));
  });

  itWithSignals('says why it stops', async () => {
    const app = await startApp();
    app.child.kill('SIGINT');
    expect(await app.ending).to.deep.equal({
      code: 0,
      signal: null,
      stdout: printedBy(app.port, 'SIGINT'),
      stderr: '',
    });
  });

  for (const env of [{ NODE_ENV: 'production' }, { LOG_LEVEL: 'info' }]) {
    itWithSignals(`writes nothing but JSON lines to stdout with ${JSON.stringify(env)}`, async () => {
      const app = await startApp(env);
      await create(app.client, await logIn(app.client));
      const lines = linesOf(await stop(app));
      expect(lines.map(({ level, msg, route }) => [level, msg, route])).to.deep.equal([
        ['info', `Listening on http://localhost:${app.port}`, undefined],
        ['info', lines[1]?.msg, undefined],
        ['info', `Or open http://localhost:${app.port}/docs`, undefined],
        ['info', 'login_succeeded', undefined],
        ['info', 'Request answered', 'POST /v1/login'],
        ['info', 'Request answered', 'POST /v1/transactions'],
        ['info', 'Stopping because of SIGTERM', undefined],
      ]);
      expect(lines[1]?.msg).to.match(/^Try: curl /);
      expect(lines[3]?.['requestId']).to.equal(lines[4]?.['requestId']);
    });
  }

  itWithSignals('serves the metrics at METRICS_PORT, and none without it', async () => {
    const app = await startApp({ METRICS_PORT: '0' });
    await list(app.client, {});
    const { port } = new URL(/^Metrics on (.*)$/m.exec(app.printed())?.[1] ?? '');
    const metrics = clientOf(Number(port));
    const { text } = await metrics.send('GET', '/metrics');
    expect(text).to.include('\nmerchant_auth_refusals_total{reason="missing_token"} 1\n');
    expect(await stop(app)).to.include(`\nMetrics on http://127.0.0.1:${port}/metrics\n`);
    const without = await startApp();
    expect(await stop(without)).not.to.include('Metrics');
  });

  for (const [name, value, message] of [
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent.'],
    ['METRICS_PORT', 'x', 'METRICS_PORT must be a whole number from 0 to 65535.'],
    ['REQUESTS_PER_MINUTE', '0', `REQUESTS_PER_MINUTE must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}.`],
  ] as const) {
    it(`does not start with ${name}=${value}, and says so in one line`, async () => {
      const { code, stdout, stderr } = await spawnApp({ [name]: value }).ending;
      expect({ code, stdout, stderr }).to.deep.equal({ code: 1, stdout: '', stderr: `Cannot start: ${message}\n` });
    });
  }

  it('limits a merchant to REQUESTS_PER_MINUTE', async () => {
    const { client } = await startApp({ REQUESTS_PER_MINUTE: '1' });
    const awa = await logIn(client);
    expect((await list(client, awa)).status).to.equal(200);
    expect((await list(client, awa)).json).to.deep.include({ code: 429, error: 'too_many_requests' });
  });
});

function expectNotReady(answer: Parameters<typeof expectError>[0], service: string): void {
  const description = `No answer from: ${service}.`;
  expectError(answer, { code: 503, error: 'not_ready', message: 'Not ready', description }, { 'retry-after': '5' });
}

/** Asserts that the process is not ready while a service fails or hangs, and ready again afterwards. */
async function expectProbes({ client }: StartedApp, service: string, proxy: TcpProxy): Promise<void> {
  const ready = () => client.send('GET', '/readyz');
  expect((await ready()).status).to.equal(200);
  for (const fail of ['refuse', 'hang'] as const) {
    await Promise.resolve(proxy[fail]());
    expectNotReady(await ready(), service);
    expect((await client.send('GET', '/healthz')).status).to.equal(200);
    await proxy.restore();
    while ((await ready()).status !== 200);
  }
}

onEachDatabase('example-app: GET /readyz over a database', (database) => {
  it('asks the database', async () => {
    const proxy = await startTcpProxy(database);
    const app = await startApp({ DATABASE_URL: database.urlThrough(proxy.port) });
    await expectProbes(app, 'database', proxy);
  });
});

withRedis('example-app: GET /readyz over Redis', (redis) => {
  it('asks Redis', async () => {
    const proxy = await startTcpProxy(redis);
    const app = await startApp({ REDIS_URL: `redis://127.0.0.1:${proxy.port}/?keyPrefix=${redis.keyPrefix}:` });
    await expectProbes(app, 'redis', proxy);
  });
});

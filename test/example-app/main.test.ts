import { once } from 'node:events';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { createTokens } from 'express-merchant-auth';
import { expect } from 'chai';
import request from 'supertest';
import { bearer } from '../helpers/http.js';
import { connects } from '../helpers/ports.js';
import { exceptOn, itWithSignals } from '../helpers/unavailable.js';
import { outputUntilStop, SECRET, spawnApp, startApp, stop } from './app-process.js';
import { create, list, logIn, TRANSACTION, tryLogIn } from './calls.js';
import type { LogLine } from './serve-app.js';

const BY_AWA = { id: '1', marchand: { referencl: 'BTQ-1001', statut: 1 } };

async function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await text(response);
  return response;
}

/** Sends a transaction up to the middle of its body, and returns how to send the rest. */
async function sendHalf(port: number) {
  const body = JSON.stringify(TRANSACTION);
  const headers = {
    ...bearer(createTokens({ secret: SECRET }).issue(BY_AWA)),
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    Expect: '100-continue',
  };
  const agent = new http.Agent({ keepAlive: true });
  const request = http.request({ host: 'localhost', port, method: 'POST', path: '/v1/transactions', headers, agent });
  request.on('error', () => undefined);
  request.flushHeaders();
  await once(request, 'continue');
  request.write(body.slice(0, 20));
  return () => answerTo(request.end(body.slice(20)));
}

/** Waits until nobody listens on the port. */
async function refused(port: number): Promise<void> {
  while (await connects('localhost', port));
}

describe('example-app: the process', () => {
  itWithSignals('prints its address, a first call, and why it stops', async () => {
    const app = await startApp();
    expect(await stop(app)).to.deep.include({ stdout: outputUntilStop(app.port, 'SIGTERM'), stderr: '' });
  });

  it('refuses in French with REFUSAL_LANGUAGE=fr, at the login, behind the guard and in the error handler', async () => {
    const { url } = await startApp({ REFUSAL_LANGUAGE: 'fr' });
    const headers = await logIn(url);
    const answers = await Promise.all([
      tryLogIn(url, {}),
      list(url, {}),
      request(url).post('/v1/transactions').set(headers).send({}),
      request(url).get('/v1/transactions/%ff').set(headers),
    ]);
    expect(answers.map(({ body }) => (body as { message: string }).message)).to.deep.equal([
      'Corps de requête non valide',
      'Jeton manquant',
      'Référence manquante',
      'URL non valide',
    ]);
  });

  for (const [title, env, problem] of [
    ['JWT_SECRET is weak', { JWT_SECRET: 'geheim' }, /^[^\n]* at least 32 bytes[^\n]*$/],
    [
      'METRICS_HOST is the address of another machine',
      { METRICS_HOST: '203.0.113.7', METRICS_PORT: '0' },
      /^[^\n]+ address not available [^\n]+\. Set METRICS_HOST to an address of this machine\.$/,
    ],
    ['TRUST_PROXY is true', { TRUST_PROXY: 'true' }, /^TRUST_PROXY=true lets every caller forge its address\. [^\n]+$/],
  ] as const) {
    it(`says in one line that ${title}, without showing a secret, and exits with 1`, async () => {
      const { code, stdout, stderr } = await spawnApp(env).ending;
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
      const [, shown = ''] = /^Cannot start: (.*)\n$/s.exec(stderr) ?? [];
      expect(shown).to.match(problem).and.not.include('geheim');
    });
  }

  const itWithTwoAddresses = exceptOn(['win32', 'darwin'], 'it needs signals, and a second address of loopback');
  itWithTwoAddresses('listens on loopback alone, unless HOST says otherwise', async () => {
    const usual = await startApp();
    expect(await connects('127.0.0.2', usual.port)).to.equal(false);
    const other = await startApp({ HOST: '127.0.0.2' });
    expect(await connects('127.0.0.2', other.port)).to.equal(true);
    expect((await stop(other)).stdout).to.include(`Listening on http://127.0.0.2:${other.port}\n`);
  });

  itWithSignals('writes nothing but JSON lines to stdout in production', async () => {
    const app = await startApp({ NODE_ENV: 'production', SEED_DEMO: '1', SHUTDOWN_DELAY_MS: '0' });
    await create(app.url, await logIn(app.url));
    const { stdout } = await stop(app);
    const lines = stdout.split(/\n(?=.)/).map((line) => JSON.parse(line) as LogLine);
    expect(lines[1]?.msg).to.match(/^Try: curl -s \S+\/readyz$/);
    expect(lines.map(({ msg, route }) => [msg, route])).to.deep.equal([
      [`Listening on http://localhost:${app.port}`, undefined],
      [lines[1]?.msg, undefined],
      [`Or open http://localhost:${app.port}`, undefined],
      ['login_succeeded', undefined],
      ['Request answered', 'POST /v1/login'],
      ['Request answered', 'POST /v1/transactions'],
      ['Stopping because of SIGTERM', undefined],
    ]);
  });

  itWithSignals('takes METRICS_PORT and REQUESTS_PER_MINUTE from the environment', async () => {
    const app = await startApp({ METRICS_PORT: '0', REQUESTS_PER_MINUTE: '1' });
    const awa = await logIn(app.url);
    await list(app.url, awa).expect(200);
    expect((await list(app.url, awa)).body).to.deep.include({ code: 429, error: 'too_many_requests' });
    const [, metricsPort] = /^Metrics on http:\/\/localhost:(\d+)\/metrics$/m.exec(app.printed()) ?? [];
    const { text: metrics } = await request(`http://127.0.0.1:${metricsPort}`).get('/metrics');
    expect(metrics).to.include('\nmerchant_auth_logins_total{outcome="succeeded"} 1\n');
    await stop(app);
  });

  // npm and a terminal send one signal each.
  itWithSignals('stops accepting on two signals at once, answers the request in flight, and is not ready', async () => {
    const { port, child, ending } = await startApp();
    const agent = new http.Agent({ keepAlive: true });
    const ask = () => answerTo(http.get({ host: 'localhost', port, path: '/readyz', agent }));
    expect((await ask()).headers).to.include({ connection: 'keep-alive', 'keep-alive': 'timeout=75' });
    const sendRest = await sendHalf(port);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) child.kill(signal);
    await refused(port);
    expect((await ask()).statusCode).to.equal(503);
    const answer = await sendRest();
    expect(answer.statusCode).to.equal(201);
    expect(answer.headers.connection).to.equal('close');
    const { code, stdout, stderr } = await ending;
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout).to.match(/\nStopping because of SIG(INT|TERM)\n$/);
  });

  itWithSignals('exits at once on a second SIGTERM, whatever is in flight', async () => {
    const { port, child, ending } = await startApp();
    await sendHalf(port);
    child.kill('SIGTERM');
    while (child.exitCode === null && child.signalCode === null) {
      await refused(port);
      child.kill('SIGTERM');
    }
    expect(await ending).to.include({ code: 143, signal: null, stderr: '' });
  });
});

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Express } from 'express';
import request, { type Response } from 'supertest';
import type { Check } from '../../../example-app/src/operations/health.js';
import { expectError } from '../../helpers/answers.js';
import { freezeTime } from '../../helpers/frozen-time.js';
import { serve } from '../../helpers/http.js';
import { readPage } from '../../helpers/snippets.js';
import { rejectionOf } from '../../helpers/thrown.js';
import { until } from '../../helpers/until.js';
import { serveApp, type ServedApp } from '../serve-app.js';

/** Sends a request at once, which supertest does only when it is awaited. */
const send = (app: Express) => Promise.resolve(request(app).get('/readyz'));

const answers: Check = () => Promise.resolve();
const fails: Check = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7 a-secret-value'));
const hangs: Check = () => new Promise(() => undefined);

function expectReady(answer: Response): void {
  expect(answer.text).to.equal('{"status":"Success","success":true,"code":200,"message":"Ready"}');
  expect(answer.status).to.equal(200);
  expect(answer.headers).to.include({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });
}

function expectNotReady(answer: Response, description: string): void {
  expectError(answer, { code: 503, error: 'not_ready', message: 'Not ready', description }, { 'retry-after': '5' });
  expect(answer.headers['cache-control']).to.equal('no-store');
}

describe('example-app: GET /readyz', () => {
  const { signal } = new AbortController();

  const serveWith = (checks: Readonly<Record<string, Check>>, stopping = signal): ServedApp =>
    serveApp({ health: { checks, stopping } });

  it('is ready without a token when every service answers, or none is needed', async () => {
    for (const checks of [{}, { database: answers, redis: answers }]) {
      const { app } = serveWith(checks);
      expectReady(await request(app).get('/readyz'));
    }
  });

  it('names the services that fail, but not the reason', async () => {
    const served = serveWith({ database: fails, elsewhere: answers, redis: fails });
    expectNotReady(await request(served.app).get('/readyz'), 'No answer from: database, redis.');
    expect(served.logged).to.deep.equal([]);
  });

  it('does not wait for a service that hangs, and asks it again the next time', async () => {
    const time = freezeTime();
    let asked = 0;
    const recovers = () => (asked++ === 0 ? hangs() : answers());
    const { app } = serveWith({ database: recovers });
    const answer = send(app);
    await until(() => asked === 1);
    time.pass(0.9);
    expectNotReady(await answer, 'No answer from: database.');
    expectReady(await request(app).get('/readyz'));
  });

  it('asks each service once for requests that arrive together', async () => {
    let asked = 0;
    let finish: () => void = () => undefined;
    const { app } = serveWith({
      database: () => {
        asked++;
        return new Promise<void>((resolve) => (finish = resolve));
      },
    });
    const requests = Array.from({ length: 20 }, () => send(app));
    await until(() => asked > 0);
    // This probe asks no service.
    const healthy = '{"status":"Success","success":true,"code":200,"message":"Healthy"}';
    await request(app).get('/healthz').expect(healthy);
    finish();
    for (const answer of await Promise.all(requests)) expectReady(answer);
    expect(asked).to.equal(1);
  });

  it('is not ready while the process stops, and asks no service', async () => {
    const stopping = new AbortController();
    let asked = 0;
    const { app } = serveWith({ database: () => Promise.resolve(asked++) }, stopping.signal);
    stopping.abort();
    expectNotReady(await request(app).get('/readyz'), 'This process is stopping.');
    expect(asked).to.equal(0);
  });

  it('does not decide the health check of the Dockerfile, which fails when nothing listens', async () => {
    const [, check = ''] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(readPage('example-app/Dockerfile')) ?? [];
    const [, ...args] = JSON.parse(check) as string[];
    const run = (port: number) => promisify(execFile)(process.execPath, args, { env: { PORT: String(port) } });
    const { app } = serveWith({ database: fails });
    await run((await serve(app)).port);
    expect(await rejectionOf(run(1))).to.include({ code: 1 });
  });
});

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { drawSamples } from './draw-samples.js';
import { type Sample, scrape } from './samples.js';

const ROOT = path.dirname(createRequire(__filename).resolve('express-merchant-auth/package.json'));
/** How long the flood lasts, and how long it is quiet before and after. */
export interface Pace {
  readonly quietMs: number;
  readonly floodMs: number;
}

const GUESSES_AT_A_TIME = 64;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const post = (url: string, body: object) =>
  fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });

/** Calls until `signal` aborts, one call after the other. */
async function repeat(signal: AbortSignal, pauseMs: number, call: () => Promise<Response>): Promise<void> {
  while (!signal.aborted) {
    await (await call()).arrayBuffer();
    await sleep(pauseMs);
  }
}

async function measure(base: string, metrics: string, { quietMs, floodMs }: Pace): Promise<Sample[]> {
  const good = { email: 'awa@boutique.example', password: 'baobab-2026' };
  const answer = (await (await post(`${base}/login`, good)).json()) as { authorisation: { token: string } };
  const headers = { Authorization: `Bearer ${answer.authorisation.token}` };
  const end = new AbortController();
  const flood = new AbortController();
  const samples = scrape(metrics, Math.min(500, floodMs / 4), end.signal);
  const calls = [
    repeat(end.signal, 20, () => fetch(`${base}/transactions`, { headers })),
    repeat(end.signal, 250, () => post(`${base}/login`, good)),
  ];
  await sleep(quietMs);
  const guess = () => ({ email: `${randomBytes(4).toString('hex')}@nobody.example`, password: 'guessed password' });
  const guesses = Array.from({ length: GUESSES_AT_A_TIME }, () =>
    repeat(flood.signal, 50, () => post(`${base}/login`, guess())),
  );
  await sleep(floodMs);
  flood.abort();
  await Promise.all(guesses);
  await sleep(quietMs);
  end.abort();
  await Promise.all(calls);
  return samples;
}

/** Starts the example app, lets strangers guess passwords, and draws what the metrics of the app say meanwhile. */
export async function drawFlood(pace: Pace): Promise<string> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const app = spawn(process.execPath, [path.join(ROOT, 'example-app/dist/main.js')], {
    env: { ...process.env, PORT: String(port), METRICS_PORT: String(metricsPort), LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    await once(app.stdout, 'data');
    const [base, metrics] = [`http://127.0.0.1:${port}/v1`, `http://127.0.0.1:${metricsPort}/metrics`];
    return await drawSamples(await measure(base, metrics, pace));
  } finally {
    app.kill();
    await once(app, 'exit');
  }
}

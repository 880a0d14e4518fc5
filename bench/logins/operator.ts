import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figures, Row, Run } from '../harness/rows.js';
import { quartilesOf } from '../harness/statistics.js';
import { drawSamples, type Sample, scrape } from './metrics-samples.js';

const APP = path.resolve(__dirname, '../../../example-app/dist/main.js');
const QUIET_MS = 5_000;
const FLOOD_MS = 15_000;
const SCRAPE_MS = 500;
const GUESSES_AT_A_TIME = 64;

const HEADERS = { 'Content-Type': 'application/json' };
const post = (url: string, body: object) =>
  fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) });

/** Calls until `signal` aborts, one call after the other. */
async function repeat(signal: AbortSignal, pauseMs: number, call: () => Promise<Response>): Promise<void> {
  while (!signal.aborted) {
    await (await call()).arrayBuffer();
    await sleep(pauseMs);
  }
}

async function floodAndScrape(base: string, metrics: string): Promise<Sample[]> {
  const good = { email: 'awa@boutique.example', password: 'baobab-2026' };
  const response = (await (await post(`${base}/login`, good)).json()) as { authorisation: { token: string } };
  const headers = { Authorization: `Bearer ${response.authorisation.token}` };
  const [end, flood] = [new AbortController(), new AbortController()];
  const samples = scrape(metrics, SCRAPE_MS, end.signal);
  const calls = [
    repeat(end.signal, 20, () => fetch(`${base}/transactions`, { headers })),
    repeat(end.signal, 250, () => post(`${base}/login`, good)),
  ];
  await sleep(QUIET_MS);
  const guess = () => ({ email: `${randomBytes(4).toString('hex')}@nobody.example`, password: 'guessed password' });
  const keepGuessing = () => repeat(flood.signal, 50, () => post(`${base}/login`, guess()));
  const guesses = Array.from({ length: GUESSES_AT_A_TIME }, keepGuessing);
  await sleep(FLOOD_MS);
  flood.abort();
  await Promise.all(guesses);
  await sleep(QUIET_MS);
  end.abort();
  await Promise.all(calls);
  return samples;
}

let samples: readonly Sample[] = [];

/** Starts the example app, lets strangers guess passwords, and keeps the metrics of the app for the picture. */
async function measure({ node }: Run): Promise<Figures> {
  const app = spawn(node.path, [APP], {
    env: { ...process.env, PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    let output = '';
    for await (const part of app.stdout.setEncoding('utf8')) {
      output += part as string;
      if (output.includes('Metrics on')) break;
    }
    const [, base = '', metrics = ''] = /^Listening on (\S+)$.*^Metrics on (\S+)$/ms.exec(output) ?? [];
    samples = await floodAndScrape(`${base}/v1`, metrics);
    const p99 = samples.filter(({ series }) => series === 'guarded p99').map(({ value }) => value);
    return { 'guarded p99 ms, by the metrics': quartilesOf(p99) };
  } finally {
    app.kill();
    await once(app, 'exit');
  }
}

export const operator: Row = {
  measures: 'draws docs/login-flood.svg from the metrics of the example app',
  targets: {},
  measure,
  picture: { file: 'login-flood.svg', draw: () => drawSamples(samples) },
};

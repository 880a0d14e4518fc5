import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TopLevelSpec } from 'vega-lite';
import { type Sample, scrape } from './samples.js';

// Draws docs/login-flood.svg: the metrics of the example app while strangers guess passwords.

const ROOT = path.resolve(__dirname, '../../..');
const QUIET_MS = 5_000;
const FLOOD_MS = 15_000;
const GUESSES_AT_A_TIME = 64;
const PANELS = ['Logins per second', 'Password hashes', 'Guarded requests, p99 in ms'] as const;

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

async function measure(base: string, metrics: string): Promise<Sample[]> {
  const good = { email: 'awa@boutique.example', password: 'baobab-2026' };
  const answer = (await (await post(`${base}/login`, good)).json()) as { authorisation: { token: string } };
  const headers = { Authorization: `Bearer ${answer.authorisation.token}` };
  const end = new AbortController();
  const flood = new AbortController();
  const samples = scrape(metrics, 500, end.signal);
  const calls = [
    repeat(end.signal, 20, () => fetch(`${base}/transactions`, { headers })),
    repeat(end.signal, 250, () => post(`${base}/login`, good)),
  ];
  await sleep(QUIET_MS);
  console.log('The flood begins.');
  const guess = () => ({ email: `${randomBytes(4).toString('hex')}@nobody.example`, password: 'guessed password' });
  const guesses = Array.from({ length: GUESSES_AT_A_TIME }, () =>
    repeat(flood.signal, 50, () => post(`${base}/login`, guess())),
  );
  await sleep(FLOOD_MS);
  flood.abort();
  await Promise.all(guesses);
  await sleep(QUIET_MS);
  end.abort();
  await Promise.all(calls);
  return samples;
}

async function draw(values: readonly Sample[]): Promise<string> {
  // Both are modules that only `import()` can load.
  const [vega, vegaLite] = await Promise.all([import('vega'), import('vega-lite')]);
  const panel = (title: string) => ({
    title: { text: title, anchor: 'start' as const, fontSize: 12 },
    width: 560,
    height: 120,
    transform: [{ filter: `datum.panel === '${title}'` }],
    mark: { type: 'line' as const, interpolate: 'monotone' as const },
    encoding: {
      x: { field: 'second', type: 'quantitative' as const, title: 'seconds' },
      y: { field: 'value', type: 'quantitative' as const, title: null },
      color: { field: 'series', type: 'nominal' as const, title: null },
    },
  });
  const spec: TopLevelSpec = {
    background: 'white',
    padding: 16,
    data: { values: [...values] },
    vconcat: PANELS.map(panel),
    resolve: { scale: { color: 'independent' } },
    config: { font: 'Helvetica, Arial, sans-serif', axis: { labelFontSize: 11 } },
  };
  return new vega.View(vega.parse(vegaLite.compile(spec).spec), { renderer: 'none' }).toSVG();
}

async function main(): Promise<void> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const app = spawn(process.execPath, [path.join(ROOT, 'example-app/dist/main.js')], {
    env: { ...process.env, PORT: String(port), METRICS_PORT: String(metricsPort), LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(app.stdout, 'data');
    const samples = await measure(`http://127.0.0.1:${port}/v1`, `http://127.0.0.1:${metricsPort}/metrics`);
    const target = path.join(ROOT, 'docs/login-flood.svg');
    await writeFile(target, `${await draw(samples)}\n`);
    console.log(`Drawn to ${path.relative(ROOT, target)} from ${samples.length} samples.`);
  } finally {
    app.kill();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

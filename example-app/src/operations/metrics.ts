import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import { type AuthEvent, onAuthEvent, type Passwords } from 'express-merchant-auth';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { routeOf } from './route-of.js';

/** The limits of the histogram, in seconds. A login takes at least 0.05 s, and a guarded request a few milliseconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface Metrics {
  /** Measures the time from the start of a request to the end of its answer. */
  readonly measure: RequestHandler;
  readonly url: string;
  readonly close: () => void;
}

/** Counts and measures in this process, and serves `GET /metrics`. With port 0 the system chooses the port. */
export async function openMetrics(passwords: Passwords, port: number): Promise<Metrics> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  gaugeHashes(registry, passwords);
  const stopCounting = onAuthEvent(createCount(registry));
  const app = express().disable('x-powered-by');
  app.get('/metrics', async (_req, res) => {
    res.set('Content-Type', registry.contentType).end(await registry.metrics());
  });
  // Only this machine can connect, because the metrics tell how many logins fail, and why.
  const server = createServer(app).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    measure: createMeasure(registry),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`,
    close() {
      stopCounting();
      server.close();
      server.closeAllConnections();
    },
  };
}

function createCount(registry: Registry): (event: AuthEvent) => void {
  const counter = <Label extends string>(name: string, help: string, label: Label) =>
    new Counter({ name: `merchant_auth_${name}_total`, help, labelNames: [label], registers: [registry] });
  const logins = counter('logins', 'Logins by outcome', 'outcome');
  const refusals = counter('refusals', 'Requests that were refused after login or token, by reason', 'reason');
  const failures = counter('store_failures', 'Logins and requests without an answer of the account store', 'reason');
  return function count(event) {
    if (event.type === 'login_succeeded') logins.inc({ outcome: 'succeeded' });
    if (event.type === 'login_failed') logins.inc({ outcome: event.reason });
    if (event.type === 'login_throttled') logins.inc({ outcome: 'throttled' });
    if (event.type === 'login_shed') logins.inc({ outcome: 'shed' });
    if (event.type === 'source_refused') refusals.inc({ reason: 'source_not_allowed' });
    if (event.type === 'token_refused') refusals.inc({ reason: event.reason });
    if (event.type === 'ownership_refused' && event.enforced) refusals.inc({ reason: event.reason });
    if (event.type === 'store_failed') failures.inc({ reason: event.reason });
  };
}

function gaugeHashes(registry: Registry, passwords: Passwords): void {
  const gauge = new Gauge({
    name: 'merchant_auth_hashes',
    help: 'Password hashes of this process that run or wait',
    labelNames: ['state'],
    registers: [registry],
    collect: () => Object.entries(passwords.load()).forEach(([state, count]) => gauge.set({ state }, count)),
  });
}

function createMeasure(registry: Registry): RequestHandler {
  const latency = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to the end of the answer, by route and status class; aborted when the caller left before',
    labelNames: ['route', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  });
  return function measure(req, res, next) {
    const end = latency.startTimer({ route: routeOf(req) });
    res.once('close', () => end({ status: res.writableFinished ? `${String(res.statusCode)[0]}xx` : 'aborted' }));
    next();
  };
}

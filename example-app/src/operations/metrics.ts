import { createServer } from 'node:http';
import express, { type RequestHandler } from 'express';
import {
  type AuthErrorCode,
  type AuthEvent,
  type LoginFailure,
  onAuthEvent,
  type Passwords,
  type LoginThrottle,
} from 'express-merchant-auth';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { listen } from '../listen.js';
import { ROUTES, routeOf } from './route-of.js';

/** The limits of the histogram, in seconds. A login takes at least 0.05 s, and a guarded request a few milliseconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The values of each label. The compiler keeps them complete. */
const OUTCOMES = {
  succeeded: 0,
  unknown_email: 0,
  other_identifier: 0,
  wrong_password: 0,
  no_usable_hash: 0,
  account_disabled: 0,
  throttled: 0,
  shed: 0,
} satisfies Record<LoginFailure | 'succeeded' | 'throttled' | 'shed', 0>;

const REFUSALS = {
  missing_token: 0,
  invalid_token: 0,
  expired_token: 0,
  revoked_token: 0,
  source_refused: 0,
  missing_reference: 0,
  invalid_reference: 0,
  foreign_reference: 0,
  unreadable_body: 0,
  lost_body: 0,
} satisfies Record<ReasonOf<'token_refused' | 'ownership_refused'> | 'source_refused', 0>;

const FAILURES = { store_unavailable: 0, malformed_account: 0 } satisfies Record<ReasonOf<'store_failed'>, 0>;

type ReasonOf<Type> = Extract<AuthEvent, { readonly type: Type; readonly reason: AuthErrorCode }>['reason'];

interface MetricsOptions {
  /** The address to listen on. Default: only this machine can connect, because the metrics tell why logins fail. */
  readonly host?: string;
  /** The throttle that counts in Redis. Default: the login counts in the memory of the process. */
  readonly throttle?: LoginThrottle | undefined;
}

export interface Metrics {
  /** Measures the time from the start of a request to the end of its answer. */
  readonly measure: RequestHandler;
  readonly url: string;
  readonly close: () => void;
}

/** Counts and measures in this process, and serves `GET /metrics`. With port 0 the system chooses the port. */
export async function openMetrics(
  passwords: Passwords,
  port: number,
  { host = '127.0.0.1', throttle }: MetricsOptions = {},
): Promise<Metrics> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  gaugeHashes(registry, passwords);
  gaugeThrottle(registry, throttle);
  const stopCounting = onAuthEvent(createCount(registry));
  const app = express().disable('x-powered-by');
  app.get('/metrics', async (_req, res) => {
    res.set('Content-Type', registry.contentType).end(await registry.metrics());
  });
  const server = createServer(app);
  const url = await listen(server, port, host, 'METRICS_');
  return {
    measure: createMeasure(registry),
    url: `${url}/metrics`,
    close() {
      stopCounting();
      server.close();
      server.closeAllConnections();
    },
  };
}

function createCount(registry: Registry): (event: AuthEvent) => void {
  // Each series begins with 0, because increase() of Prometheus does not see the first value of a series.
  const counter = <Label extends string>(name: string, help: string, label: Label, values: object) => {
    const made = new Counter({ name: `merchant_auth_${name}_total`, help, labelNames: [label], registers: [registry] });
    for (const value of Object.keys(values)) made.labels(value).inc(0);
    return made;
  };
  const logins = counter('logins', 'Logins by outcome', 'outcome', OUTCOMES);
  const refusals = counter(
    'refusals',
    'Requests that were refused after login or token, by reason',
    'reason',
    REFUSALS,
  );
  const failures = counter(
    'store_failures',
    'Logins and requests without an answer of the account store',
    'reason',
    FAILURES,
  );
  return function count(event) {
    if (event.type === 'login_succeeded') logins.inc({ outcome: 'succeeded' });
    if (event.type === 'login_failed') logins.inc({ outcome: event.reason });
    if (event.type === 'login_throttled') logins.inc({ outcome: 'throttled' });
    if (event.type === 'login_shed') logins.inc({ outcome: 'shed' });
    if (event.type === 'source_refused') refusals.inc({ reason: event.type });
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

function gaugeThrottle(registry: Registry, throttle: LoginThrottle | undefined): void {
  const gauge: Gauge = new Gauge({
    name: 'merchant_auth_counting_in_memory',
    help: '1 while this process counts failed logins in its memory, because Redis fails or is not used',
    registers: [registry],
    collect() {
      gauge.set(throttle?.isCountingInMemory === false ? 0 : 1);
    },
  });
}

function createMeasure(registry: Registry): RequestHandler {
  const latency = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to the end of the answer, by route and status; aborted when the caller left before',
    labelNames: ['route', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  });
  // Other statuses appear with their first answer, because each series has a line for every bucket.
  for (const route of [...ROUTES, 'other']) for (const status of [500, 503]) latency.zero({ route, status });
  return function measure(req, res, next) {
    const end = latency.startTimer({ route: routeOf(req) });
    res.once('close', () => end({ status: res.writableFinished ? res.statusCode : 'aborted' }));
    next();
  };
}

import { createServer } from 'node:http';
import { createPasswords } from 'express-merchant-auth';
import { createAnnounce, firstCall } from './announce.js';
import { createApp } from './app.js';
import { openDependencies } from './dependencies.js';
import { respondInFrench } from './errors/respond-in-french.js';
import { listen } from './listen.js';
import { createLogger, logAuthEvents, logWarnings } from './operations/logger.js';
import { openMetrics } from './operations/metrics.js';
import * as settings from './settings.js';
import { drainOnSignals } from './shutdown.js';

/**
 * Keeps an idle connection, in milliseconds. It is longer than the minute of nginx and other load balancers, which could
 * otherwise send a request on a connection that the app is closing.
 */
const KEEP_ALIVE_MS = 75_000;

const NO_SECRET = 'JWT_SECRET is not set: the tokens are signed with a random secret and end with this process.';

async function start(env: NodeJS.ProcessEnv): Promise<void> {
  const [port, host, metricsPort] = [settings.readPort(env), settings.readHost(env), settings.readMetricsPort(env)];
  const requestsPerMinute = settings.readRequestsPerMinute(env);
  const isFrench = settings.readFrench(env);
  const [trustProxy, delayMs] = [settings.readTrustProxy(env), settings.readShutdownDelay(env)];
  const logger = createLogger(settings.readLogLevel(env));
  logWarnings(logger);
  const announce = createAnnounce(logger);
  const { checks, close, ...dependencies } = await openDependencies(env, (text) => logger.error(text));
  const passwords = createPasswords();
  const metricsOptions = { host: settings.readMetricsHost(env), throttle: dependencies.throttle };
  const metrics = metricsPort === undefined ? undefined : await openMetrics(passwords, metricsPort, metricsOptions);
  const stopping = new AbortController();
  const app = createApp({
    ...dependencies,
    passwords,
    logger,
    trustProxy,
    requestsPerMinute,
    health: { checks, stopping: stopping.signal },
    ...(metrics && { measure: metrics.measure }),
    ...(isFrench && { respond: respondInFrench }),
  });
  logAuthEvents(logger);

  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, app);
  drainOnSignals(server, {
    delayMs,
    onStop(signal) {
      stopping.abort();
      announce(`Stopping because of ${signal}`);
    },
    async close() {
      metrics?.close();
      await close();
    },
  });
  const url = await listen(server, port, host);
  if (settings.readSecret(env) === undefined && settings.readKeys(env) === undefined) console.error(NO_SECRET);
  // A log of production holds no password, even when the demo accounts exist there.
  const shownAccounts = env['NODE_ENV'] === 'production' ? [] : dependencies.demoAccounts;
  announce(
    `Listening on ${url}`,
    `Try: ${firstCall(url, shownAccounts)}`,
    `Or open ${url}`,
    ...(metrics ? [`Metrics on ${metrics.url}`] : []),
  );
}

start(process.env).catch((error: unknown) => {
  console.error(`Cannot start: ${(error as Error).message}`);
  // exitCode is not enough, because services that are already open keep the process alive.
  process.exit(1);
});

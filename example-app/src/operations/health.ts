import { Router } from 'express';
import { ApiError } from '../errors/api-error.js';
import { within } from '../stores/timeouts.js';

/** Limits the wait for the services, in milliseconds. It is below one second, a common timeout of load balancers. */
const TIMEOUT_MS = 900;

/** Resolves when a service has answered. */
export type Check = () => Promise<unknown>;

export interface HealthOptions {
  /** The checks of the services, by the name that the answer shows. */
  readonly checks: Readonly<Record<string, Check>>;
  /** Aborted when the process begins to stop. */
  readonly stopping: AbortSignal;
}

/** Serves the two probes. They need no token, so their answers do not say why a service fails. */
export function createHealthRouter({ checks, stopping }: HealthOptions): Router {
  const router = Router();
  let asking: Promise<string[]> | undefined;

  router.get('/healthz', (_req, res) => {
    res.json({ status: 'Success', success: true, code: 200, message: 'Healthy' });
  });

  router.get('/readyz', async (_req, res) => {
    res.set('Cache-Control', 'no-store');
    if (stopping.aborted) throw new ApiError('not_ready');
    // Requests that arrive during a check share its result, so that many probes cost the database one query.
    asking ??= silentOf(checks).finally(() => (asking = undefined));
    const silent = await asking;
    if (silent.length > 0) throw new ApiError('not_ready', { description: `No answer from: ${silent.join(', ')}.` });
    res.json({ status: 'Success', success: true, code: 200, message: 'Ready' });
  });

  return router;
}

/** Returns the names of the services that fail or do not answer in time. */
async function silentOf(checks: HealthOptions['checks']): Promise<string[]> {
  const names = Object.keys(checks);
  const results = await Promise.allSettled(Object.values(checks).map((check) => within(TIMEOUT_MS, check())));
  return names.filter((_name, index) => results[index]?.status === 'rejected');
}

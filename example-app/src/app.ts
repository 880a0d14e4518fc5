import express, { type Express, type RequestHandler, Router } from 'express';
import {
  authErrorHandler,
  createLoginRouter,
  type LoginThrottle,
  type Passwords,
  requireBearer,
  type Respond,
  type Tokens,
  type UserStore,
} from 'express-merchant-auth';
import helmet from 'helmet';
import type { DemoAccount } from './demo-accounts.js';
import { answerErrors, logErrors } from './errors/error-handlers.js';
import { refuseUnknown } from './errors/no-route.js';
import { publishKeys } from './jwks.js';
import { createHealthRouter, type HealthOptions } from './operations/health.js';
import { logHostErrors, type Logger, logRequests } from './operations/logger.js';
import { limitPerMerchant } from './operations/merchant-limit.js';
import { identifyMerchant, identifyRequest } from './operations/request-context.js';
import { createPageRouter } from './pages/pages.js';
import { createTransactionRouter } from './transactions/routes.js';
import type { TransactionStore } from './transactions/transaction.js';

/** The things that the app needs from outside. */
export interface AppDependencies {
  readonly userStore: UserStore;
  readonly transactionStore: TransactionStore;
  readonly tokens: Tokens;
  readonly passwords: Passwords;
  /** Counts failed logins. Default: in the memory of this process. */
  readonly throttle?: LoginThrottle;
  /** Writes the refusals of the package. Default: in English. */
  readonly respond?: Respond;
  readonly logger: Logger;
  /** Measures every answer except those of the probes. Default: nothing is measured. */
  readonly measure?: RequestHandler;
  readonly health: HealthOptions;
  /** The accounts that the pages show with their passwords. Empty if the accounts are real. */
  readonly demoAccounts: readonly DemoAccount[];
  /** Express's setting `trust proxy`: the proxies whose `X-Forwarded-For` is believed. */
  readonly trustProxy: number | false | readonly string[];
  /** The requests that one merchant may send in a minute. */
  readonly requestsPerMinute: number;
}

export function createApp(dependencies: AppDependencies): Express {
  const { userStore, transactionStore, tokens, passwords, throttle, respond, logger, measure, health } = dependencies;
  const responding = respond && { respond };
  const app = express();
  // With ETags, Express could answer 304, which /openapi.json does not describe.
  app.disable('etag');
  // A URL that cannot be parsed passes no middleware, not even helmet.
  app.disable('x-powered-by');
  app.set('trust proxy', dependencies.trustProxy);
  app.use(helmet());
  app.use(identifyRequest);
  app.use(createHealthRouter(health));
  app.use(logRequests(logger));
  if (measure) app.use(measure);

  app.use(createPageRouter(dependencies.demoAccounts));
  // A router answers OPTIONS for its routes.
  app.use(Router().get('/jwks.json', publishKeys(tokens)));
  app.use('/v1', createLoginRouter(userStore, { tokens, passwords, ...(throttle && { throttle }), ...responding }));
  app.use('/v1', requireBearer({ userStore, tokens, ...responding }), identifyMerchant);
  app.use('/v1/transactions', limitPerMerchant(dependencies.requestsPerMinute));
  app.use('/v1/transactions', createTransactionRouter(transactionStore));

  app.use(refuseUnknown);

  // authErrorHandler answers and logs the errors of the package. It passes the others on to the handlers below.
  app.use(authErrorHandler({ log: logHostErrors(logger), ...responding }));
  app.use(logErrors(logger));
  app.use(answerErrors);
  return app;
}

import express, { type Express } from 'express';
import {
  authErrorHandler,
  createLoginRouter,
  type LoginThrottle,
  requireBearer,
  type Tokens,
  type UserStore,
} from 'express-merchant-auth';
import { ApiError } from './errors/api-error.js';
import { answerErrors, logErrors } from './errors/error-handlers.js';
import { createTransactionRouter } from './transactions/routes.js';
import type { TransactionStore } from './transactions/transaction.js';

/** What the app needs from outside. */
export interface AppDependencies {
  readonly userStore: UserStore;
  readonly transactionStore: TransactionStore;
  readonly tokens: Tokens;
  /** Counts failed logins; in the memory of this process when it is left out. */
  readonly throttle?: LoginThrottle;
  /** Takes what the operator has to see: one text for each request that failed in this app's own code. */
  readonly log: (text: string) => void;
}

export function createApp({ userStore, transactionStore, tokens, throttle, log }: AppDependencies): Express {
  const app = express();
  app.disable('x-powered-by');

  app.get('/healthz', (_req, res) => {
    res.json({ status: 'Success', success: true, code: 200, message: 'Healthy' });
  });

  app.use('/v1', createLoginRouter(userStore, { tokens, ...(throttle && { throttle }) }));
  app.use('/v1', requireBearer({ userStore, tokens }));
  app.use('/v1/transactions', createTransactionRouter(transactionStore));

  app.use(() => {
    throw new ApiError('not_found', 'There is no such route.');
  });

  // It answers and logs the errors of the package. The others go on to the handlers of this app.
  app.use(authErrorHandler());
  app.use(logErrors(log));
  app.use(answerErrors);
  return app;
}

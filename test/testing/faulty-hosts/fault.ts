import type { Express, RequestHandler } from 'express';
import express from 'express';
import * as auth from '../../../src/index.js';
import type { HostUnderTest, StoreUnderTest } from '../../../src/testing/index.js';
import { accountStore, AWA, FERMEE, KOFI, PASSWORD } from '../../helpers/accounts.js';

/** A host with one fault, and the tool that detects it. */
export type FaultyHost = { readonly fault: string; readonly says: RegExp } & (
  | {
      readonly tool: 'authContract';
      readonly host: () => Omit<HostUnderTest, 'merchant' | 'transactions'> & Partial<HostUnderTest>;
    }
  | { readonly tool: 'auditRoutes'; readonly app: () => Express }
  | { readonly tool: 'userStoreContract'; readonly store: () => StoreUnderTest }
  | { readonly tool: 'TypeError'; readonly construct: () => unknown }
);

/** The parts of the host that a fault replaces. */
export interface Parts {
  readonly before?: readonly RequestHandler[];
  readonly router?: RequestHandler;
  readonly guard?: RequestHandler;
  readonly behind?: readonly RequestHandler[];
  readonly demand?: readonly RequestHandler[];
  readonly errors?: readonly (express.ErrorRequestHandler | RequestHandler)[];
  readonly store?: auth.UserStore;
  readonly settings?: Readonly<Record<string, unknown>>;
}

export const quiet = { log: () => undefined };

/** The shortest host, with the parts of a fault. */
export function appWith(parts: Parts = {}): Express {
  const store = parts.store ?? accountStore();
  const app = express();
  for (const [name, value] of Object.entries(parts.settings ?? {})) app.set(name, value);
  const use = (handlers: readonly unknown[] = []) => {
    if (handlers.length > 0) app.use(...(handlers as RequestHandler[]));
  };
  use(parts.before);
  app.use('/v1', parts.router ?? auth.createLoginRouter(store));
  app.use('/v1', parts.guard ?? auth.requireBearer({ userStore: store }));
  use(parts.behind);
  app.all('/v1/transactions', ...(parts.demand ?? [auth.requireOwnReference()]), takePayment);
  use(parts.errors ?? [auth.authErrorHandler(quiet)]);
  return app;
}

export const takePayment: RequestHandler = (_req, res) => {
  res.status(201).json({ state: 'INITIATED' });
};

export const hostWith = (parts: Parts) => () => ({ app: appWith(parts) });

/** The host that a fault is put into, for `authContract`. */
export const SOUND: Pick<HostUnderTest, 'merchant' | 'otherMerchant' | 'disabledMerchant' | 'transactions'> = {
  merchant: { email: AWA.email, password: PASSWORD, referencl: AWA.marchand.referencl },
  otherMerchant: { email: KOFI.email, password: PASSWORD, referencl: KOFI.marchand.referencl },
  disabledMerchant: { email: FERMEE.email, password: PASSWORD },
  transactions: { body: (refercence_cl) => ({ refercence_cl, amount: 1500, currency: 'XOF' }) },
};

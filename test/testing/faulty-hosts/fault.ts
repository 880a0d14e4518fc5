import type { Express, RequestHandler } from 'express';
import express from 'express';
import * as auth from '../../../src/index.js';
import type { HostUnderTest } from '../../../src/testing/index.js';
import { accountStore, AWA, FERMEE, KOFI, PASSWORD } from '../../helpers/accounts.js';

/** A host with one fault, and the cases of `authContract` that detect it. */
export interface FaultyHost {
  readonly fault: string;
  readonly host: () => Omit<HostUnderTest, 'merchant' | 'transactions'> & Partial<HostUnderTest>;
  /** The cases that fail, by the start of their names. */
  readonly fails: readonly string[];
  /** Matches their messages, which say what to change. */
  readonly says: RegExp;
}

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

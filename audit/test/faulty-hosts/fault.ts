import type { ErrorRequestHandler, Express, Request, RequestHandler } from 'express';
import express from 'express';
import * as auth from '../../../src/index.js';
import type { HostUnderTest } from '../../src/index.js';
import { accountStore } from '../../../test/helpers/accounts.js';

/** Hosts with one fault each, by the words that say which, and the cases of `authContract` that detect it. */
export type FaultyHosts = Readonly<Record<string, FaultyHost>>;

interface FaultyHost {
  readonly host: () => Partial<HostUnderTest>;
  /** The cases that fail, by the start of their names. */
  readonly fails: readonly string[];
  /** Matches their messages, which say what to change. */
  readonly says: RegExp;
}

/** The parts of the host that a fault replaces. */
export interface Parts {
  readonly trustProxy?: boolean;
  readonly before?: RequestHandler | RequestHandler[];
  readonly router?: RequestHandler;
  readonly guard?: RequestHandler;
  readonly behind?: RequestHandler;
  readonly demand?: readonly RequestHandler[];
  readonly errors?: ErrorRequestHandler | RequestHandler;
  readonly store?: auth.UserStore;
}

export const pass: RequestHandler = (_req, _res, next) => next();

export const guardOf = (options?: auth.RequireBearerOptions): RequestHandler =>
  auth.requireBearer({ userStore: accountStore(), ...options });

/** Makes a middleware that changes each request. */
export const change =
  (apply: (req: Request) => void): RequestHandler =>
  (req, _res, next) => {
    apply(req);
    next();
  };

/** The shortest host, with the parts of a fault. */
export function appWith(parts: Parts = {}): Express {
  const { store = accountStore(), demand = [auth.requireOwnReference()] } = parts;
  const app = express().set('trust proxy', parts.trustProxy ?? false);
  app.use(parts.before ?? pass);
  app.use('/v1', parts.router ?? auth.createLoginRouter(store));
  app.use('/v1', parts.guard ?? auth.requireBearer({ userStore: store }));
  app.use(parts.behind ?? pass);
  app.all('/v1/transactions', ...demand, (_req, res) => void res.status(201).json({ state: 'INITIATED' }));
  return app.use(parts.errors ?? auth.authErrorHandler({ log: () => undefined }));
}

export const hostWith = (parts: Parts) => () => ({ app: appWith(parts) });

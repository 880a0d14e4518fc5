import type { Application, RequestHandler } from 'express';
import type {
  RequireBearerOptions,
  InMemoryUserStore,
  LoginRouterOptions,
  RequireOwnReferenceOptions,
} from '../../src/index.js';
import { accountStore, AWA } from './accounts.js';
import { bearer, type Client, serve } from './http.js';
import { collectHostErrors } from './login-host.js';
import type { FRAMEWORK } from './on-each-express.js';

export interface Payments {
  readonly store: InMemoryUserStore;
  readonly app: Application;
  readonly client: Client;
  /** The errors that reached the host's error handlers. */
  readonly hostErrors: unknown[];
  /** The headers with a good token of Awa's. */
  readonly awa: { readonly Authorization: string };
}

export interface PaymentsConfig {
  readonly login?: LoginRouterOptions;
  readonly guard?: RequireBearerOptions;
  readonly ownReference?: RequireOwnReferenceOptions;
  /** The name of the path parameter. Default `refercence_cl`. */
  readonly parameter?: string;
  /** Sets the app before anything is mounted. */
  readonly app?: (app: Application) => void;
  /** Mounted in front of login and guard. */
  readonly before?: readonly RequestHandler[];
  /** Mounted between the guard and the routes. */
  readonly behind?: readonly RequestHandler[];
}

/**
 * Serves the shortest host of README.md with three routes for every method:
 * - `/v1/guarded` is behind the guard alone.
 * - `/v1/transactions` is also behind `requireOwnReference`.
 * - `/v1/merchants/:refercence_cl` has `requireOwnReference` and a path parameter.
 *
 * They answer 200 with the caller and the body that the handler sees.
 */
export async function servePayments(
  { express, auth }: typeof FRAMEWORK,
  config: PaymentsConfig = {},
): Promise<Payments> {
  const store = accountStore();
  const app = express();
  config.app?.(app);
  const whoAmI: RequestHandler = (req, res) => {
    const { id, referencl } = auth.merchantOf(req);
    const isLarge = Number(req.headers['content-length']) > 50_000;
    const body: unknown = Buffer.isBuffer(req.body) ? { buffer: req.body.toString() } : req.body;
    res.json({ id, referencl, body: isLarge ? 'large' : body });
  };
  for (const middleware of config.before ?? []) app.use(middleware);
  app.use('/v1', auth.createLoginRouter(store, config.login));
  app.use('/v1', auth.requireBearer({ userStore: store, ...config.guard }));
  for (const middleware of config.behind ?? []) app.use(middleware);
  app.all('/v1/guarded', whoAmI);
  app.all('/v1/transactions', auth.requireOwnReference(config.ownReference), whoAmI);
  app.all(
    `/v1/merchants/:${config.parameter ?? 'refercence_cl'}`,
    auth.requireOwnReference(config.ownReference),
    whoAmI,
  );
  const hostErrors = collectHostErrors(app, auth);
  const token = auth.createTokens().issue(AWA);
  return { app, store, client: await serve(app), hostErrors, awa: bearer(token) };
}

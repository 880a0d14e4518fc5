import type { KeyObject } from 'node:crypto';
import { setImmediate } from 'node:timers';
import express, { type Express, type RequestHandler } from 'express';
import { expressjwt } from 'express-jwt';
import { authErrorHandler, InMemoryUserStore, merchantOf, requireBearer } from 'express-merchant-auth';
import { auth } from 'express-oauth2-jwt-bearer';
import { Passport } from 'passport';
import { ExtractJwt, Strategy, type VerifyCallback } from 'passport-jwt';
import { serve } from '../harness/http.js';
import { type AccountsTable, openStore } from './databases.js';
import {
  accountOf,
  AUDIENCE,
  ISSUER,
  type Key,
  KID,
  MERCHANTS,
  tokensOf,
  verifyingKey,
  verifyingText,
} from './keys.js';

/** The configuration of one application. */
export interface Setup {
  readonly guard: GuardName;
  readonly key: Key;
  /** The accounts of the complete guard and of passport-jwt. Default: in memory, and none. */
  readonly accounts?: AccountsTable;
}

/** Adds the middleware of each guard. The other packages are configured as their documentation shows first. */
const guards = {
  'complete guard': useCompleteGuard,
  'bare Express': (app) => app.use(express.json()),
  'bare Express, setImmediate': (app) => app.use(express.json(), (_req, _res, next) => void setImmediate(next)),
  /** Does what src/http/dictionary-mode.ts does, without a check. It is measured where that file has an effect. */
  'bare Express, dictionary mode': (app) => app.use(useDictionaryMode, express.json()),
  'express-jwt': (app, key) =>
    app.use(expressjwt({ secret: verifyingKey(key), algorithms: [key.algorithm] }), express.json()),
  'express-oauth2-jwt-bearer': async (app, key) => {
    const claims = { issuer: ISSUER, audience: AUDIENCE, tokenSigningAlg: key.algorithm };
    const source = key.algorithm === 'HS256' ? { secret: key.secret } : { jwksUri: await serveKeySet(key) };
    return app.use(auth({ ...claims, ...source }), express.json());
  },
  'passport-jwt, KeyObject': (app, key) => app.use(passportGuard(verifyingKey(key), key), express.json()),
  'passport-jwt, string': (app, key, accounts) =>
    app.use(passportGuard(verifyingText(key), key, accounts), express.json()),
} as const satisfies Record<string, Install>;

type Install = (app: Express, key: Key, accounts?: AccountsTable) => unknown;
export type GuardName = keyof typeof guards;

/** Creates the application of a guard. The handler is the same small POST behind each guard. */
export async function createApp({ guard, key, accounts }: Setup): Promise<Express> {
  const app = express();
  const install: Install = guards[guard];
  await install(app, key, accounts);
  const referenceOf =
    install === useCompleteGuard
      ? (req: express.Request) => merchantOf(req).referencl
      : (req: express.Request) => (req.body as { readonly refercence_cl: string }).refercence_cl;
  app.post('/v1/transactions', (req, res) => {
    res.status(201).json({ refercence_cl: referenceOf(req) });
  });
  app.use(authErrorHandler());
  app.use(answerRefusal);
  return app;
}

/** Answers what the other packages pass on as an error. Express needs the four parameters. */
function answerRefusal(
  error: { readonly status?: number },
  _req: express.Request,
  res: express.Response,
  _next: express.NextFunction,
): void {
  res.status(error.status ?? 500).json({ message: 'refused' });
}

function useCompleteGuard(app: Express, key: Key, accounts?: AccountsTable): Express {
  const inMemory = () => Array.from({ length: MERCHANTS }, (_, number) => accountOf(number + 1));
  const userStore = accounts === undefined ? new InMemoryUserStore(inMemory()) : openStore(accounts);
  return app.use(requireBearer({ userStore, tokens: tokensOf(key) }));
}

const useDictionaryMode: RequestHandler = (req: { res?: unknown }, res: { req?: unknown }, next) => {
  delete req.res;
  req.res = res;
  delete res.req;
  res.req = req;
  next();
};

function passportGuard(key: KeyObject | string, { algorithm }: Key, accounts?: AccountsTable): RequestHandler {
  const passport = new Passport();
  const jwtFromRequest = ExtractJwt.fromAuthHeaderAsBearerToken();
  // The types of passport-jwt leave a KeyObject out.
  const options = { jwtFromRequest, secretOrKey: key as string, algorithms: [algorithm] };
  const store = accounts && openStore(accounts);
  const verify: VerifyCallback = (payload: { readonly sub: string }, done) => {
    if (store === undefined) done(null, payload);
    else store.findById(payload.sub).then((account) => done(null, account ?? false), done);
  };
  passport.use(new Strategy(options, verify));
  return passport.authenticate('jwt', { session: false }) as RequestHandler;
}

/** Serves the public key as a key set (RFC 7517 section 5). Returns the address. */
async function serveKeySet(key: Key): Promise<string> {
  const jwk = { ...verifyingKey(key).export({ format: 'jwk' }), kid: KID, alg: key.algorithm, use: 'sig' };
  const port = await serve((_req, res) => {
    res.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
  });
  return `http://127.0.0.1:${port}/jwks.json`;
}

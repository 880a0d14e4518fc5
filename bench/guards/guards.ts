import type { KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express, type RequestHandler } from 'express';
import express4 from 'express4';
import { expressjwt } from 'express-jwt';
import { authErrorHandler, createTokens, InMemoryUserStore, merchantOf, requireBearer } from 'express-merchant-auth';
import { auth } from 'express-oauth2-jwt-bearer';
import { exportJWK, jwtVerify } from 'jose';
import { Passport } from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { PostgresUserStore } from '../accounts/postgres-user-store.js';
import { type BenchAlgorithm, type BenchKeys, KID, verifyingKey, verifyingText } from './keys.js';
import { AUDIENCE, ISSUER, referenceOf } from './mint.js';
import { MERCHANTS } from './requests.js';

/** Which Express an application runs on. */
export const EXPRESS = { 4: express4, 5: express } as const;
export type ExpressMajor = keyof typeof EXPRESS;

/** What an application is set up with. */
export interface Setup {
  readonly keys: BenchKeys;
  readonly algorithm: BenchAlgorithm;
  /** The PostgreSQL database that has the accounts of the complete guard. Default: they are in memory. */
  readonly databaseUrl?: string;
}
interface Guard {
  /** What it makes sure of, in a few words. */
  readonly checks: string;
  /** Puts into an application what stands in front of its handler. */
  readonly install: (app: Express, setup: Setup) => void | Promise<void>;
}

/** The guards that are compared. The peers are set up as their own documentation shows first. */
const guards = {
  bare: {
    checks: 'nothing',
    install(app) {
      app.use(express.json());
    },
  },
  /** What the complete guard does to V8's view of a request, without the checks, so that these can be told from it. */
  'bare, in hash tables': {
    checks: 'nothing',
    install(app) {
      if (Number.parseInt(process.versions.v8, 10) < 13) app.use(useDictionaryMode);
      app.use(express.json());
    },
  },
  'complete guard': {
    checks: 'token, claims, account, ownership',
    install(app, setup) {
      const { databaseUrl } = setup;
      const userStore = databaseUrl === undefined ? storeOfMerchants() : new PostgresUserStore(databaseUrl);
      app.use(requireBearer({ userStore, tokens: tokensOf(setup) }));
    },
  },
  'express-jwt': {
    checks: 'token',
    install(app, { keys, algorithm }) {
      app.use(expressjwt({ secret: verifyingKey(keys, algorithm), algorithms: [algorithm] }));
      app.use(express.json());
    },
  },
  'express-oauth2-jwt-bearer': {
    checks: 'token, claims',
    async install(app, { keys, algorithm }) {
      const claims = { issuer: ISSUER, audience: AUDIENCE, tokenSigningAlg: algorithm };
      const source =
        algorithm === 'HS256' ? { secret: keys.secret } : { jwksUri: await serveKeySet({ keys, algorithm }) };
      app.use(auth({ ...claims, ...source }));
      app.use(express.json());
    },
  },
  'jose jwtVerify': {
    checks: 'token, claims',
    install(app, { keys, algorithm }) {
      app.use(joseGuard(verifyingKey(keys, algorithm), algorithm));
      app.use(express.json());
    },
  },
  'passport-jwt, KeyObject': {
    checks: 'token',
    install(app, { keys, algorithm }) {
      app.use(passportGuard(verifyingKey(keys, algorithm) as never, algorithm));
      app.use(express.json());
    },
  },
  'passport-jwt, string': {
    checks: 'token',
    install(app, { keys, algorithm }) {
      app.use(passportGuard(verifyingText(keys, algorithm), algorithm));
      app.use(express.json());
    },
  },
} as const satisfies Record<string, Guard>;

export type GuardName = keyof typeof guards;
export const GUARDS: Readonly<Record<GuardName, Guard>> = guards;
export const GUARD_NAMES = Object.keys(GUARDS) as readonly GuardName[];

/** The application of a guard: the same small POST behind each. */
export async function createApp(major: ExpressMajor, guard: GuardName, setup: Setup): Promise<Express> {
  const app = EXPRESS[major]();
  await GUARDS[guard].install(app, setup);
  app.post('/v1/transactions', (req, res) => {
    res
      .status(201)
      .json({ refercence_cl: guard === 'complete guard' ? merchantOf(req).referencl : sentReference(req) });
  });
  app.use(authErrorHandler());
  app.use(answerRefusal);
  return app;
}

function sentReference({ body }: { body?: unknown }): unknown {
  return (body as { refercence_cl?: unknown }).refercence_cl;
}

/** What the peers pass on as an error becomes a small JSON answer. Express needs the four parameters. */
function answerRefusal(
  error: { readonly status?: number },
  _req: express.Request,
  res: express.Response,
  _next: express.NextFunction,
): void {
  res.status(error.status ?? 500).json({ message: 'refused' });
}

export function tokensOf({ keys, algorithm }: Setup) {
  const key =
    algorithm === 'HS256'
      ? { kid: KID, algorithm, secret: keys.secret }
      : { kid: KID, algorithm, publicKey: keys.pairs[algorithm].publicKey };
  return createTokens({ keys: [key], issuer: ISSUER, audience: AUDIENCE });
}

function storeOfMerchants(): InMemoryUserStore {
  const accounts = Array.from({ length: MERCHANTS }, (_, number) => ({
    id: String(number + 1),
    email: `merchant-${number + 1}@bench.example`,
    phone: '+22900000000',
    marchand: { referencl: referenceOf(number + 1), statut: 1 },
    disabled: false,
    passwordHash: 'nobody logs in here',
  }));
  return new InMemoryUserStore(accounts);
}

const useDictionaryMode: RequestHandler = (req: { res?: unknown }, res: { req?: unknown }, next) => {
  delete req.res;
  req.res = res;
  delete res.req;
  res.req = req;
  next();
};

function joseGuard(key: KeyObject, algorithm: string): RequestHandler {
  const options = { algorithms: [algorithm], issuer: ISSUER, audience: AUDIENCE };
  return (req, res, next) => {
    const token = /^Bearer (.+)$/i.exec(req.headers.authorization ?? '')?.[1] ?? '';
    jwtVerify(token, key, options).then(
      ({ payload }) => {
        Object.assign(req, { auth: payload });
        next();
      },
      () => res.status(401).json({ message: 'refused' }),
    );
  };
}

function passportGuard(secretOrKey: string, algorithm: BenchAlgorithm): RequestHandler {
  const passport = new Passport();
  const jwtFromRequest = ExtractJwt.fromAuthHeaderAsBearerToken();
  passport.use(
    new Strategy({ jwtFromRequest, secretOrKey, algorithms: [algorithm] }, (payload: object, done) => {
      done(null, payload);
    }),
  );
  return passport.authenticate('jwt', { session: false }) as RequestHandler;
}

/** Serves the public key as RFC 7517 section 5 has it. @returns the address */
async function serveKeySet({ keys, algorithm }: Setup): Promise<string> {
  const jwk = { ...(await exportJWK(verifyingKey(keys, algorithm))), kid: KID, alg: algorithm, use: 'sig' };
  const server = createServer((_req, res) => {
    res.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
}

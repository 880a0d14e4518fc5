import type { KeyObject } from 'node:crypto';
import { setImmediate } from 'node:timers';
import express, { type Request, type RequestHandler } from 'express';
import { expressjwt } from 'express-jwt';
import { authErrorHandler, InMemoryUserStore, merchantOf, requireBearer } from 'express-merchant-auth';
import { auth } from 'express-oauth2-jwt-bearer';
import { Passport } from 'passport';
import { ExtractJwt, Strategy, type VerifyCallback } from 'passport-jwt';
import { readSetup, serve, serveAsProgram } from '../harness/http.js';
import { type AccountsTable, openStore } from './database.js';
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

// The program that serves one guard.

export interface Setup {
  readonly guard: keyof typeof guards;
  readonly key: Key;
  /** The accounts of the complete guard and of passport-jwt. Default: in memory, and none. */
  readonly accounts?: AccountsTable;
}

type Install = (setup: Omit<Setup, 'guard'>) => RequestHandler[] | Promise<RequestHandler[]>;

const json = express.json();

/** Makes the middleware of each guard. The other packages are configured as their documentation shows first. */
const guards = {
  'complete guard': ({ key, accounts }) => {
    const inMemory = () => Array.from({ length: MERCHANTS }, (_, number) => accountOf(number + 1));
    const userStore = accounts === undefined ? new InMemoryUserStore(inMemory()) : openStore(accounts);
    return [requireBearer({ userStore, tokens: tokensOf(key) })];
  },
  'bare Express': () => [json],
  'bare Express, setImmediate': () => [json, (_req, _res, next) => void setImmediate(next)],
  'express-jwt': ({ key }) => [expressjwt({ secret: verifyingKey(key), algorithms: [key.algorithm] }), json],
  'express-oauth2-jwt-bearer': async ({ key }) => {
    const claims = { issuer: ISSUER, audience: AUDIENCE, tokenSigningAlg: key.algorithm };
    const source = key.algorithm === 'HS256' ? { secret: key.secret } : { jwksUri: await serveKeySet(key) };
    return [auth({ ...claims, ...source }), json];
  },
  'passport-jwt, KeyObject': ({ key }) => [passportGuard(verifyingKey(key), key), json],
  'passport-jwt, string': ({ key, accounts }) => [passportGuard(verifyingText(key), key, accounts), json],
} as const satisfies Record<string, Install>;

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

/** Serves the public key as a key set (RFC 7517 section 5). Returns its address. */
async function serveKeySet(key: Key): Promise<string> {
  const jwk = { ...verifyingKey(key).export({ format: 'jwk' }), kid: KID, alg: key.algorithm, use: 'sig' };
  const url = await serve((_req, res) => {
    res.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
  });
  return `${url}/jwks.json`;
}

/** The handler is the same small POST behind each guard. */
async function main({ guard, ...setup }: Setup): Promise<void> {
  const install: Install = guards[guard];
  const app = express().use(await install(setup));
  const referenceOf =
    guard === 'complete guard'
      ? (req: Request) => merchantOf(req).referencl
      : (req: Request) => (req.body as { readonly refercence_cl: string }).refercence_cl;
  app.post('/v1/transactions', (req, res) => {
    res.status(201).json({ refercence_cl: referenceOf(req) });
  });
  await serveAsProgram(app.use(authErrorHandler()));
}

void main(readSetup() as Setup);

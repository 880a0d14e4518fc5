import { randomBytes } from 'node:crypto';
import type { Express, RequestHandler } from 'express';
import type { UserStore } from 'express-merchant-auth';
import { readSetup, serveAsProgram } from '../harness/http.js';

// The program that starts one app. Each app loads only what it needs.

export interface Setup {
  readonly app: keyof typeof apps;
}

const SECRET = randomBytes(64).toString('base64url');

const userStore: UserStore = {
  findById: () => Promise.resolve(null),
  findCredentials: () => Promise.resolve(null),
};

function newApp(): Express {
  const express = require('express') as typeof import('express');
  return express();
}

/** Makes an app with the guard of this package, and with its login as `kind` says. */
function ownApp(kind?: 'createLogin' | 'createLoginRouter'): Express {
  const app = newApp();
  const auth = require('express-merchant-auth') as typeof import('express-merchant-auth');
  const tokens = auth.createTokens({ secret: SECRET });
  if (kind === 'createLoginRouter') app.use(auth.createLoginRouter(userStore, { tokens }));
  if (kind === 'createLogin') {
    const login = auth.createLogin(userStore, { tokens });
    app.post('/login', async (req, res) => {
      res.json(await login.attempt(req, req.body as never));
    });
  }
  return app.use(auth.requireBearer({ userStore, tokens }));
}

/** Makes an app with passport-local and passport-jwt as their documentation shows, and with Ajv for the login body. */
function handWiredApp(): Express {
  const app = newApp();
  const { json } = require('express') as typeof import('express');
  const { Ajv } = require('ajv') as typeof import('ajv');
  const { verify: verifyHash } = require('@node-rs/argon2') as typeof import('@node-rs/argon2');
  const { sign } = require('jsonwebtoken') as typeof import('jsonwebtoken');
  const { Passport } = require('passport') as typeof import('passport');
  const { Strategy: LocalStrategy } = require('passport-local') as typeof import('passport-local');
  const { ExtractJwt, Strategy: JwtStrategy } = require('passport-jwt') as typeof import('passport-jwt');

  const text = { type: 'string', minLength: 5, maxLength: 255 };
  const properties = { email: text, password: text };
  const isLogin = new Ajv({ allErrors: true }).compile({ type: 'object', required: ['email', 'password'], properties });
  const passport = new Passport();
  const byPassword = new LocalStrategy({ usernameField: 'email' }, (email, password, done) => {
    const answer = async () => {
      const found = await userStore.findCredentials(email);
      return found?.passwordHash != null && (await verifyHash(found.passwordHash, password)) && found.account;
    };
    answer().then((account) => done(null, account), done);
  });
  const options = { jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(), secretOrKey: SECRET };
  const byToken = new JwtStrategy(options, ({ sub }: { readonly sub: string }, done) => {
    userStore.findById(sub).then((account) => done(null, account ?? false), done);
  });
  passport.use(byPassword as never).use(byToken);
  const authenticate = (name: string) => passport.authenticate(name, { session: false }) as RequestHandler;

  app.use(json());
  app.use('/login', (req, res, next) => {
    if (isLogin(req.body)) next();
    else res.status(400).json(isLogin.errors);
  });
  app.post('/login', authenticate('local'), (req, res) => {
    res.json({ token: sign({ sub: (req as unknown as { user: { id: string } }).user.id }, SECRET) });
  });
  return app.use(authenticate('jwt'));
}

const apps = {
  'bare Express': newApp,
  guard: ownApp,
  'guard, createLogin': () => ownApp('createLogin'),
  'guard, createLoginRouter': () => ownApp('createLoginRouter'),
  'hand-wired packages with Ajv': handWiredApp,
} as const satisfies Record<string, () => Express>;

const { app } = readSetup() as Setup;
void serveAsProgram(apps[app]());

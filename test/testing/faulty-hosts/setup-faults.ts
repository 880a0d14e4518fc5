import type { RequestHandler, Response } from 'express';
import express from 'express';
import * as otherCopy from 'express-merchant-auth';
import * as auth from '../../../src/index.js';
import { accountStore } from '../../helpers/accounts.js';
import { appWith, type FaultyHost, hostWith, quiet, takePayment } from './fault.js';

type End = (this: Response, chunk?: string | Buffer) => unknown;

const pass: RequestHandler = (_req, _res, next) => next();

/** Makes a middleware that rewrites the body of each answer. */
function rewriting(rewrite: (text: string, res: Response) => string): RequestHandler {
  return (_req, res, next) => {
    const end = res.end.bind(res) as unknown as End;
    Object.assign(res, {
      end(chunk?: string | Buffer) {
        const text = rewrite(chunk === undefined ? '' : String(chunk), res);
        res.setHeader('Content-Length', Buffer.byteLength(text));
        return end.call(res, text);
      },
    });
    next();
  };
}

/** Keeps the answer of each URL, as a cache does that is not keyed by the caller. */
function caching(): RequestHandler {
  const kept = new Map<string, { status: number; text: string }>();
  return (req, res, next) => {
    if (req.method !== 'GET') {
      next();
      return;
    }
    const hit = kept.get(req.originalUrl);
    if (hit !== undefined) {
      res.status(hit.status).type('json').end(hit.text);
      return;
    }
    rewriting((text) => {
      kept.set(req.originalUrl, { status: res.statusCode, text });
      return text;
    })(req, res, next);
  };
}

const cors =
  (allowed: string): RequestHandler =>
  (req, res, next) => {
    res.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': allowed });
    if (req.method === 'OPTIONS') res.sendStatus(204);
    else next();
  };

const change =
  (apply: (req: express.Request) => void): RequestHandler =>
  (req, _res, next) => {
    apply(req);
    next();
  };

/** Faults of what surrounds the package. */
export const setupFaults: readonly FaultyHost[] = [
  {
    fault: 'errors as HTML, because authErrorHandler is not mounted',
    tool: 'authContract',
    host: hostWith({ before: [express.json()], errors: [pass] }),
    says: /is text\/html.* and clients parse JSON\. Mount authErrorHandler\(\) after all routes/,
  },
  {
    fault: 'an error handler of the host before authErrorHandler, which shows the body',
    tool: 'authContract',
    host: hostWith({
      before: [express.json()],
      errors: [
        (error: { status?: number; body?: unknown }, _req, res, _next) => {
          const layout = { status: 'Error', success: false, code: 400, error: 'invalid_body', message: 'm' };
          res.status(error.status ?? 500).json({ ...layout, description: String(error.body) });
        },
      ],
    }),
    says: /quotes the body\. Mount authErrorHandler\(\) before every other error handler/,
  },
  {
    fault: 'trust proxy: true',
    tool: 'authContract',
    host: hostWith({ settings: { 'trust proxy': true } }),
    says: /not counted by source.*"trust proxy"/,
  },
  {
    fault: 'throttle: false, and no gateway counts failed logins',
    tool: 'authContract',
    host: hostWith({ router: auth.createLoginRouter(accountStore(), { throttle: false }) }),
    says: /Leave throttle at its default/,
  },
  {
    fault: 'a limit of a thousand failed logins',
    tool: 'authContract',
    host: hostWith({
      router: auth.createLoginRouter(accountStore(), {
        throttle: auth.createLoginThrottle({ emailAndSource: { failures: 1_000, seconds: 900 } }),
      }),
    }),
    says: /Failed logins are not counted/,
  },
  {
    fault: 'cors() that does not allow Authorization',
    tool: 'authContract',
    host: hostWith({ before: [cors('content-type')] }),
    says: /browsers do not send the token\. Add Authorization to allowedHeaders/,
  },
  {
    fault: 'cors() that allows the header "*", which does not include Authorization',
    tool: 'authContract',
    host: hostWith({ before: [cors('*')] }),
    says: /"\*" does not include it/,
  },
  {
    fault: 'a cache before the guard that keeps a 401',
    tool: 'authContract',
    host: hostWith({ before: [caching()] }),
    says: /A cache before the guard kept the 401\. Mount it after the guard/,
  },
  {
    fault: 'a proxy that strips Authorization',
    tool: 'authContract',
    host: hostWith({
      before: [
        change((req) => {
          delete req.headers.authorization;
          req.rawHeaders.splice(0);
        }),
      ],
    }),
    says: /The header Authorization did not arrive\. Let the proxy pass it on/,
  },
  {
    fault: 'a middleware that wraps each body',
    tool: 'authContract',
    host: hostWith({ before: [rewriting((text) => JSON.stringify({ data: JSON.parse(text) as unknown }))] }),
    says: /Let no middleware wrap res\.json/,
  },
  {
    fault: 'a middleware that answers refusals with 200',
    tool: 'authContract',
    host: hostWith({
      before: [
        rewriting((text, res) => {
          res.statusCode = 200;
          return text;
        }),
      ],
    }),
    says: /got 200 wrong_credentials in place of 401/,
  },
  {
    fault: 'a redirect to a login page in place of 401',
    tool: 'authContract',
    host: hostWith({
      guard: auth.requireBearer({
        userStore: accountStore(),
        respond: (_error, _req, res) => res.redirect('/sign-in'),
      }),
    }),
    says: /got 302 in place of 401 missing_token/,
  },
  {
    fault: 'respond that drops the headers',
    tool: 'authContract',
    host: hostWith({
      guard: auth.requireBearer({
        userStore: accountStore(),
        respond: (error, _req, res) => res.status(error.status).json(error),
      }),
    }),
    says: /has no WWW-Authenticate: Bearer\. Copy error\.headers/,
  },
  {
    fault: 'respond that answers 429 with another status',
    tool: 'authContract',
    host: hostWith({
      router: auth.createLoginRouter(accountStore(), {
        respond: (error, _req, res) => {
          res
            .status(error.status === 429 ? 403 : error.status)
            .set(error.headers)
            .json(error);
        },
      }),
    }),
    says: /got 403 too_many_attempts in place of 429 .* its status was changed: by respond/,
  },
  {
    fault: 'a middleware that takes tokens from the query',
    tool: 'authContract',
    host: hostWith({
      before: [
        change((req) => {
          const token = req.query['access_token'];
          if (typeof token === 'string') req.headers.authorization = `Bearer ${token}`;
        }),
      ],
    }),
    says: /Remove the middleware that copies a token into the header Authorization/,
  },
  {
    fault: 'a middleware that sets Cache-Control after the login',
    tool: 'authContract',
    host: hostWith({
      before: [
        rewriting((text, res) => {
          res.setHeader('Cache-Control', 'public, max-age=60');
          return text;
        }),
      ],
    }),
    says: /without Cache-Control: no-store/,
  },
  {
    fault: 'requireOwnReference of another copy of the package',
    tool: 'authContract',
    host: hostWith({ demand: [otherCopy.requireOwnReference()] }),
    says: /one copy of the package \(npm ls express-merchant-auth\)/,
  },
  {
    fault: 'a guard of another realm than the login',
    tool: 'authContract',
    host: hostWith({
      guard: auth.requireBearer({
        userStore: accountStore(),
        tokens: auth.createTokens({ realm: 'sandbox' }),
      }),
    }),
    says: /Give login and guard the same tokens, store and realm/,
  },
  {
    fault: 'a guard with another secret than the login',
    tool: 'authContract',
    host: hostWith({
      guard: auth.requireBearer({
        userStore: accountStore(),
        tokens: auth.createTokens({ secret: 'another secret of 32 bytes or more' }),
      }),
    }),
    says: /Give login and guard the same tokens/,
  },
  {
    fault: 'own login that answers every failure with 401',
    tool: 'authContract',
    host: () => {
      const store = accountStore();
      const login = auth.createLogin(store);
      const app = express().use(express.json());
      app.post('/v1/login', (req, res) => {
        const { email, password } = req.body as { email: string; password: string };
        login.attempt(req, { identifier: email, password }).then(
          ({ token }) => res.json({ authorisation: { token } }),
          () => res.status(401).json({ error: 'wrong_credentials' }),
        );
      });
      app.use('/v1', auth.requireBearer({ userStore: store }));
      app.post('/v1/transactions', auth.requireOwnReference(), takePayment);
      app.use(auth.authErrorHandler(quiet));
      const ownLogin = {
        body: (email: string, password: string) => ({ email, password }),
        tokenOf: (body: unknown) => (body as { authorisation?: { token?: unknown } }).authorisation?.token,
      };
      return { app, ownLogin, errors: 'own' as const };
    },
    says: /got 401 wrong_credentials in place of 429/,
  },
  {
    fault: 'own login that tells unknown emails',
    tool: 'authContract',
    host: () => {
      const store = accountStore();
      const known: express.RequestHandler = (req, res, next) => {
        const { email = '' } = (req.body ?? {}) as { email?: unknown };
        store.findCredentials(String(email)).then((found) => {
          if (found === null && String(email).startsWith('nobody')) {
            const layout = { status: 'Error', success: false, code: 401, error: 'wrong_credentials' };
            res.status(401).json({ ...layout, message: 'Unknown email', description: 'There is no such account.' });
          } else next();
        }, next);
      };
      return { app: appWith({ store, before: [express.json(), known] }) };
    },
    says: /different bodies, so strangers can find out which emails have an account/,
  },
];

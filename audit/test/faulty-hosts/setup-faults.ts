import type { RequestHandler, Response } from 'express';
import express from 'express';
import * as otherCopy from 'express-merchant-auth';
import * as auth from '../../../src/index.js';
import { accountStore, AWA } from '../../../test/helpers/accounts.js';
import { appWith, change, type FaultyHosts, guardOf, hostWith, pass } from './fault.js';

type End = (this: Response, chunk?: string | Buffer) => unknown;

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
    const hit = kept.get(req.originalUrl);
    if (req.method !== 'GET') next();
    else if (hit !== undefined) res.status(hit.status).type('json').end(hit.text);
    else {
      rewriting((text) => {
        kept.set(req.originalUrl, { status: res.statusCode, text });
        return text;
      })(req, res, next);
    }
  };
}

const cors =
  (allowed: string): RequestHandler =>
  (req, res, next) => {
    res.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': allowed });
    if (req.method === 'OPTIONS') res.sendStatus(204);
    else next();
  };

/** Faults of what surrounds the package. */
export const setupFaults: FaultyHosts = {
  'errors as HTML, because authErrorHandler is not mounted': {
    host: hostWith({ before: express.json(), errors: pass }),
    fails: ['7 a login with a body'],
    says: /is text\/html.* and clients parse JSON\. Mount authErrorHandler\(\) after all routes/,
  },
  'an error handler of the host before authErrorHandler, which shows the body': {
    host: hostWith({
      before: express.json(),
      errors: (error: { status?: number; body?: unknown }, _req, res, _next) => {
        const layout = { status: 'Error', success: false, code: 400, error: 'invalid_body', message: 'm' };
        res.status(error.status ?? 500).json({ ...layout, description: String(error.body) });
      },
    }),
    fails: ['a body that is not JSON'],
    says: /quotes the body\. Mount authErrorHandler\(\) before every other error handler/,
  },
  'trust proxy: true': {
    host: hostWith({ trustProxy: true }),
    fails: ['the eleventh wrong password'],
    says: /not counted by source.*"trust proxy"/,
  },
  'throttle: false, and no gateway counts failed logins': {
    host: hostWith({ router: auth.createLoginRouter(accountStore(), { throttle: false }) }),
    fails: ['the eleventh wrong password'],
    says: /Leave throttle at its default/,
  },
  'cors() that does not allow Authorization': {
    host: hostWith({ before: cors('content-type') }),
    fails: ['a host that allows browsers'],
    says: /browsers do not send the token\. Add Authorization to allowedHeaders/,
  },
  'a cache before the guard that keeps a 401': {
    host: hostWith({ before: caching() }),
    fails: ['a refused request'],
    says: /A cache before the guard kept the 401\. Mount it after the guard/,
  },
  'a proxy that strips Authorization': {
    host: hostWith({
      before: change((req) => {
        delete req.headers.authorization;
        req.rawHeaders.splice(0);
      }),
    }),
    fails: ['5.3 a request with'],
    says: /The header Authorization did not arrive\. Let the proxy pass it on/,
  },
  'a serverless adapter, which hands on one of two equal headers': {
    host: hostWith({ before: change((req) => req.rawHeaders.splice(0)) }),
    fails: ['5.8 a request with another'],
    says: /in place of 401 invalid_token\. .* A serverless adapter such as serverless-http keeps one of two Authorization headers/,
  },
  'a middleware that wraps each body': {
    host: hostWith({ before: rewriting((text) => JSON.stringify({ data: JSON.parse(text) as unknown })) }),
    fails: ['2.2 a good login', '4 a login as a form', '7 a wrong password'],
    says: /Let no middleware wrap res\.json/,
  },
  'a redirect to a login page in place of 401': {
    host: hostWith({
      guard: guardOf({ respond: (_error, _req, res) => res.redirect('/sign-in') }),
    }),
    fails: ['5.8 a request without'],
    says: /got 302 in place of 401 missing_token/,
  },
  'respond that drops the headers': {
    host: hostWith({
      guard: guardOf({ respond: (error, _req, res) => res.status(error.status).json(error) }),
    }),
    fails: ['5.8 a request without'],
    says: /has no WWW-Authenticate: Bearer\. Copy error\.headers/,
  },
  'a middleware that takes tokens from the query': {
    host: hostWith({
      before: change((req) => {
        const token = req.query['access_token'];
        if (typeof token === 'string') req.headers.authorization = `Bearer ${token}`;
      }),
    }),
    fails: ['5.3 a token in'],
    says: /Remove the middleware that copies a token into the header Authorization/,
  },
  'a middleware that sets Cache-Control after the login': {
    host: hostWith({
      before: rewriting((text, res) => {
        res.setHeader('Cache-Control', 'public, max-age=60');
        return text;
      }),
    }),
    fails: ['2.2 a good login'],
    says: /without Cache-Control: no-store/,
  },
  'requireOwnReference of another copy of the package': {
    host: hostWith({ demand: [otherCopy.requireOwnReference()] }),
    fails: ['5.3 a request with'],
    says: /read its stderr and the body of the answer\. .* guarded by another copy of express-merchant-auth/,
  },
  'a guard with another secret than the login': {
    host: hostWith({
      guard: guardOf({
        tokens: auth.createTokens({ secret: 'another secret of 32 bytes or more' }),
      }),
    }),
    fails: ['5.3 a request with'],
    says: /Give login and guard the same tokens/,
  },
  'other tokens in the test than in the host': {
    host: () => ({ app: appWith(), tokens: auth.createTokens({ audience: 'payments' }) }),
    fails: ['5.4 a token that'],
    says: /^These tokens refuse the token of the login \(.*aud.*\)\. Give the tokens of login and guard\.$/,
  },
  'own login that tells unknown emails': {
    host: hostWith({
      before: [
        express.json(),
        ({ body }, res, next) => {
          const layout = { status: 'Error', success: false, code: 401, error: 'wrong_credentials' };
          const unknown = { ...layout, message: 'Unknown email', description: 'There is no such account.' };
          if (String((body as { email?: unknown } | undefined)?.email).startsWith('nobody'))
            res.status(401).json(unknown);
          else next();
        },
      ],
    }),
    fails: ['7 a wrong password'],
    says: /different bodies, so strangers can find out which emails have an account/,
  },
  'own login whose validator refuses the user name': {
    host: () => ({
      app: appWith({ before: express.Router().post('/v1/login', (_req, res) => void res.sendStatus(422)) }),
      ownLogin: { body: (user, pin) => ({ user, pin }), tokenOf: (body) => (body as { token: string }).token },
    }),
    fails: ['4 the login needs', '5.4 a token is', '7 a wrong password', '7 a disabled', 'the eleventh'],
    says: /got 422, and no token\. Your validator refused email or password of this account, or ownLogin\.body has/,
  },
  'a middleware of a route that fails before the guard': {
    host: hostWith({ before: express.Router().use('/v1/transactions', (_req, res) => void res.sendStatus(500)) }),
    fails: ['5.3 a request with', '5.3 a token in', '5.7 a token stays', '5.8 a request without', '5.6 a foreign'],
    says: /got 500.*\. The host or its store failed: read its stderr and the body of the answer\. The body/,
  },
  'a validator that counts UTF-16 units, which are two for an emoji': {
    host: hostWith({
      before: [
        express.json(),
        (req, _res, next) => {
          const { email = '', password = '' } = (req.body ?? {}) as Record<string, unknown>;
          if (String(email).length <= 255 && String(password).length <= 255) next();
          else next(new auth.AuthError('invalid_body'));
        },
      ],
    }),
    fails: ['2.1 an email', '2.1 a password'],
    says: /got 400 invalid_body in place of 401 wrong_credentials\./,
  },
  'a middleware that turns numbers into texts, and adds a refresh token': {
    host: hostWith({
      before: rewriting((text) =>
        text.replace('"statut":1', '"statut":"1"').replace('"type"', '"refresh_token":"x","type"'),
      ),
    }),
    fails: ['2.2 a good login', '5.5 a login'],
    says: /marchand\.statut is not as in docs\/interface\.md 2\.2|has a refresh token\. Remove it/,
  },
  'a middleware that turns PUT into POST': {
    host: hostWith({ before: change((req) => (req.method = req.method === 'PUT' ? 'POST' : req.method)) }),
    fails: ['4 only POST'],
    says: /PUT \/v1\/login got 200 in place of 401, 404 or 405/,
  },
  'a gateway that trusts the claims of a token without its signature': {
    host: () => {
      const tokens = auth.createTokens();
      const trust = change((req) => {
        if (/^Bearer eyJ[^.]*\.[^.]+\.[^.]+$/.test(req.headers.authorization ?? '')) {
          req.headers.authorization = `Bearer ${tokens.issue(AWA)}`;
        }
      });
      return { app: appWith({ before: [trust] }), tokens };
    },
    fails: ['5.4 a token that'],
    says: /got 201 in place of 401 expired_token\. Let requireBearer\({ tokens }\) verify/,
  },
  'an error handler of the host that shows the path': {
    host: hostWith({
      behind: express.Router().get('/v1/transactions/:id', pass),
      errors: (error: { status?: number }, req, res, _next) =>
        void res.status(error.status ?? 500).json({ path: req.originalUrl }),
    }),
    fails: ['a path that cannot'],
    says: /got 400\. The answer must be a 400 as JSON, without the path/,
  },
};

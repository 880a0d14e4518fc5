import { expect } from 'chai';
import type { Request, RequestHandler, Response } from 'express';
import type { RequireBearerOptions, UserStore } from '../../src/index.js';
import { authContract, type HostUnderTest } from '../src/index.js';
import { accountStore, AWA, PASSWORD } from '../../test/helpers/accounts.js';
import { EXPIRED_TOKEN, FOREIGN_REFERENCE, INVALID_BODY, MISSING_REFERENCE } from '../../test/helpers/answers.js';
import { stubComputations } from '../../test/helpers/computations.js';
import { FRAMEWORK } from '../../test/helpers/on-each-express.js';
import { collectWarnings } from '../../test/helpers/diagnostics.js';
import { outcomeOf, outcomeOfCase } from './contract.js';
import { hostWith, type Parts, pass, servedHostWith } from './hosts.js';

const { auth, express } = FRAMEWORK;
const refusal = { status: 'Error', success: false, message: 'm', description: 'd' };

/** Makes a middleware that changes each request. */
const change =
  (apply: (req: Request) => void): RequestHandler =>
  (req, _res, next) => {
    apply(req);
    next();
  };
const guardOf = (options?: RequireBearerOptions) => auth.requireBearer({ userStore: accountStore(), ...options });
const mounted = (path: string, inner: RequestHandler) => express.Router().use(path, inner);

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

/** Answers with the 401 that another caller got, as a cache does that is not keyed by the caller. */
function caching(): RequestHandler {
  const refused = new Set<string>();
  return ({ method, originalUrl }, res, next) => {
    const key = `${method} ${originalUrl}`;
    res.on('finish', () => method === 'GET' && res.statusCode === 401 && refused.add(key));
    if (refused.has(key)) res.sendStatus(401);
    else next();
  };
}

const tokens = auth.createTokens();
/** A store that does not find disabled accounts. */
const store: UserStore = {
  findCredentials: async (email) => {
    const found = await accountStore().findCredentials(email);
    return found?.account.disabled ? null : found;
  },
  findById: (id) => accountStore().findById(id),
};

interface Fault extends Parts, Partial<HostUnderTest> {
  /** Matches the message, which says what to change. */
  readonly says: RegExp;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  'the guard on a narrower path': {
    guard: mounted('/transactions/secure', guardOf()),
    demand: pass,
    says: /Mount requireBearer\({ userStore }\) before this route/,
  },
  'the login at a path that the test does not know': {
    login: mounted('/shop', auth.createLoginRouter(accountStore())),
    guard: pass,
    says: /got 404.* or give loginPath, or give ownLogin for your own route\./,
  },
  'a middleware before the login that checks old tokens': {
    before: (req, res, next) => (req.headers.authorization ? void res.sendStatus(401) : next()),
    says: /\(an old token at the login\) got 401 in place of a 2xx\. Mount the login before the guard\./,
  },
  'requireOwnReference is not on the route': {
    demand: pass,
    says: new RegExp(`in place of 400 ${MISSING_REFERENCE}\\. Mount requireOwnReference\\(\\) on the route`),
  },
  'reference: "reported" is still there': {
    guard: guardOf({ reference: 'reported' }),
    says: new RegExp(`in place of 403 ${FOREIGN_REFERENCE}\\. Leave reference at "own"`),
  },
  'errors as HTML, because authErrorHandler is not mounted': {
    before: express.json(),
    onError: pass,
    says: /broken body\) got 400 in place of 400 invalid_body\. Mount .* authErrorHandler\(\) after all routes/,
  },
  'an error handler of the host before authErrorHandler, which shows the body': {
    before: express.json(),
    onError: (error: { status?: number; body?: unknown }, _req, res, _next) => {
      const layout = { ...refusal, code: 400, error: INVALID_BODY };
      res.status(error.status ?? 500).json({ ...layout, description: String(error.body) });
    },
    says: /quotes the body\. Mount authErrorHandler\(\) after all routes, and before every other error handler/,
  },
  'a cache before the guard that keeps a 401': {
    before: caching(),
    says: /A cache before the guard kept the 401\. Mount it after the guard/,
  },
  'a proxy that strips Authorization': {
    before: change((req) => {
      delete req.headers.authorization;
      req.rawHeaders.splice(0);
    }),
    says: /\(a good token\) got 401 missing_token .*The header Authorization did not arrive\. Let the proxy pass it on .* same tokens, .* 400 missing_reference: Give requireBearer the name/,
  },
  'respond that drops the headers': {
    guard: guardOf({ respond: (error, _req, res) => res.status(error.status).json(error) }),
    says: /has no WWW-Authenticate: Bearer\. Copy error\.headers/,
  },
  'a middleware that takes tokens from the query': {
    before: change((req) => {
      const token = req.query['access_token'];
      if (typeof token === 'string') req.headers.authorization = `Bearer ${token}`;
    }),
    says: /Remove the middleware that copies a token into the header Authorization/,
  },
  'a middleware that sets Cache-Control after the login': {
    before: rewriting((text, res) => {
      res.setHeader('Cache-Control', 'public, max-age=60');
      return text;
    }),
    says: /without Cache-Control: no-store/,
  },
  'other tokens in the test than in the host': {
    tokens: auth.createTokens({ audience: 'payments' }),
    says: /These tokens refuse the token of the login \(.*aud.*\)\. Give the tokens of login and guard\./,
  },
  'a middleware that turns numbers into texts, and adds a refresh token': {
    before: rewriting((text) =>
      text.replace('"statut":1', '"statut":"1"').replace('"type"', '"refresh_token":"x","type"'),
    ),
    says: /The answer to a good login is not as in docs\/interface\.md 2\.2\. Let no middleware wrap res\.json/,
  },
  'a gateway that trusts the claims of a token without its signature': {
    before: change((req) => {
      if (/^Bearer eyJ[^.]*\.[^.]+\.[^.]+$/.test(req.headers.authorization ?? '')) {
        req.headers.authorization = `Bearer ${tokens.issue(AWA)}`;
      }
    }),
    tokens,
    says: new RegExp(`got 201 in place of 401 ${EXPIRED_TOKEN}\\. Let requireBearer\\({ tokens }\\) verify`),
  },
  'a store that does not find disabled accounts': { store, says: /Let findCredentials return disabled accounts too/ },
};

describe('a host with one fault', () => {
  beforeEach(() => {
    collectWarnings();
    stubComputations(({ password }) => password === PASSWORD);
  });

  it('differs from a correct host, which passes each case', async () => {
    for (const test of authContract(() => Promise.resolve(hostWith()))) {
      expect(await outcomeOf(test), test.name).to.match(/^(passed$|left out: )/);
    }
  });

  for (const [fault, { says, ...parts }] of Object.entries(FAULTS)) {
    it(`fails the case on login and guard, whose message says what to change: ${fault}`, async () => {
      expect(await outcomeOfCase('login and guard', await servedHostWith(parts))).to.match(says);
    });
  }
});

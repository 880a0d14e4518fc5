import os from 'node:os';
import argon2 from '@node-rs/argon2';
import { expect } from 'chai';
import express, { type RequestHandler } from 'express';
import * as expressJwt from 'express-jwt';
import {
  createLogin,
  createLoginRouter,
  createTokens,
  type MerchantAccount,
  requireBearer,
} from 'express-merchant-auth';
import * as oauth2JwtBearer from 'express-oauth2-jwt-bearer';
import type { Jwt, JwtPayload } from 'jsonwebtoken';
import { Passport } from 'passport';
import { ExtractJwt, Strategy as JwtStrategy } from 'passport-jwt';
import { Strategy as LocalStrategy } from 'passport-local';
import { AWA, accountStore, PASSWORD, PASSWORD_HASH } from '../helpers/accounts.js';
import { holdComputations, stubComputations } from '../helpers/computations.js';
import { type Answer, bearer, type Client, serve } from '../helpers/http.js';
import { readPage, rowsOf } from '../helpers/snippets.js';
import { craftToken, readToken } from '../helpers/tokens.js';
import { settle, until } from '../helpers/until.js';

const PAGE = 'docs/compared.md';
const SECRET = process.env['JWT_SECRET'] ?? '';
const EXPECTED = { issuer: 'https://payments.example/', audience: 'payments' };

const tokens = createTokens(EXPECTED);

/** A check of the host. The callbacks receive the token, and all but `validators` receive the request. */
type IsBad = (received: {
  readonly header: object;
  readonly claims: JwtPayload;
  readonly req?: express.Request;
}) => boolean | Promise<boolean>;

interface Options {
  readonly algorithms?: 'HS256'[];
  readonly isBad?: IsBad | undefined;
  readonly [other: string]: unknown;
}

const withJwt = (options?: object) =>
  expressJwt.expressjwt({ secret: SECRET, algorithms: ['HS256'], ...EXPECTED, ...options });
const withOauth2 = (options?: object) =>
  oauth2JwtBearer.auth({ ...EXPECTED, secret: SECRET, tokenSigningAlg: 'HS256', ...options });

/** Each package as its own documentation shows it: a guard over the same secret, issuer and audience. */
const GUARDS: Readonly<Record<string, (options?: Options) => RequestHandler>> = {
  'this package': () => requireBearer({ userStore: accountStore(), tokens }),
  'express-jwt': ({ isBad, ...options } = {}) => {
    const isRevoked = (req: express.Request, { header, payload }: Jwt) =>
      isBad?.({ header, claims: payload as JwtPayload, req });
    return withJwt({ ...options, isRevoked });
  },
  'oauth2-jwt-bearer': ({ isBad, ...options } = {}) => {
    const sub = async (_sub: unknown, claims: JwtPayload, header: object) => !(await isBad?.({ header, claims }));
    return withOauth2({ ...options, validators: isBad && { sub } });
  },
  'passport-jwt': ({ isBad, ...options } = {}) => {
    const jwtFromRequest = ExtractJwt.fromAuthHeaderAsBearerToken();
    const settings = { jwtFromRequest, secretOrKey: SECRET, passReqToCallback: true, ...EXPECTED, ...options } as const;
    const strategy = new JwtStrategy(settings, (req: express.Request, claims: JwtPayload, done) => {
      const { header } = readToken(jwtFromRequest(req) ?? '');
      void Promise.resolve(isBad?.({ header, claims, req })).then((isRefused) =>
        done(null, isRefused !== true && claims),
      );
    });
    return new Passport().use(strategy as never).authenticate('jwt', { session: false }) as RequestHandler;
  },
};

/** The callback of each guard, as the cells name it. */
const CALLBACKS: Readonly<Record<string, string>> = {
  'express-jwt': '`isRevoked`',
  'oauth2-jwt-bearer': '`validators`',
  'passport-jwt': '`verify`',
};

/** The options that the cells name. */
const OPTIONS: Readonly<Record<string, Options>> = {
  '`algorithms`': { algorithms: ['HS256'] },
  '`strict`': { strict: true },
  '`maxTokenAge`': { maxTokenAge: 18_000 },
};

type Send = (client: Client) => Promise<Answer>;

/** Sends a request whose token differs from a good one in these members. */
function withToken(header: object, payload: object = {}, body: object = {}): Send {
  const good = readToken(tokens.issue(AWA));
  const token = craftToken({
    header: { ...good.header, ...header },
    payload: { ...good.payload, ...payload },
    key: SECRET,
  });
  return (client) => client.send('POST', '/', { headers: bearer(token), body });
}

const inForm: Send = (client) =>
  client.send('POST', '/', {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: `access_token=${tokens.issue(AWA)}`,
  });

const seconds = Math.floor(Date.now() / 1000);

/** The rows of the first table: the request, and the check that refuses it where a callback receives what it needs. */
const ATTEMPTS: readonly (readonly [row: string, send: Send, isBad?: IsBad])[] = [
  ['a good token', withToken({})],
  ['`alg: none`', withToken({ alg: 'none' })],
  ['HS512 instead of HS256', withToken({ alg: 'HS512' })],
  ['`typ: logout+jwt`', withToken({ typ: 'logout+jwt' }), ({ header }) => !('typ' in header && header.typ === 'JWT')],
  ['an unknown `crit`', withToken({ crit: ['x'], x: 1 }), ({ header }) => 'crit' in header],
  ['no `exp`', withToken({}, { exp: undefined }), ({ claims }) => claims.exp === undefined],
  [
    '`exp` ten years ahead',
    withToken({}, { exp: seconds + 315_360_000 }),
    ({ claims: { iat = 0, exp = 0 } }) => exp > iat + 18_000,
  ],
  [
    '`iat` one hour ahead',
    withToken({}, { iat: seconds + 3600, exp: seconds + 3660 }),
    ({ claims: { iat = 0 } }) => iat > seconds + 60,
  ],
  [
    'text after the token',
    (client) => client.send('GET', '/', { headers: bearer(`${tokens.issue(AWA)} x`) }),
    ({ req }) => req?.headers.authorization?.split(' ').length !== 2,
  ],
  [
    'the token in the query',
    (client) => client.send('GET', `/?access_token=${tokens.issue(AWA)}`),
    ({ req }) => req?.query['access_token'] !== undefined,
  ],
  ['the token in a form body', inForm, ({ req }) => bodyOf(req)['access_token'] !== undefined],
  [
    'an account disabled since',
    withToken({}, { sub: '3', referencl: 'ANC-1003' }),
    async ({ claims }) => (await accountStore().findById(claims.sub ?? ''))?.disabled !== false,
  ],
  [
    'a foreign `refercence_cl`',
    withToken({}, {}, { refercence_cl: 'CNT-1002' }),
    ({ req }) => ![undefined, AWA.marchand.referencl].includes(bodyOf(req)['refercence_cl']),
  ],
];

function bodyOf(req?: express.Request): Readonly<Record<string, string>> {
  return (req?.body ?? {}) as Readonly<Record<string, string>>;
}

/** Returns an app that answers `accepted` to each request that the handlers let through. */
function guarded(...handlers: RequestHandler[]): express.Express {
  const app = express().use(express.json(), express.urlencoded({ extended: false }), ...handlers);
  return app.use((_req, res) => void res.send('accepted'));
}

describe(PAGE, () => {
  describe('the requests that a guard accepts', () => {
    const rows = rowsOf(PAGE, 'request with');
    const isRefused = async (guard: RequestHandler, send: Send) => {
      const answer = await send(await serve(guarded(guard)));
      if (answer.text !== 'accepted') expect(answer.status).to.be.within(400, 403);
      return answer.text !== 'accepted';
    };

    it('are those of the page, for the packages of the page', () => {
      expect(readPage(PAGE)).to.match(
        new RegExp(`^\\| request with +\\| ${Object.keys(GUARDS).join(' +\\| ')} +\\|$`, 'm'),
      );
      expect(rows.map(([row]) => row)).to.deep.equal(ATTEMPTS.map(([row]) => row));
    });

    ATTEMPTS.forEach(([row, send, isBad], index) => {
      it(row, async () => {
        for (const [column, [name, create]] of Object.entries(GUARDS).entries()) {
          const cell = rows[index]?.[column + 1] ?? '';
          expect(await isRefused(create(), send), name).to.equal(cell === 'refused');
          if (!(cell in OPTIONS)) expect(cell, name).to.be.oneOf(['refused', 'accepted', CALLBACKS[name]]);
          // Where a callback could refuse the request, the cell must name it.
          expect(await isRefused(create(OPTIONS[cell] ?? { isBad }), send), name).to.equal(cell !== 'accepted');
        }
      });
    });

    it('says how each guard answers a request without a token', async () => {
      const cells = await Promise.all(
        Object.values(GUARDS).map(async (create) => {
          const { status, headers, text } = await (await serve(guarded(create()))).send('GET', '/');
          const type = /json|html/.exec(headers['content-type'] ?? '')?.[0].toUpperCase() ?? `\`${text}\``;
          return [String(status), type, 'www-authenticate' in headers ? 'yes' : 'no'];
        }),
      );
      const rowsOfPage = ['status', 'body', '`WWW-Authenticate`'].map((row, index) => [
        row,
        ...cells.map((each) => each[index]),
      ]);
      expect(rowsOf(PAGE, 'answer without a token')).to.deep.equal(rowsOfPage);
    });
  });

  describe('the logins', () => {
    const wrong = { email: AWA.email, password: 'not the password' };
    const logIn = (client: Client, body: unknown, search = '') => client.send('POST', `/login${search}`, { body });
    let lookups = 0;

    const createStore = () => {
      const store = accountStore();
      const findCredentials = (email: string) => {
        lookups += 1;
        return store.findCredentials(email);
      };
      return { findById: (id: string) => store.findById(id), findCredentials };
    };

    type Verify = (req: express.Request, email: string, password: string) => Promise<MerchantAccount | false>;
    const withLocal = (verify: Verify) => {
      const settings = { usernameField: 'email', passReqToCallback: true } as const;
      const strategy = new LocalStrategy(settings, (req, email, password, done) => {
        verify(req, email, password).then((account) => done(null, account), done);
      });
      return new Passport().use(strategy as never).authenticate('local', { session: false }) as RequestHandler;
    };

    /** As its documentation shows it: look the account up, and compare when there is one. */
    const asDocumented = (): Verify => {
      const store = createStore();
      return async (_req, email, password) => {
        const found = await store.findCredentials(email);
        return found !== null && (await argon2.verify(PASSWORD_HASH, password)) && found.account;
      };
    };

    /** With the checks of this package, so that the column of this package shows what a host can reach. */
    const asHere = (): Verify => {
      const login = createLogin(createStore());
      return async (req, email, password) => {
        if ('password' in req.query) throw Object.assign(new Error('The query has a password.'), { status: 400 });
        return (await login.attempt(req, { identifier: email, password })).account;
      };
    };

    const CELLS: Readonly<Record<string, (client: Client) => Promise<string>>> = {
      async 'email and password in the query'(client) {
        const { status } = await logIn(client, {}, `?email=${encodeURIComponent(AWA.email)}&password=${PASSWORD}`);
        return status === 200 ? 'accepted' : String(status);
      },
      async 'an object as the email'(client) {
        return String((await logIn(client, { email: { $gt: '' }, password: PASSWORD })).status);
      },
      async 'an unknown email'(client) {
        await logIn(client, wrong);
        const computations = stubComputations(() => false);
        await logIn(client, { ...wrong, email: 'nobody@boutique.example' });
        return computations.length === 1 ? 'costs a hash' : 'costs no hash';
      },
      async '30 wrong passwords in a row'(client) {
        stubComputations(() => false);
        const statuses: number[] = [];
        for (let attempt = 0; attempt < 30; attempt += 1) statuses.push((await logIn(client, wrong)).status);
        return statuses.includes(429) ? '429' : 'no limit';
      },
      async '100 logins at once'(client) {
        lookups = 0;
        const computations = holdComputations();
        // The end of the test closes the connections of these requests.
        for (let index = 0; index < 100; index += 1)
          logIn(client, { ...wrong, password: `${wrong.password} ${index}` }).catch(() => undefined);
        await until(() => lookups === 100);
        await settle();
        return computations.length <= os.availableParallelism() ? 'bounded' : `${computations.length} hashes`;
      },
    };

    for (const [row, ours, theirs, documented] of rowsOf(PAGE, 'login')) {
      it(row ?? '', async () => {
        const cellOf = CELLS[row ?? ''] ?? expect.fail();
        const app = express().use(express.json(), createLoginRouter(createStore()));
        expect(await cellOf(await serve(app))).to.equal(ours);
        expect(await cellOf(await serve(guarded(withLocal(asDocumented()))))).to.equal(documented);
        expect(theirs).to.equal(documented === ours ? ours : '`verify`');
        expect(await cellOf(await serve(guarded(withLocal(asHere()))))).to.equal(ours);
      });
    }
  });
});

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import argon2 from '@node-rs/argon2';
import { expect } from 'chai';
import express, { type RequestHandler } from 'express';
import express4 from 'express4';
import * as expressJwt from 'express-jwt';
import { createLoginRouter, createTokens, requireBearer } from 'express-merchant-auth';
import * as oauth2JwtBearer from 'express-oauth2-jwt-bearer';
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
const ROOT = path.resolve(__dirname, '../..');
const MODULES = path.join(ROOT, 'node_modules');
const SECRET = process.env['JWT_SECRET'] ?? '';
const EXPECTED = { issuer: 'https://payments.example/', audience: 'payments' };

const tokens = createTokens(EXPECTED);

interface Options {
  readonly algorithms?: 'HS256'[];
  readonly readsAccount?: boolean;
  readonly [other: string]: unknown;
}

const withJwt = (options?: object) =>
  expressJwt.expressjwt({ secret: SECRET, algorithms: ['HS256'], ...EXPECTED, ...options });
const withOauth2 = (options?: object) =>
  oauth2JwtBearer.auth({ ...EXPECTED, secret: SECRET, tokenSigningAlg: 'HS256', ...options });

/** Each package as its own documentation shows it: a guard over the same secret, issuer and audience. */
const GUARDS: Readonly<Record<string, (options?: Options) => RequestHandler>> = {
  'this package': () => requireBearer({ userStore: accountStore(), tokens }),
  'express-jwt': withJwt,
  'oauth2-jwt-bearer': withOauth2,
  'passport-jwt': ({ readsAccount = false, ...options } = {}) => {
    const jwtFromRequest = ExtractJwt.fromAuthHeaderAsBearerToken();
    const settings = { jwtFromRequest, secretOrKey: SECRET, ...EXPECTED, ...options };
    const strategy = new JwtStrategy(settings, (claims: { readonly sub: string }, done) => {
      if (!readsAccount) done(null, claims);
      else
        void accountStore()
          .findById(claims.sub)
          .then((account) => done(null, account?.disabled === false && account));
    });
    return new Passport().use(strategy as never).authenticate('jwt', { session: false }) as RequestHandler;
  },
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
const isRevoked = () => Promise.resolve(true);

/** The rows of the first table: the request, and the options that make other packages refuse it, as the cells name them. */
const ATTEMPTS: readonly (readonly [row: string, send: Send, options?: Readonly<Record<string, Options>>])[] = [
  ['a good token', withToken({})],
  ['`alg: none`', withToken({ alg: 'none' })],
  ['HS512 instead of HS256', withToken({ alg: 'HS512' }), { '`algorithms`': { algorithms: ['HS256'] } }],
  ['`typ: logout+jwt`', withToken({ typ: 'logout+jwt' }), { '`strict`': { strict: true } }],
  ['an unknown `crit`', withToken({ crit: ['x'], x: 1 })],
  ['no `exp`', withToken({}, { exp: undefined })],
  ['`exp` ten years ahead', withToken({}, { exp: seconds + 315_360_000 })],
  [
    '`iat` one hour ahead',
    withToken({}, { iat: seconds + 3600, exp: seconds + 3660 }),
    { '`maxTokenAge`': { maxTokenAge: 18_000 } },
  ],
  ['text after the token', (client) => client.send('GET', '/', { headers: bearer(`${tokens.issue(AWA)} x`) })],
  ['the token in the query', (client) => client.send('GET', `/?access_token=${tokens.issue(AWA)}`)],
  ['the token in a form body', inForm],
  [
    'an account disabled since',
    withToken({}, { sub: '3', referencl: 'ANC-1003' }),
    { '`isRevoked`': { isRevoked }, '`verify`': { readsAccount: true } },
  ],
  ['a foreign `refercence_cl`', withToken({}, {}, { refercence_cl: 'CNT-1002' })],
];

/** Returns an app that answers `accepted` to each request that the handlers let through. */
function guarded(application: typeof express, ...handlers: RequestHandler[]): ReturnType<typeof express> {
  const app = application().use(application.json(), application.urlencoded({ extended: false }), ...handlers);
  return app.use((_req, res) => void res.send('accepted'));
}

describe(PAGE, () => {
  // The page says that both give the same results.
  for (const application of process.env['FULL'] === '1' ? [express4, express] : [express]) {
    describe(`the requests that a guard accepts (Express ${application === express ? '5' : '4'})`, () => {
      const rows = rowsOf(PAGE, 'request with');
      const isRefused = async (guard: RequestHandler, send: Send) => {
        const answer = await send(await serve(guarded(application, guard)));
        if (answer.text !== 'accepted') expect(answer.status).to.be.within(400, 403);
        return answer.text !== 'accepted';
      };

      it('are those of the page, for the packages of the page', () => {
        expect(readPage(PAGE)).to.match(
          new RegExp(`^\\| request with +\\| ${Object.keys(GUARDS).join(' +\\| ')} +\\|$`, 'm'),
        );
        expect(rows.map(([row]) => row)).to.deep.equal(ATTEMPTS.map(([row]) => row));
      });

      ATTEMPTS.forEach(([row, send, options = {}], index) => {
        it(row, async () => {
          for (const [column, [name, create]] of Object.entries(GUARDS).entries()) {
            const cell = rows[index]?.[column + 1] ?? '';
            expect(await isRefused(create(), send), name).to.equal(cell === 'refused');
            if (cell in options) expect(await isRefused(create(options[cell]), send), name).to.equal(true);
            else expect(cell, name).to.be.oneOf(['refused', 'accepted']);
          }
        });
      });

      it('says how each guard answers a request without a token', async () => {
        const cells = await Promise.all(
          Object.values(GUARDS).map(async (create) => {
            const { status, headers, text } = await (await serve(guarded(application, create()))).send('GET', '/');
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
  }

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

    /** passport-local as its documentation shows it: look the account up, and compare when there is one. */
    const handWired = (): RequestHandler => {
      const store = createStore();
      const strategy = new LocalStrategy({ usernameField: 'email' }, (email, password, done) => {
        void store.findCredentials(email).then(async (found) => {
          const isGood = found !== null && (await argon2.verify(PASSWORD_HASH, password));
          done(null, isGood ? found.account : false);
        });
      });
      return new Passport().use(strategy as never).authenticate('local', { session: false }) as RequestHandler;
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
        const refusals = statuses.indexOf(429);
        return refusals < 0 ? 'no limit' : `429 after ${refusals}`;
      },
      async '100 logins at once'(client) {
        lookups = 0;
        const computations = holdComputations();
        // The end of the test closes the connections of these requests.
        for (let index = 0; index < 100; index += 1) logIn(client, wrong).catch(() => undefined);
        await until(() => lookups === 100);
        await settle();
        return computations.length <= os.availableParallelism() ? 'bounded' : `${computations.length} hashes`;
      },
    };

    for (const [row, ours, theirs] of rowsOf(PAGE, 'login')) {
      it(row ?? '', async () => {
        const cellOf = CELLS[row ?? ''] ?? expect.fail();
        expect(await cellOf(await serve(express().use(express.json(), createLoginRouter(createStore()))))).to.equal(
          ours,
        );
        expect(await cellOf(await serve(guarded(express, handWired())))).to.equal(theirs);
      });
    }
  });

  it('lists the exports of the packages that only check tokens', () => {
    for (const [name, module] of Object.entries({
      'express-jwt': expressJwt,
      'express-oauth2-jwt-bearer': oauth2JwtBearer,
    })) {
      const [, list = ''] = new RegExp(`\n## ${name}\n\nExports: ([^.]*)[.]`).exec(readPage(PAGE)) ?? [];
      const exported = Object.keys(module).filter((each) => each !== 'default');
      expect([...list.matchAll(/`(\w+)`/g)].map(([, each]) => each)).to.deep.equal(exported.sort());
    }
  });

  const secret = ({ path: at }: express.Request) => Promise.resolve(at === '/accepted' ? SECRET : 'another secret');
  const good = () => bearer(tokens.issue(AWA));
  for (const [sentence, guard, headers] of [
    [
      'Its `secret` can be a function of the request and the token, so that each tenant has a key.',
      withJwt({ secret }),
      good,
    ],
    ['Its `unless` excludes paths from the check.', withJwt().unless({ path: ['/accepted'] })],
    [
      'Its option `credentialsRequired: false` accepts requests without a token.',
      withJwt({ credentialsRequired: false }),
    ],
  ] as const) {
    it(`says of express-jwt: ${sentence}`, async () => {
      expect(readPage(PAGE)).to.include(`\n- ${sentence}\n`);
      const client = await serve(guarded(express, guard as RequestHandler));
      const options = { headers: headers?.() ?? {} };
      expect((await client.send('GET', '/accepted', options)).text).to.equal('accepted');
      if (!sentence.includes('credentialsRequired'))
        expect((await client.send('GET', '/', options)).status).to.equal(401);
    });
  }

  it('says that requiredScopes answers 403 to a token without the scope', async () => {
    const client = await serve(guarded(express, withOauth2(), oauth2JwtBearer.requiredScopes('read')));
    expect((await withToken({}, { scope: 'write' })(client)).status).to.equal(403);
    expect((await withToken({}, { scope: 'read' })(client)).text).to.equal('accepted');
  });

  it('gives the versions that are tested, and the numbers of packages that they install', () => {
    for (const [names = '', versions = '', installed] of rowsOf(PAGE, 'name').slice(0, -1)) {
      const roots = names.split(', ').map((name) => (name === 'this package' ? ROOT : path.join(MODULES, name)));
      expect(roots.map((root) => manifestOf(root).version)).to.deep.equal(versions.split(', '));
      const folders = new Set(roots);
      for (const folder of folders) for (const needed of dependenciesOf(folder)) folders.add(needed);
      expect(String(folders.size), names).to.equal(installed);
    }
  });
});

interface Manifest {
  readonly version: string;
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Returns the folders of the packages that the package in a folder depends on, as Node.js finds them. */
function dependenciesOf(folder: string): string[] {
  const { dependencies, optionalDependencies } = manifestOf(folder);
  return Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((name) => {
    const places = [path.join(folder, 'node_modules', name), path.join(MODULES, name)];
    return places.filter((place) => fs.existsSync(place)).slice(0, 1);
  });
}

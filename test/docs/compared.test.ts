import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import argon2 from '@node-rs/argon2';
import { expect } from 'chai';
import express, { type RequestHandler } from 'express';
import express4 from 'express4';
import * as expressJwt from 'express-jwt';
import { createLoginRouter, createTokens, requireBearer, type UserStore } from 'express-merchant-auth';
import * as oauth2JwtBearer from 'express-oauth2-jwt-bearer';
import { Passport } from 'passport';
import { ExtractJwt, Strategy as JwtStrategy, type StrategyOptionsWithoutRequest } from 'passport-jwt';
import { Strategy as LocalStrategy } from 'passport-local';
import { AWA, accountStore, PASSWORD, PASSWORD_HASH } from '../helpers/accounts.js';
import { holdComputations, stubComputations } from '../helpers/computations.js';
import { type Answer, bearer, type Client, serve } from '../helpers/http.js';
import { readPage } from '../helpers/snippets.js';
import { craftToken, readToken } from '../helpers/tokens.js';
import { settle, until } from '../helpers/until.js';

const PAGE = 'docs/compared.md';
const ROOT = path.resolve(__dirname, '../..');
const MODULES = path.join(ROOT, 'node_modules');
const { expressjwt } = expressJwt;
const SECRET = process.env['JWT_SECRET'] ?? '';
const ISSUER = 'https://payments.example/';
const AUDIENCE = 'payments';

type Options = Readonly<Record<string, unknown>>;

/** One package as its own documentation shows it: a guard over the same secret, issuer and audience. */
interface Guard {
  readonly name: string;
  readonly create: (store: ReturnType<typeof accountStore>, options?: Options) => RequestHandler;
}

const tokens = createTokens({ issuer: ISSUER, audience: AUDIENCE });

const GUARDS: readonly Guard[] = [
  { name: 'this package', create: (userStore) => requireBearer({ userStore, tokens }) },
  {
    name: 'express-jwt',
    create: (_store, options) =>
      expressjwt({ secret: SECRET, algorithms: ['HS256'], issuer: ISSUER, audience: AUDIENCE, ...options }),
  },
  {
    name: 'oauth2-jwt-bearer',
    create: (_store, options) => {
      const settings = { issuer: ISSUER, audience: AUDIENCE, secret: SECRET, tokenSigningAlg: 'HS256' };
      return oauth2JwtBearer.auth({ ...settings, ...options });
    },
  },
  {
    name: 'passport-jwt',
    create(store, { algorithms, readsAccount = false } = {}) {
      const passport = new Passport();
      const settings: StrategyOptionsWithoutRequest = {
        jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
        secretOrKey: SECRET,
        issuer: ISSUER,
        audience: AUDIENCE,
        ...(algorithms !== undefined && { algorithms: algorithms as 'HS256'[] }),
      };
      const strategy = new JwtStrategy(settings, (claims: { readonly sub: string }, done) => {
        if (readsAccount !== true) done(null, claims);
        else void store.findById(claims.sub).then((account) => done(null, account?.disabled === false && account));
      });
      passport.use(strategy as never);
      return passport.authenticate('jwt', { session: false }) as RequestHandler;
    },
  },
];

/** A row of the first table. The options are those that make the other packages refuse. */
interface Attempt {
  readonly row: string;
  readonly options?: Readonly<Record<string, readonly [cell: string, options: Options]>>;
  readonly send: (client: Client) => Promise<Answer>;
}

const now = () => Math.floor(Date.now() / 1000);

/** Sends a request whose token differs from a good one in these members. */
function sendToken(client: Client, header: object, payload: object = {}): Promise<Answer> {
  const good = readToken(tokens.issue(AWA));
  const crafted = { header: { ...good.header, ...header }, payload: { ...good.payload, ...payload }, key: SECRET };
  return client.send('POST', '/', { headers: bearer(craftToken(crafted)), body: {} });
}

const isRevoked = () => Promise.resolve(true);

const ATTEMPTS: readonly Attempt[] = [
  { row: 'a good token', send: (client) => sendToken(client, {}) },
  { row: '`alg: none`', send: (client) => sendToken(client, { alg: 'none' }) },
  {
    row: 'HS512 instead of HS256',
    options: { 'passport-jwt': ['`algorithms`', { algorithms: ['HS256'] }] },
    send: (client) => sendToken(client, { alg: 'HS512' }),
  },
  {
    row: '`typ: logout+jwt`',
    options: { 'oauth2-jwt-bearer': ['`strict`', { strict: true }] },
    send: (client) => sendToken(client, { typ: 'logout+jwt' }),
  },
  { row: 'an unknown `crit`', send: (client) => sendToken(client, { crit: ['x'], x: 1 }) },
  { row: 'no `exp`', send: (client) => sendToken(client, {}, { exp: undefined }) },
  { row: '`exp` ten years ahead', send: (client) => sendToken(client, {}, { exp: now() + 315_360_000 }) },
  {
    row: '`iat` one hour ahead',
    options: { 'oauth2-jwt-bearer': ['`maxTokenAge`', { maxTokenAge: 18_000 }] },
    send: (client) => sendToken(client, {}, { iat: now() + 3600, exp: now() + 3660 }),
  },
  {
    row: 'text after the token',
    send: (client) => client.send('GET', '/', { headers: bearer(`${tokens.issue(AWA)} x`) }),
  },
  {
    row: 'the token in the query',
    send: (client) => client.send('GET', `/?access_token=${tokens.issue(AWA)}`),
  },
  {
    row: 'the token in a form body',
    send: (client) =>
      client.send('POST', '/', {
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: `access_token=${tokens.issue(AWA)}`,
      }),
  },
  {
    row: 'an account disabled since',
    options: {
      'express-jwt': ['`isRevoked`', { isRevoked }],
      'passport-jwt': ['`verify`', { readsAccount: true }],
    },
    send: (client) => sendToken(client, {}, { sub: '3', referencl: 'ANC-1003' }),
  },
  {
    row: 'a foreign `refercence_cl`',
    send: (client) =>
      client.send('POST', '/', { headers: bearer(tokens.issue(AWA)), body: { refercence_cl: 'CNT-1002' } }),
  },
];

/** Returns the cells of the table whose first header is that text, without the line below the headers. */
function tableOf(firstHeader: string): string[][] {
  const [, table = ''] = readPage(PAGE).split(new RegExp(`^(?=\\| ${firstHeader} +\\|)`, 'm'));
  const lines = table.slice(0, table.indexOf('\n\n')).split('\n');
  const cells = lines.map((line) => line.split('|').slice(1, -1));
  return cells.filter((_, index) => index !== 1).map((row) => row.map((cell) => cell.trim()));
}

/** Returns an app that answers `accepted` to each request that a guard lets through. */
function guarded(application: typeof express, guard: RequestHandler): ReturnType<typeof express> {
  const app = application();
  // Express's error handler prints errors unless the environment is `test`, as it is here.
  app.use(application.json(), application.urlencoded({ extended: false }), guard);
  app.use((_req, res) => void res.send('accepted'));
  return app;
}

describe(PAGE, () => {
  for (const [version, application] of [['4', express4] as const, ['5', express] as const]) {
    describe(`the requests that a guard accepts (Express ${version})`, () => {
      const [headers = [], ...rows] = tableOf('request with');

      it('are of the packages that the test runs', () => {
        expect(headers.slice(1)).to.deep.equal(GUARDS.map(({ name }) => name));
        expect(rows.map(([row]) => row)).to.deep.equal(ATTEMPTS.map(({ row }) => row));
      });

      ATTEMPTS.forEach(({ row, options, send }, index) => {
        it(row, async () => {
          const isRefused = async ({ create }: Guard, given?: Options) => {
            const answer = await send(await serve(guarded(application, create(accountStore(), given))));
            if (answer.text !== 'accepted') expect(answer.status).to.be.within(400, 403);
            return answer.text !== 'accepted';
          };
          const cells: string[] = [];
          for (const guard of GUARDS) {
            const [cell, given] = options?.[guard.name] ?? [];
            if (await isRefused(guard)) cells.push('refused');
            else cells.push(cell !== undefined && (await isRefused(guard, given)) ? cell : 'accepted');
          }
          expect(rows[index]?.slice(1)).to.deep.equal(cells);
        });
      });
    });

    it(`says how each guard answers a request without a token (Express ${version})`, async () => {
      const [, ...rows] = tableOf('answer without a token');
      const answers = await Promise.all(
        GUARDS.map(async ({ create }) => (await serve(guarded(application, create(accountStore())))).send('GET', '/')),
      );
      const typeOf = ({ headers, text }: Answer) =>
        /json|html/.exec(headers['content-type'] ?? '')?.[0].toUpperCase() ?? `\`${text}\``;
      const hasChallenge = ({ headers }: Answer) => (headers['www-authenticate'] === undefined ? 'no' : 'yes');
      expect(rows).to.deep.equal([
        ['status', ...answers.map(({ status }) => String(status))],
        ['body', ...answers.map(typeOf)],
        ['`WWW-Authenticate`', ...answers.map(hasChallenge)],
      ]);
    });
  }

  describe('the logins', () => {
    const [, ...rows] = tableOf('login');
    /** passport-local as its documentation shows it: look the account up, and compare when there is one. */
    const handWired = (): RequestHandler => {
      const passport = new Passport();
      const store = countingStore();
      const strategy = new LocalStrategy({ usernameField: 'email' }, (email, password, done) => {
        void (async () => {
          const found = await store.findCredentials(email);
          const isGood = found !== null && (await argon2.verify(PASSWORD_HASH, password));
          done(null, isGood ? found.account : false);
        })();
      });
      passport.use(strategy as never);
      return passport.authenticate('local', { session: false }) as RequestHandler;
    };

    const hosts = () => ({
      ours: express().use(express.json(), createLoginRouter(countingStore())),
      passport: express()
        .use(express.json())
        .post('/login', handWired(), (_req, res) => void res.send('accepted')),
    });

    let lookups = 0;
    const countingStore = (): UserStore => {
      const store = accountStore();
      return {
        findById: (id) => store.findById(id),
        findCredentials(email) {
          lookups += 1;
          return store.findCredentials(email);
        },
      };
    };

    /** Asserts a row of the table: the cell that each host gets. */
    const expectRow = async (row: string, cellOf: (client: Client) => Promise<string>) => {
      const { ours, passport } = hosts();
      const cells = [await cellOf(await serve(ours)), await cellOf(await serve(passport))];
      expect(rows.find(([first]) => first === row)?.slice(1)).to.deep.equal(cells);
    };
    const logIn = (client: Client, body: unknown, search = '') => client.send('POST', `/login${search}`, { body });
    const wrong = { email: AWA.email, password: 'not the password' };

    it('has only the rows that are tested here', () => {
      const titles = ['email and password in the query', 'an object as the email', 'an unknown email'];
      const others = ['30 wrong passwords in a row', '100 logins at once'];
      expect(rows.map(([row]) => row)).to.deep.equal([...titles, ...others]);
    });

    it('email and password in the query', () =>
      expectRow('email and password in the query', async (client) => {
        const search = `?email=${encodeURIComponent(AWA.email)}&password=${PASSWORD}`;
        const { status } = await logIn(client, {}, search);
        return status === 200 ? 'accepted' : String(status);
      }));

    it('an object as the email', () =>
      expectRow('an object as the email', async (client) => {
        return String((await logIn(client, { email: { $gt: '' }, password: PASSWORD })).status);
      }));

    it('an unknown email', () =>
      expectRow('an unknown email', async (client) => {
        await logIn(client, wrong);
        const computations = stubComputations(() => false);
        await logIn(client, { ...wrong, email: 'nobody@boutique.example' });
        return computations.length === 1 ? 'costs a hash' : 'costs no hash';
      }));

    it('30 wrong passwords in a row', () =>
      expectRow('30 wrong passwords in a row', async (client) => {
        stubComputations(() => false);
        const statuses: number[] = [];
        for (let attempt = 0; attempt < 30; attempt += 1) statuses.push((await logIn(client, wrong)).status);
        const refusals = statuses.filter((status) => status === 401).length;
        expect(new Set(statuses.slice(refusals))).to.deep.equal(new Set(refusals === 30 ? [] : [429]));
        return refusals === 30 ? 'no limit' : `429 after ${refusals}`;
      }));

    it('100 logins at once', () =>
      expectRow('100 logins at once', async (client) => {
        lookups = 0;
        const computations = holdComputations();
        // The end of the test closes the connections of these requests.
        for (let index = 0; index < 100; index += 1) {
          logIn(client, { ...wrong, password: `wrong ${index}` }).catch(() => undefined);
        }
        await until(() => lookups === 100);
        await settle();
        const most = computations.length;
        expect(most).to.be.above(0);
        return most < 100 && most <= os.availableParallelism() ? 'bounded' : `${most} hashes`;
      }));
  });

  it('lists the exports of the packages that only check tokens', () => {
    const namesOf = (module: object) =>
      Object.keys(module)
        .filter((name) => name !== 'default')
        .sort();
    const exportsIn = (name: string) => {
      const [, section = ''] = readPage(PAGE).split(`\n## ${name}\n`);
      const [, list = ''] = /^Exports: ([^.]*)\./m.exec(section) ?? [];
      return [...list.matchAll(/`(\w+)`/g)].map(([, exported]) => exported);
    };
    expect(exportsIn('express-jwt')).to.deep.equal(namesOf(expressJwt));
    expect(exportsIn('express-oauth2-jwt-bearer')).to.deep.equal(namesOf(oauth2JwtBearer));
  });

  describe('the other packages', () => {
    const verifier = { algorithms: ['HS256' as const], issuer: ISSUER, audience: AUDIENCE };

    /** Defines a test whose title is an item of the page. */
    const claim = (sentence: string, run: () => Promise<void>) =>
      it(sentence, async () => {
        expect(readPage(PAGE)).to.include(`\n- ${sentence}\n`);
        await run();
      });

    claim('Its `secret` can be a function of the request and the token, so that each tenant has a key.', async () => {
      const secret = (req: express.Request) => Promise.resolve(req.path === '/ours' ? SECRET : 'another secret');
      const client = await serve(guarded(express, expressjwt({ ...verifier, secret })));
      const headers = bearer(tokens.issue(AWA));
      expect((await client.send('GET', '/ours', { headers })).text).to.equal('accepted');
      expect((await client.send('GET', '/theirs', { headers })).status).to.equal(401);
    });

    claim('Its option `credentialsRequired: false` accepts requests without a token.', async () => {
      const guard = expressjwt({ ...verifier, secret: SECRET, credentialsRequired: false });
      expect((await (await serve(guarded(express, guard))).send('GET', '/')).text).to.equal('accepted');
    });

    claim('Its `unless` excludes paths from the check.', async () => {
      const guard = expressjwt({ ...verifier, secret: SECRET }).unless({ path: ['/healthz'] });
      const client = await serve(guarded(express, guard as RequestHandler));
      expect((await client.send('GET', '/healthz')).text).to.equal('accepted');
      expect((await client.send('GET', '/')).status).to.equal(401);
    });

    claim('Its `requiredScopes` answers 403 to a token without the scope.', async () => {
      const settings = { issuer: ISSUER, audience: AUDIENCE, secret: SECRET, tokenSigningAlg: 'HS256' };
      const app = express().use(oauth2JwtBearer.auth(settings), oauth2JwtBearer.requiredScopes('read'));
      app.use((_req, res) => void res.send('accepted'));
      const client = await serve(app);
      expect((await sendToken(client, {}, { scope: 'write' })).status).to.equal(403);
      expect((await sendToken(client, {}, { scope: 'read' })).text).to.equal('accepted');
    });
  });

  it('gives the versions that are tested, and the numbers of packages that they install', () => {
    const [, ...rows] = tableOf('name');
    const listed = rows.slice(0, -1).map(([names = '', version = '', installed]) => {
      return { names: names === 'this package' ? [''] : names.split(', '), version: version.split(', '), installed };
    });
    const root = JSON.parse(readPage('package.json')) as Manifest;
    for (const { names, version, installed } of listed) {
      const found = names.map((name) => (name === '' ? root : manifestOf(path.join(MODULES, name))));
      expect(found.map((manifest) => manifest.version)).to.deep.equal(version);
      const folders = new Set(names.map((name) => (name === '' ? ROOT : path.join(MODULES, name))));
      for (const folder of folders) for (const needed of dependenciesOf(folder)) folders.add(needed);
      expect(String(folders.size), names.join()).to.equal(installed);
    }
  });
});

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
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

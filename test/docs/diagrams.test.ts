import { expect } from 'chai';
import express, { type Express } from 'express';
import { type AuthErrorCode, catalogue } from '../../src/errors/catalogue.js';
import * as auth from '../../src/index.js';
import { type Operation, refusalsOf } from '../../src/openapi/responses.js';
import { createTestTokens } from '../../src/testing/index.js';
import { AWA, FERMEE, KOFI, PASSWORD } from '../helpers/accounts.js';
import { type Answer, bearer, type Client, serve } from '../helpers/http.js';
import { fillHalf } from '../helpers/logins-in-progress.js';
import { quickAccountStore, quickPasswords } from '../helpers/quick-passwords.js';
import { readPage } from '../helpers/snippets.js';
import { until } from '../helpers/until.js';

const WRONG = 'not the password';

/** Returns the refusals that a diagram names, from its top to its bottom. */
function namedIn(file: string): string[] {
  const texts = readPage(file).matchAll(/<text class="refusal" x="\d+" y="(\d+)">([^<]*)<\/text>/g);
  const found = [...texts].map(([, y, text = '']) => ({ y: Number(y), text }));
  expect(found).to.deep.equal([...found].sort((one, other) => one.y - other.y));
  return found.map(({ text }) => text);
}

/** Returns all refusals of an operation, as a diagram names them. */
function refusals(operation: Operation): string[] {
  const codes = refusalsOf(operation, 'merchant').flatMap(({ response }) => {
    return Object.keys(response.content['application/json'].examples) as AuthErrorCode[];
  });
  // Express refuses the URL, at a route behind the guard.
  return codes.filter((code) => code !== 'invalid_url').map((code) => `${catalogue[code].status} ${code}`);
}

function refusalIn({ status, json }: Answer): string {
  return `${status} ${(json as { error: string }).error}`;
}

interface ReplaceableStore {
  readonly userStore: auth.UserStore;
  /** The number of lookups. */
  asked: number;
  /** Returns the result of a lookup. A test can replace it. */
  answer: (found: Promise<unknown>) => Promise<unknown>;
}

function replaceableStore(): ReplaceableStore {
  const accounts = quickAccountStore();
  const ask = <Found>(found: Promise<Found>) => {
    store.asked += 1;
    return store.answer(found) as Promise<Found>;
  };
  const store: ReplaceableStore = {
    asked: 0,
    answer: (found) => found,
    userStore: {
      findCredentials: (identifier) => ask(accounts.findCredentials(identifier)),
      findById: (id) => ask(accounts.findById(id)),
    },
  };
  return store;
}

const away = () => Promise.reject(new Error('the database is away'));

function serveWithErrors(app: Express): Promise<Client> {
  return serve(app.use(auth.authErrorHandler({ log: () => undefined })));
}

describe('docs/guard.svg', () => {
  const NAMED = namedIn('docs/guard.svg');

  it('names every refusal of a guarded request once', () => {
    expect(NAMED).to.have.members(refusals('Guarded'));
  });

  it('names the refusals in their order', async () => {
    const tokens = auth.createTokens();
    const store = replaceableStore();
    const app = express();
    app.use(auth.requireBearer({ userStore: store.userStore, tokens }));
    app.post('/transactions', auth.requireOwnReference(), (_req, res) => void res.sendStatus(204));
    const client = await serveWithErrors(app);
    const JSON_TYPE = { 'Content-Type': 'application/json' };
    const good = { ...JSON_TYPE, ...bearer(tokens.issue(AWA)) };
    const answers: string[] = [];
    /** Sends a request that also breaks the rules of every later step. */
    const send = async (headers: Readonly<Record<string, string>>, query = 'refercence_cl=CNT-1002', body = '{') => {
      answers.push(refusalIn(await client.send('POST', `/transactions?${query}`, { headers, body })));
    };

    store.answer = away;
    await send(JSON_TYPE);
    await send({ ...JSON_TYPE, ...bearer('not-a-token') });
    await send({ ...JSON_TYPE, ...bearer(createTestTokens(tokens).expired(AWA)) });
    await send(good);
    store.answer = () => Promise.resolve({ id: 1 });
    await send(good);
    store.answer = () => Promise.resolve(null);
    await send(good);
    store.answer = (found) => found;
    await send(good, '');
    await send(good, 'refercence_cl[0]=BTQ-1001', '{}');
    await send(good, 'refercence_cl=CNT-1002', '{}');
    await send({ ...good, 'Content-Type': 'text/plain' }, '', 'a text');
    await send(good, '', '{}');
    expect(answers).to.deep.equal(NAMED);
    const own = { headers: good, body: '{"refercence_cl":"BTQ-1001"}' };
    expect((await client.send('POST', '/transactions', own)).status).to.equal(204);
  });
});

describe('docs/login.svg', () => {
  const NAMED = namedIn('docs/login.svg');

  it('names every refusal of a login', () => {
    expect([...new Set(NAMED)]).to.have.members(refusals('Login'));
  });

  it('names the refusals in their order', async () => {
    const quick = quickPasswords(auth.createPasswords, { maxConcurrentHashes: 2 });
    const serveLogin = async (options: auth.LoginOptions) => {
      const store = replaceableStore();
      const { passwords } = quick;
      const login = auth.createLogin(store.userStore, { passwords, ...options });
      const client = await serveWithErrors(express().use(auth.createLoginRouter(login)));
      const logIn = (email: string, password: string) => client.send('POST', '/login', { body: { email, password } });
      return { store, login, logIn };
    };
    /** Holds all comparisons until the returned function runs. */
    const holdHashes = () => {
      const { verify } = quick;
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      quick.verify = (password, hash) => held.then(() => verify(password, hash));
      return () => {
        quick.verify = verify;
        release();
      };
    };
    const answers: string[] = [];
    const refuse = async (answer: Promise<Answer>) => void answers.push(refusalIn(await answer));

    const full = await serveLogin({ throttle: false });
    const releaseFirst = holdHashes();
    const half = fillHalf(full.login, '127.0.0.1');
    await until(() => full.store.asked === half.length);
    await refuse(full.logIn('no-at-sign', PASSWORD));
    releaseFirst();
    await Promise.all(half);

    const limit = { emailAndSource: { failures: 1, seconds: 900 } };
    const limited = await serveLogin({ throttle: auth.createLoginThrottle(limit) });
    expect((await limited.logIn(AWA.email, WRONG)).status).to.equal(401);
    limited.store.answer = away;
    await refuse(limited.logIn('no-at-sign', WRONG));
    await refuse(limited.logIn(AWA.email, WRONG));

    // Two logins compute, and the third waits in the only place.
    const crowded = await serveLogin({ throttle: false, maxPendingLogins: 1 });
    const releasePlaces = holdHashes();
    const inside = [AWA, KOFI].map(({ email }) => crowded.logIn(email, PASSWORD));
    const compared = quick.compared.length;
    await until(() => quick.compared.length === compared + 2);
    inside.push(crowded.logIn('ama@marche.example', PASSWORD));
    await until(() => crowded.store.asked === 3);
    crowded.store.answer = away;
    await refuse(crowded.logIn(FERMEE.email, WRONG));
    expect(crowded.store.asked).to.equal(3);
    releasePlaces();
    expect((await Promise.all(inside)).map(({ status }) => status)).to.deep.equal([200, 200, 401]);

    const free = await serveLogin({ throttle: auth.createLoginThrottle(limit) });
    free.store.answer = away;
    await refuse(free.logIn(FERMEE.email, WRONG));
    free.store.answer = () => Promise.resolve({ account: { id: 1 } });
    await refuse(free.logIn(FERMEE.email, WRONG));
    free.store.answer = (found) => found;

    // Both pass the check before the hash. Only one failure is allowed.
    const releaseBurst = holdHashes();
    const before = quick.compared.length;
    const burst = [`${WRONG} 1`, `${WRONG} 2`].map((password) => free.logIn(FERMEE.email, password));
    await until(() => quick.compared.length === before + 2);
    releaseBurst();
    const failed = (await Promise.all(burst)).map(refusalIn);
    answers.push(...failed.sort().reverse());

    const other = await serveLogin({ throttle: false });
    await refuse(other.logIn(FERMEE.email, PASSWORD));
    expect(answers).to.deep.equal(NAMED);
    expect((await other.logIn(AWA.email, PASSWORD)).status).to.equal(200);
  });
});

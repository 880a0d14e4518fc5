import { inspect } from 'node:util';
import { expect } from 'chai';
import type { Router } from 'express';
import { accountStore, AWA, FERMEE, KOFI, PASSWORD, withPassword, WRONG } from '../helpers/accounts.js';
import { expectMalformedAccount, expectRevokedToken, expectWrongCredentials } from '../helpers/answers.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { type Answer, bearer, type Client, serve } from '../helpers/http.js';
import { logIn, type LoginHostConfig, serveLogin, tokenOf } from '../helpers/login-host.js';
import { FRAMEWORK } from '../helpers/framework.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';
import { QUICK_HASH, quickAccountStore } from '../helpers/quick-passwords.js';
import { expectTypeError } from '../helpers/thrown.js';
import { settle, until } from '../helpers/until.js';
import { startLogin } from '../helpers/waiting-login.js';
import {
  type AuthError,
  createPasswords,
  createTokens,
  InMemoryUserStore,
  type LoginOptions,
  type UserStore,
} from '../../src/index.js';

onEachExpress('createLoginRouter', (framework) => {
  const { auth } = framework;

  it('answers the success body with exactly its members, in their order (ASVS 14.2.6, 14.3.2, 15.3.1)', async () => {
    const { client } = await servePayments(framework);
    const answer = await logIn(client);
    const token = tokenOf(answer);
    expect(answer.text).to.equal(
      '{"status":"Success","success":true,"code":200,"message":"Login success",' +
        '"user":{"email":"awa@boutique.example","phone":"+2250700000001"},' +
        '"marchand":{"referencl":"BTQ-1001","statut":1},' +
        `"authorisation":{"token":"${token}","type":"bearer"}}`,
    );
    expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).to.equal('no-store');
    expect(auth.createTokens().verify(token)).to.include({ sub: AWA.id, referencl: 'BTQ-1001' });
  });

  it('counts the bytes of its answer, not its characters', async () => {
    const account = { ...AWA, email: 'aïcha@épicerie.example', phone: '٠٧' };
    const { logIn } = await serveLogin({ framework, store: quickAccountStore([account]) });
    const answer = await logIn(account.email);
    expect((answer.json as { user: unknown }).user).to.deep.equal({ email: account.email, phone: account.phone });
    expect(Number(answer.headers['content-length'])).to.equal(Buffer.byteLength(answer.text));
  });

  it('answers only POST, and only at its own path (ASVS 4.1.4)', async () => {
    const { client } = await serveLogin({ framework });
    for (const [method, path] of [
      ['GET', '/v1/login'],
      ['PUT', '/v1/login'],
      ['OPTIONS', '/v1/login'],
      ['POST', '/v1/logins'],
      ['POST', '/login'],
    ] as const) {
      expect((await client.send(method, path)).status, `${method} ${path}`).to.equal(404);
    }
  });

  it('never shows the password, also not in the cause of an error', async () => {
    const causes: unknown[] = [];
    const { client } = await serveLogin({
      framework,
      respond: (error, _req, res) => {
        causes.push(error);
        res.end();
      },
    });
    const bodies = [`{"email":"${AWA.email}","password":"${PASSWORD}"`, `{"password":"${PASSWORD}"}`, `"${PASSWORD}"`];
    for (const body of bodies) {
      await client.send('POST', '/v1/login', { body, headers: { 'Content-Type': 'application/json' } });
    }
    expect(causes).to.have.length(3);
    expect(inspect(causes, { depth: 10, showHidden: true })).not.to.include(PASSWORD.slice(0, 6));
  });

  it('never reads credentials from the query string (ASVS 14.2.1)', async () => {
    const { client } = await servePayments(framework);
    const query = `?email=${AWA.email}&password=${PASSWORD}`;
    const answer = await client.send('POST', `/v1/login${query}`, { body: {} });
    expect(answer.status).to.equal(400);
    const wrong = { email: KOFI.email, password: WRONG };
    expectWrongCredentials(await client.send('POST', `/v1/login${query}`, { body: wrong }));
  });

  it('passes the rejection of a hasher to next(error), also one without a reason, and never answers 401 (ASVS 11.2.5)', async () => {
    for (const reason of [new Error('out of memory'), new DOMException('of the format', 'AbortError'), undefined]) {
      const { quick, hostErrors, logIn } = await serveLogin({ framework });
      quick.verify = () => Promise.reject(reason);
      expect((await logIn()).status).to.equal(500);
      expect(hostErrors).to.have.length(1);
      if (reason) expect(hostErrors[0]).to.equal(reason);
    }
  });

  it('calls respond for refusals, and never for a success', async () => {
    const { client } = await servePayments(framework, {
      login: {
        respond: (error, _req, res) => {
          res.statusCode = 418;
          res.end(error.code);
        },
      },
    });
    const refused = await logIn(client, AWA.email, WRONG);
    expect([refused.status, refused.text]).to.deep.equal([418, 'wrong_credentials']);
    const invalid = await client.send('POST', '/v1/login', { body: {} });
    expect([invalid.status, invalid.text]).to.deep.equal([418, 'invalid_body']);
    expect((await logIn(client)).status).to.equal(200);
  });

  it('never calls next with the AbortError of a disconnected caller, and writes nothing', async () => {
    const refused: unknown[] = [];
    const gone: { headersSent: boolean }[] = [];
    const host = await serveLogin({
      framework,
      hashing: { maxConcurrentHashes: 1 },
      before: [
        (_req, res, next) => {
          res.once('close', () => res.writableEnded || gone.push(res));
          next();
        },
      ],
      respond: (error, _req, _res, next) => next(refused.push(error)),
    });
    const { quick, asked, hostErrors } = host;
    const end = quick.hold();
    const first = host.logIn();
    await until(() => quick.compared.length === 1);
    const waiting = startLogin(host.client.port, AWA.email, WRONG);
    await until(() => asked.length === 2);
    await settle();
    waiting.hangUp();
    await until(() => gone.length === 1);
    await settle();
    end();
    expect((await first).status).to.equal(200);
    await settle();
    expect([hostErrors, refused, quick.compared.length]).to.deep.equal([[], [], 1]);
    expect(gone[0]?.headersSent).to.equal(false);
  });
});

describe('POST /login', () => {
  it('answers an unknown email, a wrong password and an account without a password with the same bytes and headers (ASVS 6.3.8)', async () => {
    const accounts = quickAccountStore();
    const { logIn } = await serveLogin({
      store: {
        findCredentials: async (email) =>
          email === KOFI.email ? { account: KOFI, passwordHash: null } : accounts.findCredentials(email),
      },
    });
    const wrong = await logIn(AWA.email, WRONG);
    expectWrongCredentials(wrong);
    for (const other of [await logIn('nobody@boutique.example'), await logIn(KOFI.email)]) {
      expect(other.text).to.equal(wrong.text);
      expect({ ...other.headers, date: '' }).to.deep.equal({ ...wrong.headers, date: '' });
    }
  });

  it('accepts only true as a match (ASVS 15.3.5)', async () => {
    const { quick, logIn } = await serveLogin();
    for (const match of [{ ok: false }, 1, 'false', [], undefined]) {
      quick.verify = () => Promise.resolve(match as never);
      expectWrongCredentials(await logIn());
    }
  });

  it('issues a token of the time and the tokensValidAfter of the read, so a later change of password revokes it', async () => {
    let now = 1_800_000_000_000;
    const tokens = createTokens({ clock: () => now });
    const readAtLogin = new Date(now - 3_600_000);
    const accounts = quickAccountStore([{ ...AWA, tokensValidAfter: readAtLogin }]);
    const { logIn } = await serveLogin({
      tokens,
      store: {
        async findCredentials(email) {
          const found = await accounts.findCredentials(email);
          now += 70_000;
          return found;
        },
      },
    });
    const token = tokenOf(await logIn());
    expect(tokens.verify(token)).to.include({
      iat: 1_800_000_000,
      exp: 1_800_018_000,
      valid_after: readAtLogin.getTime(),
    });
    const changedAt = new Date(1_800_000_005_000);
    const { store, client } = await servePayments(FRAMEWORK, { guard: { tokens } });
    const ask = () => client.send('GET', '/v1/guarded', { headers: bearer(token) });
    store.put({ ...withPassword(AWA), tokensValidAfter: readAtLogin });
    expect((await ask()).status).to.equal(200);
    store.put({ ...withPassword(AWA), tokensValidAfter: changedAt });
    expectRevokedToken(await ask());
  });

  it('issues a token of the tokensValidAfter of the read, even when the store changes the object that it returned', async () => {
    const tokens = createTokens();
    const account = { ...AWA, tokensValidAfter: new Date(1_700_000_000_000) };
    const findCredentials = () => Promise.resolve({ account, passwordHash: QUICK_HASH });
    const { quick, logIn } = await serveLogin({ tokens, store: { findCredentials } });
    quick.verify = () => {
      account.tokensValidAfter = new Date();
      return Promise.resolve(true);
    };
    expect(tokens.verify(tokenOf(await logIn())).valid_after).to.equal(1_700_000_000_000);
  });

  it('accepts an account with a member named then', async () => {
    const found = { account: { ...AWA, then: () => undefined }, passwordHash: QUICK_HASH };
    const { logIn } = await serveLogin({ store: { findCredentials: () => Promise.resolve(found) } });
    expect((await logIn()).status).to.equal(200);
  });

  it('neither trims, nor folds, nor normalises email and password (ASVS 6.2.8)', async () => {
    const { asked, logIn } = await serveLogin();
    const emails = [' awa@boutique.example', 'AWA@boutique.example', 'e\u0301@boutique.example', '%@_\'"\\.example'];
    for (const email of emails) expectWrongCredentials(await logIn(email));
    expectWrongCredentials(await logIn(AWA.email, `${PASSWORD} `));
    expect(asked).to.deep.equal([...emails, AWA.email]);
  });

  it('answers a malformed account with 500 and names the member to the host, whatever the password', async () => {
    const cases: [string, unknown][] = [
      ['id', { ...AWA, id: 1 }],
      ['email', { ...AWA, email: '' }],
      ['phone', { ...AWA, phone: null }],
      ['marchand.referencl', { ...AWA, marchand: { referencl: '', statut: 1 } }],
      ['marchand.referencl', { ...AWA, marchand: undefined }],
      ['marchand.statut', { ...AWA, marchand: { referencl: 'BTQ-1001', statut: '1' } }],
      ['marchand.statut', { ...AWA, marchand: { referencl: 'BTQ-1001', statut: 1.5 } }],
      ['disabled', { ...AWA, disabled: 0 }],
      ['tokensValidAfter', { ...AWA, tokensValidAfter: '2026-01-01' }],
      ['tokensValidAfter', { ...AWA, tokensValidAfter: new Date(Number.NaN) }],
    ];
    const store: LoginHostConfig['store'] = {};
    const { hostErrors, logIn } = await serveLogin({ store });
    for (const [member, account] of cases) {
      store.findCredentials = () => Promise.resolve({ account: account as typeof AWA, passwordHash: QUICK_HASH });
      for (const password of [PASSWORD, WRONG]) {
        expectMalformedAccount(await logIn(AWA.email, password));
        const [error, ...more] = hostErrors.splice(0) as AuthError[];
        expect(more).to.deep.equal([]);
        expect(error?.detail)
          .to.match(/^UserStore\.findCredentials returned an account whose /)
          .and.include(` ${member} is not `);
      }
    }
  });

  it('answers each of many overlapping logins with its own account (ASVS 15.4.1)', async () => {
    const accounts = Array.from({ length: 200 }, (_unused, i) => ({
      ...AWA,
      id: `id-${i}`,
      email: `merchant-${i}@boutique.example`,
      marchand: { referencl: `REF-${i}`, statut: i },
    }));
    const { logIn } = await serveLogin({ store: quickAccountStore(accounts) });
    const answers = await Promise.all(accounts.map(({ email }) => logIn(email)));
    answers.forEach((answer, i) => {
      expect(answer.json).to.deep.include({ marchand: accounts[i]?.marchand });
    });
  });

  it('accepts a password that contains NUL', async () => {
    const password = 'baobab\u00002026';
    const passwords = createPasswords();
    const store = new InMemoryUserStore([{ ...AWA, passwordHash: await passwords.hash(password) }]);
    const { logIn } = await serveLogin({ store, passwords });
    expect((await logIn(AWA.email, password)).status).to.equal(200);
    expectWrongCredentials(await logIn(AWA.email, 'baobab'));
  });
});

onEachExpress('createLoginRouter with a Login', ({ auth, express }) => {
  /** The answers of a router to the same requests, with each token replaced. */
  async function answersOf(mount: (userStore: UserStore, options: LoginOptions) => Router) {
    freezeTime();
    const accounts = accountStore();
    const outage: { error?: Error } = {};
    const userStore: UserStore = {
      findById: (id) => accounts.findById(id),
      findCredentials: (email) => (outage.error ? Promise.reject(outage.error) : accounts.findCredentials(email)),
    };
    const options = { tokens: auth.createTokens({ realm: 'shops' }), storeTimeoutMs: 1_000 };
    const app = express();
    app.use('/v1', mount(userStore, options));
    app.use(auth.authErrorHandler({ log: () => undefined }));
    const client = await serve(app);
    const answers: object[] = [];
    const send = async (...args: Parameters<Client['send']>) => {
      const { status, headers, text } = await client.send(...args);
      const [, token] = /"token":"([^"]+)"/.exec(text) ?? [];
      if (token !== undefined) expect(options.tokens.verify(token)).to.include({ sub: AWA.id });
      answers.push({ status, text: text.replace(token ?? '', 'a token'), headers: { ...headers, date: '' } });
    };
    const body = { email: AWA.email, password: PASSWORD };
    await send('POST', '/v1/login', { body });
    await send('POST', '/v1/login', { body: { ...body, password: WRONG } });
    await send('POST', '/v1/login', { body: { email: FERMEE.email, password: PASSWORD } });
    await send('POST', '/v1/login', { body: { email: 'a@b', password: 5 } });
    await send('POST', '/v1/login', { body: '{', headers: { 'Content-Type': 'application/json' } });
    await send('POST', '/v1/login', { body: 'a=b', headers: { 'Content-Type': 'text/plain' } });
    for (const method of ['GET', 'OPTIONS', 'HEAD', 'PUT']) await send(method, '/v1/login');
    await send('POST', '/v1/other', { body });
    outage.error = new Error('down');
    await send('POST', '/v1/login', { body });
    delete outage.error;
    for (let time = 0; time < 12; time++) {
      await send('POST', '/v1/login', { body: { email: KOFI.email, password: WRONG } });
    }
    return answers;
  }

  it('answers byte for byte as with the store and the same options', async () => {
    const ofStore = await answersOf((userStore, options) => auth.createLoginRouter(userStore, options));
    const ofLogin = await answersOf((userStore, options) =>
      auth.createLoginRouter(auth.createLogin(userStore, options)),
    );
    expect(ofLogin).to.deep.equal(ofStore);
    expect(ofStore.map((answer) => (answer as Answer).status)).to.deep.equal([
      ...[200, 401, 401, 400, 400, 400, 404, 404, 404, 404, 404, 503],
      ...Array.from({ length: 10 }, () => 401),
      ...[429, 429],
    ]);
  });

  it('gives the refusals to its respond', async () => {
    const codes: string[] = [];
    const app = express();
    const login = auth.createLogin(accountStore());
    const router = auth.createLoginRouter(login, {
      respond: (error, _req, res) => {
        codes.push(error.code);
        res.status(418).end();
      },
    });
    app.use('/v1', router);
    const client = await serve(app);
    const send = (body: object) => client.send('POST', '/v1/login', { body });
    expect((await send({ email: AWA.email, password: WRONG })).status).to.equal(418);
    expect((await send({})).status).to.equal(418);
    expect((await send({ email: AWA.email, password: PASSWORD })).status).to.equal(200);
    expect(codes).to.deep.equal(['wrong_credentials', 'invalid_body']);
  });

  it('has no option except respond', () => {
    const login = auth.createLogin(accountStore());
    const values = { tokens: auth.createTokens(), throttle: false, storeTimeoutMs: 5, digestKey: 'x', unknown: 1 };
    for (const [name, value] of Object.entries(values)) {
      expectTypeError(
        () => auth.createLoginRouter(login, { [name]: value }),
        `createLoginRouter: unknown option "${name}". Known options: respond.`,
      );
    }
    expectTypeError(
      () => auth.createLoginRouter(login, { respond: 'json' as never }),
      'createLoginRouter: respond must be a function.',
    );
  });

  it('accepts no other object as a Login', () => {
    const login = auth.createLogin(accountStore());
    const message =
      'createLoginRouter: the userStore has no method findCredentials. Give an object that implements UserStore.';
    for (const other of [{ attempt: () => login.attempt.bind(login) }, Object.assign({}, login), {}, undefined, null]) {
      expectTypeError(() => auth.createLoginRouter(other as never), message);
    }
  });
});

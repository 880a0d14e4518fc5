import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { expect } from 'chai';
import type { Router } from 'express';
import { accountStore, AWA, FERMEE, KOFI, PASSWORD, withPassword } from '../helpers/accounts.js';
import {
  expectAccountDisabled,
  expectMalformedAccount,
  expectRevokedToken,
  expectStoreUnavailable,
  expectWrongCredentials,
} from '../helpers/answers.js';
import { stubComputations } from '../helpers/computations.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { PHC_OF_PASSWORD } from '../helpers/hashes.js';
import { type Answer, bearer, type Client, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';
import { QUICK_HASH, quickAccountStore, quickPasswords } from '../helpers/quick-passwords.js';
import { expectTypeError } from '../helpers/thrown.js';
import { settle, until } from '../helpers/until.js';
import { startLogin } from '../helpers/waiting-login.js';
import type { AuthError, LoginOptions, LoginRouterOptions, UserStore } from '../../src/index.js';

onEachExpress('createLoginRouter', (framework) => {
  const { auth, express } = framework;

  async function serveLogin(userStore: UserStore, options: LoginRouterOptions = {}): Promise<Client> {
    const app = express();
    app.use('/v1', auth.createLoginRouter(userStore, options));
    app.use(auth.authErrorHandler());
    return serve(app);
  }

  function logIn(client: Client, email: string, password: string) {
    return client.send('POST', '/v1/login', { body: { email, password } });
  }

  it('answers the success body with exactly its members, in their order (ASVS 14.2.6, 14.3.2, 15.3.1)', async () => {
    const { client } = await servePayments(framework);
    const answer = await logIn(client, AWA.email, PASSWORD);
    const { authorisation } = answer.json as { authorisation: { token: string } };
    expect(answer.status).to.equal(200);
    expect(answer.text).to.equal(
      '{"status":"Success","success":true,"code":200,"message":"Login success",' +
        '"user":{"email":"awa@boutique.example","phone":"+2250700000001"},' +
        '"marchand":{"referencl":"BTQ-1001","statut":1},' +
        `"authorisation":{"token":"${authorisation.token}","type":"bearer"}}`,
    );
    expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).to.equal('no-store');
    expect(auth.createTokens().verify(authorisation.token)).to.include({ sub: AWA.id, referencl: 'BTQ-1001' });
  });

  it('counts the bytes of its answer, not its characters', async () => {
    const account = { ...AWA, email: 'aïcha@épicerie.example', phone: '٠٧' };
    const client = await serveLogin(new auth.InMemoryUserStore([withPassword(account)]));
    const answer = await logIn(client, account.email, PASSWORD);
    expect((answer.json as { user: unknown }).user).to.deep.equal({ email: account.email, phone: account.phone });
    expect(Number(answer.headers['content-length'])).to.equal(Buffer.byteLength(answer.text));
  });

  it('answers only POST, and only at its own path (ASVS 4.1.4)', async () => {
    const client = await serveLogin(accountStore());
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

  it('answers an unknown email, a wrong password and an account without a password with the same bytes and headers (ASVS 6.3.8)', async () => {
    const known = withPassword(AWA);
    const found = new auth.InMemoryUserStore([known]);
    const client = await serveLogin({
      findById: (id) => found.findById(id),
      findCredentials: async (email) =>
        email === KOFI.email ? { account: KOFI, passwordHash: null } : found.findCredentials(email),
    });
    const wrong = await logIn(client, AWA.email, 'not the password');
    const unknown = await logIn(client, 'nobody@boutique.example', PASSWORD);
    const without = await logIn(client, KOFI.email, PASSWORD);
    expectWrongCredentials(wrong);
    for (const other of [unknown, without]) {
      expect(other.text).to.equal(wrong.text);
      expect({ ...other.headers, date: '' }).to.deep.equal({ ...wrong.headers, date: '' });
    }
  });

  it('computes one hash for an unknown email, a known one and an unusable hash alike', async () => {
    const computations = stubComputations(() => true);
    const client = await serveLogin({
      findById: () => Promise.resolve(null),
      findCredentials: async (email) =>
        email === KOFI.email ? { account: KOFI, passwordHash: 'unusable' } : accountStore().findCredentials(email),
    });
    expect((await logIn(client, AWA.email, PASSWORD)).status).to.equal(200);
    expectWrongCredentials(await logIn(client, 'nobody@boutique.example', PASSWORD));
    expectWrongCredentials(await logIn(client, KOFI.email, PASSWORD));
    expect(computations.map(({ kind, password }) => [kind, password])).to.deep.equal(
      Array.from({ length: 3 }, () => ['verify', PASSWORD]),
    );
    expect(computations[0]?.hash).to.equal(PHC_OF_PASSWORD);
    for (const { hash } of computations.slice(1)) {
      expect(hash)
        .to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
        .and.not.equal(PHC_OF_PASSWORD);
    }
  });

  it('never accepts the match of a decoy as a login', async () => {
    const { passwords } = quickPasswords(auth.createPasswords, { decoyHashes: [QUICK_HASH] });
    const client = await serveLogin(accountStore(), { passwords });
    expectWrongCredentials(await logIn(client, 'nobody@boutique.example', PASSWORD));
  });

  it('accepts only true as a match (ASVS 15.3.5)', async () => {
    for (const match of [{ ok: false }, 1, 'false', [], undefined]) {
      const quick = quickPasswords(auth.createPasswords);
      quick.verify = () => Promise.resolve(match as never);
      const client = await serveLogin(quickAccountStore(), { passwords: quick.passwords });
      expectWrongCredentials(await logIn(client, AWA.email, PASSWORD));
    }
  });

  it('issues a token of the time and the tokensValidAfter of the read, so a later change of password revokes it', async () => {
    let now = 1_800_000_000_000;
    const tokens = auth.createTokens({ clock: () => now });
    const accounts = (tokensValidAfter: Date) =>
      new auth.InMemoryUserStore([{ ...AWA, tokensValidAfter, passwordHash: QUICK_HASH }]);
    const { passwords } = quickPasswords(auth.createPasswords);
    const readAtLogin = new Date(now - 3_600_000);
    const store = accounts(readAtLogin);
    const client = await serveLogin(
      {
        findById: (id) => store.findById(id),
        async findCredentials(email) {
          const found = await store.findCredentials(email);
          now += 70_000;
          return found;
        },
      },
      { tokens, passwords },
    );
    const answer = await logIn(client, AWA.email, PASSWORD);
    const { token } = (answer.json as { authorisation: { token: string } }).authorisation;
    expect(tokens.verify(token)).to.include({
      iat: 1_800_000_000,
      exp: 1_800_018_000,
      valid_after: readAtLogin.getTime(),
    });
    const changedAt = new Date(1_800_000_005_000);
    for (const [tokensValidAfter, check] of [
      [readAtLogin, (guarded: Answer) => expect(guarded.text).to.equal('let in')],
      [changedAt, expectRevokedToken],
    ] as const) {
      const app = express();
      app.use(auth.requireBearer({ userStore: accounts(tokensValidAfter), tokens }));
      app.use((_req: unknown, res: ServerResponse) => void res.end('let in'));
      app.use(auth.authErrorHandler());
      check(await (await serve(app)).send('GET', '/', { headers: bearer(token) }));
    }
  });

  it('issues a token of the tokensValidAfter of the read, also when the store changes the object that it returned', async () => {
    const tokens = auth.createTokens();
    const quick = quickPasswords(auth.createPasswords);
    const account = { ...AWA, tokensValidAfter: new Date(1_700_000_000_000) };
    quick.verify = () => {
      account.tokensValidAfter = new Date();
      return Promise.resolve(true);
    };
    const store = {
      findById: () => Promise.resolve(account),
      findCredentials: () => Promise.resolve({ account, passwordHash: QUICK_HASH }),
    };
    const client = await serveLogin(store, { tokens, passwords: quick.passwords });
    const answer = await logIn(client, AWA.email, PASSWORD);
    const { token } = (answer.json as { authorisation: { token: string } }).authorisation;
    expect(tokens.verify(token).valid_after).to.equal(1_700_000_000_000);
  });

  it('accepts an account with a member named then', async () => {
    const found = { account: { ...AWA, then: () => undefined }, passwordHash: QUICK_HASH };
    const userStore = { findById: () => Promise.resolve(null), findCredentials: () => Promise.resolve(found) };
    const { passwords } = quickPasswords(auth.createPasswords);
    expect((await logIn(await serveLogin(userStore, { passwords }), AWA.email, PASSWORD)).status).to.equal(200);
  });

  it('never shows the password, also not in the cause of an error', async () => {
    const causes: unknown[] = [];
    const client = await serveLogin(accountStore(), {
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

  it('reveals a disabled account only after the right password', async () => {
    const { client } = await servePayments(framework);
    expectWrongCredentials(await logIn(client, FERMEE.email, 'not the password'));
    expectAccountDisabled(await logIn(client, FERMEE.email, PASSWORD));
  });

  it('neither trims, nor folds, nor normalises email and password (ASVS 6.2.8)', async () => {
    const asked: string[] = [];
    const store = accountStore();
    const client = await serveLogin({
      findById: (id) => store.findById(id),
      findCredentials: (email) => {
        asked.push(email);
        return store.findCredentials(email);
      },
    });
    const emails = [' awa@boutique.example', 'AWA@boutique.example', 'e\u0301@boutique.example', '%@_\'"\\.example'];
    for (const email of emails) expectWrongCredentials(await logIn(client, email, PASSWORD));
    expectWrongCredentials(await logIn(client, AWA.email, `${PASSWORD} `));
    expect(asked).to.deep.equal([...emails, AWA.email]);
  });

  it('never reads credentials from the query string (ASVS 14.2.1)', async () => {
    const { client } = await servePayments(framework);
    const query = `?email=${AWA.email}&password=${PASSWORD}`;
    const answer = await client.send('POST', `/v1/login${query}`, { body: {} });
    expect(answer.status).to.equal(400);
    const wrong = { email: KOFI.email, password: 'not the password' };
    expectWrongCredentials(await client.send('POST', `/v1/login${query}`, { body: wrong }));
  });

  it('passes a 503 with the cause to next(error) when the store throws, rejects or never answers', async () => {
    const outage = new Error('connection refused');
    const failures: (() => Promise<never>)[] = [
      () => {
        throw outage;
      },
      () => Promise.reject(outage),
      () => Promise.reject('route'),
      () => Promise.reject(undefined),
      () => new Promise(() => undefined),
    ];
    for (const findCredentials of failures) {
      const app = express();
      const seen: InstanceType<typeof auth.AuthError>[] = [];
      app.use('/v1', auth.createLoginRouter({ findById: findCredentials, findCredentials }, { storeTimeoutMs: 20 }));
      app.use(
        (err: InstanceType<typeof auth.AuthError>, _req: unknown, _res: unknown, next: (err: unknown) => void) => {
          seen.push(err);
          next(err);
        },
      );
      app.use(auth.authErrorHandler({ log: () => undefined }));
      expectStoreUnavailable(await logIn(await serve(app), AWA.email, PASSWORD));
      expect(seen.map(({ code }) => code)).to.deep.equal(['store_unavailable']);
      expect(seen[0]).to.have.property('name', 'AuthError');
      expect(seen[0]?.cause).to.be.instanceOf(Error);
    }
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
    for (const [member, account] of cases) {
      for (const password of [PASSWORD, 'not the password']) {
        const app = express();
        const details: string[] = [];
        const { passwordHash } = withPassword(AWA) as { passwordHash: string };
        const findCredentials = () => Promise.resolve({ account: account as typeof AWA, passwordHash });
        app.use('/v1', auth.createLoginRouter({ findById: () => Promise.resolve(null), findCredentials }));
        app.use((err: AuthError, _req: unknown, _res: unknown, next: (err: unknown) => void) => {
          details.push(err.detail);
          next(err);
        });
        app.use(auth.authErrorHandler({ log: () => undefined }));
        expectMalformedAccount(await logIn(await serve(app), AWA.email, password));
        expect(details).to.have.length(1);
        expect(details[0])
          .to.match(/^UserStore\.findCredentials returned an account whose /)
          .and.include(` ${member} is not `);
      }
    }
  });

  it('passes the rejection of a hasher to next(error), also one without a reason, and never answers 401 (ASVS 11.2.5)', async () => {
    for (const reason of [new Error('out of memory'), undefined]) {
      const quick = quickPasswords(auth.createPasswords);
      quick.verify = () => Promise.reject(reason);
      const app = express();
      app.use('/v1', auth.createLoginRouter(quickAccountStore(), { passwords: quick.passwords }));
      app.use(
        (_err: unknown, _req: unknown, res: { status(code: number): { end(text: string): void } }, _next: unknown) => {
          res.status(599).end('host');
        },
      );
      const answer = await logIn(await serve(app), AWA.email, PASSWORD);
      expect([answer.status, answer.text]).to.deep.equal([599, 'host']);
    }
  });

  it('answers each of many overlapping logins with its own account (ASVS 15.4.1)', async () => {
    const accounts = Array.from({ length: 200 }, (_unused, i) => ({
      ...AWA,
      id: `id-${i}`,
      email: `merchant-${i}@boutique.example`,
      marchand: { referencl: `REF-${i}`, statut: i },
    }));
    const { passwords } = quickPasswords(auth.createPasswords);
    const client = await serveLogin(quickAccountStore(accounts), { passwords });
    const answers = await Promise.all(accounts.map(({ email }) => logIn(client, email, PASSWORD)));
    answers.forEach((answer, i) => {
      expect(answer.json).to.deep.include({ marchand: accounts[i]?.marchand });
    });
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
    const refused = await logIn(client, AWA.email, 'not the password');
    expect([refused.status, refused.text]).to.deep.equal([418, 'wrong_credentials']);
    const invalid = await client.send('POST', '/v1/login', { body: {} });
    expect([invalid.status, invalid.text]).to.deep.equal([418, 'invalid_body']);
    expect((await logIn(client, AWA.email, PASSWORD)).status).to.equal(200);
  });

  it('accepts a password that contains NUL', async () => {
    const password = 'baobab\u00002026';
    const passwordHash = await auth.createPasswords().hash(password);
    const client = await serveLogin(new auth.InMemoryUserStore([{ ...AWA, passwordHash }]));
    expect((await logIn(client, AWA.email, password)).status).to.equal(200);
    expectWrongCredentials(await logIn(client, AWA.email, 'baobab'));
  });

  it('passes on an AbortError of a hash format, because its caller waits for an answer', async () => {
    const quick = quickPasswords(auth.createPasswords);
    quick.verify = () => Promise.reject(new DOMException('of the format', 'AbortError'));
    const app = express();
    app.use('/v1', auth.createLoginRouter(quickAccountStore(), { passwords: quick.passwords }));
    app.use((err: Error, _req: unknown, res: ServerResponse, _next: unknown) => void res.end(err.message));
    expect((await logIn(await serve(app), AWA.email, PASSWORD)).text).to.equal('of the format');
  });

  it('never calls next with the AbortError of a disconnected caller, and writes nothing', async () => {
    const quick = quickPasswords(auth.createPasswords, { maxConcurrentHashes: 1 });
    let end: () => void = () => undefined;
    const held = new Promise<boolean>((resolve) => (end = () => resolve(true)));
    quick.verify = () => held;
    let lookups = 0;
    const store = quickAccountStore();
    const passedOn: unknown[] = [];
    const refused: unknown[] = [];
    const gone: { headersSent: boolean }[] = [];
    const app = express();
    app.use((_req, res, next) => {
      res.once('close', () => res.writableEnded || gone.push(res));
      next();
    });
    const router = auth.createLoginRouter(
      {
        findById: (id) => store.findById(id),
        findCredentials: (email) => {
          lookups += 1;
          return store.findCredentials(email);
        },
      },
      { passwords: quick.passwords, respond: (error, _req, _res, next) => next(refused.push(error)) },
    );
    app.use('/v1', router, (_req: unknown, res: ServerResponse) => void res.end(passedOn.push('no error')));
    app.use((err: unknown, _req: unknown, res: ServerResponse, _next: unknown) => void res.end(passedOn.push(err)));
    const client = await serve(app);
    const first = logIn(client, AWA.email, PASSWORD);
    await until(() => quick.compared.length === 1);
    const waiting = startLogin(client.port, AWA.email, PASSWORD);
    await until(() => lookups === 2);
    await settle();
    waiting.hangUp();
    await until(() => gone.length === 1);
    await settle();
    end();
    expect((await first).status).to.equal(200);
    await settle();
    expect([passedOn, refused, quick.compared.length]).to.deep.equal([[], [], 1]);
    expect(gone[0]?.headersSent).to.equal(false);
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
    await send('POST', '/v1/login', { body: { ...body, password: 'not the password' } });
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
      await send('POST', '/v1/login', { body: { email: KOFI.email, password: 'not the password' } });
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
    expect((await send({ email: AWA.email, password: 'not the password' })).status).to.equal(418);
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

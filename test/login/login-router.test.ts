import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { accountStore, AWA, FERMEE, KOFI, PASSWORD, withPassword } from '../helpers/accounts.js';
import {
  expectAccountDisabled,
  expectMalformedAccount,
  expectRevokedToken,
  expectStoreUnavailable,
  expectWrongCredentials,
} from '../helpers/answers.js';
import { bearer, type Client, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';
import type { LoginRouterOptions, UserStore } from '../../src/index.js';

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

  it('answers the success body with exactly its members, in their order', async () => {
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

  it('answers only POST, and only at its own path', async () => {
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

  it('answers an unknown email, a wrong password and an account without a password with the same bytes and headers', async () => {
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
    const hashes: (string | null)[] = [];
    const passwords = {
      ...auth.createPasswords(),
      verify: (_password: string, hash: string | null) => {
        hashes.push(hash);
        return Promise.resolve(false);
      },
    };
    const client = await serveLogin(accountStore(), { passwords });
    expectWrongCredentials(await logIn(client, AWA.email, PASSWORD));
    expectWrongCredentials(await logIn(client, 'nobody@boutique.example', PASSWORD));
    expect(hashes.map((hash) => hash?.slice(0, 9))).to.deep.equal(['$argon2id', undefined]);
  });

  it('never takes the match of a decoy for a login', async () => {
    const passwords = { ...auth.createPasswords(), verify: () => Promise.resolve(true) };
    const client = await serveLogin(accountStore(), { passwords });
    expectWrongCredentials(await logIn(client, 'nobody@boutique.example', PASSWORD));
  });

  it('takes nothing but true for a match', async () => {
    for (const match of [{ ok: false }, 1, 'false', [], undefined]) {
      const passwords = { ...auth.createPasswords(), verify: () => Promise.resolve(match as never) };
      expectWrongCredentials(await logIn(await serveLogin(accountStore(), { passwords }), AWA.email, PASSWORD));
    }
  });

  it('issues a token that counts from when the account was read, so that a change of password meanwhile revokes it', async () => {
    let now = 1_800_000_000_000;
    const tokens = auth.createTokens({ clock: () => now });
    const changedAt = new Date(now + 1);
    const passwords = {
      ...auth.createPasswords(),
      verify: () => {
        now += 10_000;
        return Promise.resolve(true);
      },
    };
    const answer = await logIn(await serveLogin(accountStore(), { tokens, passwords }), AWA.email, PASSWORD);
    const { token } = (answer.json as { authorisation: { token: string } }).authorisation;
    expect(tokens.verify(token)).to.include({ iat: 1_800_000_000, exp: 1_800_018_000 });
    const store = new auth.InMemoryUserStore([withPassword({ ...AWA, tokensValidAfter: changedAt })]);
    const app = express().use(auth.requireBearer({ userStore: store, tokens }), auth.authErrorHandler());
    expectRevokedToken(await (await serve(app)).send('GET', '/', { headers: bearer(token) }));
  });

  it('works with tokens and accounts of odd making: without now and canSign, with a then', async () => {
    const tokens = { ...auth.createTokens() };
    for (const member of ['now', 'canSign', 'realm']) Reflect.deleteProperty(tokens, member);
    const account = { ...AWA, then: 'of the host' };
    const found = { account: { ...account, then: () => undefined }, passwordHash: null };
    const userStore = { findById: () => Promise.resolve(null), findCredentials: () => Promise.resolve(found) };
    const passwords = { ...auth.createPasswords(), verify: () => Promise.resolve(true) };
    const client = await serveLogin(userStore, { tokens, passwords });
    expect((await logIn(client, AWA.email, PASSWORD)).status).to.equal(200);
  });

  it('shows the password to nobody, also not as the cause of an error', async () => {
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

  it('tells a disabled account apart only after the right password', async () => {
    const { client } = await servePayments(framework);
    expectWrongCredentials(await logIn(client, FERMEE.email, 'not the password'));
    expectAccountDisabled(await logIn(client, FERMEE.email, PASSWORD));
  });

  it('neither trims, nor folds, nor normalises email and password', async () => {
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

  it('never reads credentials from the query string', async () => {
    const { client } = await servePayments(framework);
    const query = `?email=${AWA.email}&password=${PASSWORD}`;
    const answer = await client.send('POST', `/v1/login${query}`, { body: {} });
    expect(answer.status).to.equal(400);
    const wrong = { email: KOFI.email, password: 'not the password' };
    expectWrongCredentials(await client.send('POST', `/v1/login${query}`, { body: wrong }));
  });

  it('hands a store that throws, rejects or never answers to next(error) as 503, with the cause', async () => {
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
      app.use(auth.authErrorHandler());
      expectStoreUnavailable(await logIn(await serve(app), AWA.email, PASSWORD));
      expect(seen.map(({ code }) => code)).to.deep.equal(['store_unavailable']);
      if (findCredentials !== failures[4]) expect(seen[0]).to.have.property('name', 'AuthError');
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
        const messages: string[] = [];
        const { passwordHash } = withPassword(AWA) as { passwordHash: string };
        const findCredentials = () => Promise.resolve({ account: account as typeof AWA, passwordHash });
        app.use('/v1', auth.createLoginRouter({ findById: () => Promise.resolve(null), findCredentials }));
        app.use((err: Error, _req: unknown, _res: unknown, next: (err: unknown) => void) => {
          messages.push(err.message);
          next(err);
        });
        app.use(auth.authErrorHandler());
        expectMalformedAccount(await logIn(await serve(app), AWA.email, password));
        expect(messages).to.have.length(1);
        expect(messages[0])
          .to.match(/^UserStore\.findCredentials returned an account whose /)
          .and.include(` ${member} is not `);
      }
    }
  });

  it('answers a hasher that rejects, also with nothing, through next(error) and never with 401', async () => {
    for (const reason of [new Error('out of memory'), undefined]) {
      const passwords = { ...auth.createPasswords(), verify: () => Promise.reject(reason) };
      const app = express();
      app.use('/v1', auth.createLoginRouter(accountStore(), { passwords }));
      app.use(
        (_err: unknown, _req: unknown, res: { status(code: number): { end(text: string): void } }, _next: unknown) => {
          res.status(599).end('host');
        },
      );
      const answer = await logIn(await serve(app), AWA.email, PASSWORD);
      expect([answer.status, answer.text]).to.deep.equal([599, 'host']);
    }
  });

  it('answers overlapping logins each with its own account', async () => {
    const accounts = Array.from({ length: 200 }, (_unused, i) => ({
      ...AWA,
      id: `id-${i}`,
      email: `merchant-${i}@boutique.example`,
      marchand: { referencl: `REF-${i}`, statut: i },
    }));
    const passwords = { ...auth.createPasswords(), verify: () => Promise.resolve(true) };
    const client = await serveLogin(new auth.InMemoryUserStore(accounts.map(withPassword)), { passwords });
    const answers = await Promise.all(accounts.map(({ email }) => logIn(client, email, PASSWORD)));
    answers.forEach((answer, i) => {
      expect(answer.json).to.deep.include({ marchand: accounts[i]?.marchand });
    });
  });

  it('leaves the refusals to respond, and a success to nobody else', async () => {
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

  it('says at construction that its tokens cannot sign', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const tokens = auth.createTokens({ keys: [{ kid: 'k1', algorithm: 'ES256', publicKey }] });
    const create = () => auth.createLoginRouter(accountStore(), { tokens });
    expect(create).to.throw(
      TypeError,
      'createLoginRouter: these tokens cannot sign. Give the first key its privateKey.',
    );
  });

  it('says at construction what is missing', () => {
    const store = accountStore();
    expect(() => auth.createLoginRouter({} as never)).to.throw(
      TypeError,
      'createLoginRouter: the userStore has no method findCredentials. Give an object that implements UserStore.',
    );
    expect(() => auth.createLoginRouter(store, { token: 1 } as never)).to.throw(
      TypeError,
      'createLoginRouter: unknown option "token". Known options: ',
    );
    expect(() => auth.createLoginRouter(store, { tokens: {} as never })).to.throw(
      TypeError,
      'createLoginRouter: tokens has no method issue.',
    );
    expect(() => auth.createLoginRouter(store, { passwords: {} as never })).to.throw(
      TypeError,
      'createLoginRouter: passwords has no method verify.',
    );
    expect(() => auth.createLoginRouter(store, { storeTimeoutMs: 0 })).to.throw(
      TypeError,
      'createLoginRouter: storeTimeoutMs must be a whole number from 1 to 2147483647.',
    );
    expect(() => auth.createLoginRouter(store, { respond: 'json' as never })).to.throw(
      TypeError,
      'createLoginRouter: respond must be a function.',
    );
  });
});

import { expect } from 'chai';
import type { RequestHandler } from 'express';
import serverless from 'serverless-http';
import { accountStore, AWA, FERMEE, KOFI, withPassword } from '../helpers/accounts.js';
import {
  expectExpiredToken,
  expectForeignReference,
  expectInvalidBody,
  expectInvalidToken,
  expectMalformedAccount,
  expectMissingToken,
  expectRevokedToken,
  expectStoreUnavailable,
} from '../helpers/answers.js';
import { bearer, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';
import { collectWarnings } from '../helpers/warnings.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };

function raise(reason: unknown): never {
  throw reason;
}

onEachExpress('requireBearer', (framework) => {
  const { auth, express } = framework;
  beforeEach(() => void collectWarnings());

  it('accepts a good token of a good account, and gives the caller to the handler', async () => {
    const { client, awa } = await servePayments(framework);
    const answer = await client.send('GET', '/v1/guarded', { headers: awa });
    expect(answer.status).to.equal(200);
    expect(answer.json).to.include({ id: AWA.id, referencl: 'BTQ-1001' });
  });

  it('refuses a request without a token on every route, also on one that does not exist (ASVS 8.2.1)', async () => {
    const { client } = await servePayments(framework);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      for (const path of ['/v1/guarded', '/v1/transactions', '/v1/no/such/route']) {
        expectMissingToken(await client.send(method, path));
      }
    }
  });

  it('refuses the token before it touches the body', async () => {
    const { client } = await servePayments(framework);
    const broken = { headers: JSON_TYPE, body: '{"refercence_cl":' };
    expectMissingToken(await client.send('POST', '/v1/guarded', broken));
    const headers = { ...JSON_TYPE, Authorization: 'Bearer a.b.c' };
    expectInvalidToken(await client.send('POST', '/v1/guarded', { ...broken, headers }));
  });

  it('answers malformed JSON with a good token with 400 in the layout', async () => {
    const { client, awa } = await servePayments(framework);
    const answer = await client.send('POST', '/v1/guarded', { headers: { ...JSON_TYPE, ...awa }, body: '{"x":' });
    expectInvalidBody(answer, 'The body is not a valid JSON object or array.');
  });

  it('refuses a tampered and an expired token, each with its challenge (ASVS 7.2.1)', async () => {
    const { client, awa } = await servePayments(framework);
    const [header, payload, signature] = awa.Authorization.slice('Bearer '.length).split('.') as [
      string,
      string,
      string,
    ];
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: KOFI.id })).toString('base64url');
    expectInvalidToken(
      await client.send('GET', '/v1/guarded', { headers: bearer(`${header}.${forged}.${signature}`) }),
    );
    const old = auth.createTokens({ clock: () => Date.now() - 18_000_000 }).issue(AWA);
    expectExpiredToken(await client.send('GET', '/v1/guarded', { headers: bearer(old) }));
  });

  it('reads the account again on every request: disabled, deleted or revoked means 401 (ASVS 7.4.1, 7.4.2)', async () => {
    const { client, store, awa } = await servePayments(framework);
    const ask = () => client.send('GET', '/v1/guarded', { headers: awa });
    expect((await ask()).status).to.equal(200);
    store.put(withPassword({ ...AWA, disabled: true }));
    expectRevokedToken(await ask());
    store.put(withPassword({ ...AWA, tokensValidAfter: new Date(Date.now() + 10_000) }));
    expectRevokedToken(await ask());
    store.put(withPassword({ ...AWA, tokensValidAfter: new Date(Date.now() - 70_000) }));
    expect((await ask()).status).to.equal(200);
    store.remove(AWA.id);
    expectRevokedToken(await ask());
  });

  it('refuses the account before it touches the body', async () => {
    const userStore = accountStore();
    const { client, awa } = await servePayments(framework, { guard: { userStore } });
    const headers = { ...awa, 'Content-Type': 'application/json' };
    const bodies = ['{"refercence_cl":', `{"refercence_cl":"${KOFI.marchand.referencl}"}`, ' '.repeat(200_000)];
    const ask = (body: string) => client.send('POST', '/v1/guarded', { headers, body });
    userStore.put(withPassword({ ...AWA, disabled: true }));
    for (const body of bodies) expectRevokedToken(await ask(body));
    userStore.findById = () => Promise.reject(new Error('connection refused'));
    for (const body of bodies) expectStoreUnavailable(await ask(body));
  });

  it('accepts the token of a login that read the tokensValidAfter of the account, also one in the future', async () => {
    const { client, store } = await servePayments(framework);
    const account = { ...AWA, tokensValidAfter: new Date(Date.now() + 30_500) };
    store.put(withPassword(account));
    const token = auth.createTokens().issue(account);
    expect((await client.send('GET', '/v1/guarded', { headers: bearer(token) })).status).to.equal(200);
  });

  it('takes the reference from the account as just read, not from the token (ASVS 8.3.2)', async () => {
    const { client, store, awa } = await servePayments(framework);
    store.put(withPassword({ ...AWA, marchand: { referencl: 'BTQ-2002', statut: 1 } }));
    const ask = (refercence_cl: string) =>
      client.send('POST', '/v1/transactions', { headers: awa, body: { refercence_cl } });
    expectForeignReference(await ask('BTQ-1001'));
    expect((await ask('BTQ-2002')).json).to.include({ referencl: 'BTQ-2002' });
  });

  it('trusts the token alone without a store, and then gives the handler no account', async () => {
    const app = express();
    app.get('/', auth.requireBearer(), (req, res) => {
      const { id, referencl, account } = auth.merchantOf(req);
      res.json({ id, referencl, account });
    });
    const answer = await (await serve(app)).send('GET', '/', { headers: bearer(auth.createTokens().issue(FERMEE)) });
    expect(answer.json).to.deep.equal({ id: FERMEE.id, referencl: 'ANC-1003', account: null });
  });

  it('passes a failure of the store to next(error) with its cause, and never accepts the request or answers 401', async () => {
    const outage = new Error('connection refused');
    const throws = () => {
      throw outage;
    };
    const cases: [() => Promise<never>, string][] = [
      [throws, 'Error: connection refused'],
      [() => Promise.reject(outage), 'Error: connection refused'],
      [() => new Promise(() => undefined), 'TimeoutError: no answer within 20 ms'],
    ];
    for (const [findById, cause] of cases) {
      const userStore = { findById, findCredentials: () => Promise.resolve(null) };
      const { client, awa, hostErrors } = await servePayments(framework, { guard: { userStore, storeTimeoutMs: 20 } });
      expectStoreUnavailable(await client.send('GET', '/v1/guarded', { headers: awa }));
      const errors = hostErrors as InstanceType<typeof auth.AuthError>[];
      expect(errors.map((error) => [error.code, String(error.cause)])).to.deep.equal([['store_unavailable', cause]]);
    }
  });

  it('answers an account that breaks the contract with 500, and names the member in the detail', async () => {
    const cases: [string, unknown][] = [
      ['no account object', undefined],
      ['no account object', 'AWA'],
      ['id', { ...AWA, id: 1 }],
      ['an account with another id than asked for', KOFI],
      ['marchand.referencl', { ...AWA, marchand: {} }],
      ['disabled', { ...AWA, disabled: undefined }],
      ['tokensValidAfter', { ...AWA, tokensValidAfter: 0 }],
    ];
    for (const [member, account] of cases) {
      const userStore = {
        findById: () => Promise.resolve(account as typeof AWA),
        findCredentials: () => Promise.resolve(null),
      };
      const { client, awa, hostErrors } = await servePayments(framework, { guard: { userStore } });
      expectMalformedAccount(await client.send('GET', '/v1/guarded', { headers: awa }));
      const { detail, cause } = hostErrors[0] as InstanceType<typeof auth.AuthError>;
      expect(detail)
        .to.match(/^UserStore\.findById returned /)
        .and.include(member);
      expect(cause).to.be.instanceOf(TypeError);
    }
  });

  it('does not check the members of an account that it does not use', async () => {
    const partial = { id: AWA.id, marchand: { referencl: 'BTQ-1001' }, disabled: false } as never;
    const userStore = { findById: () => Promise.resolve(partial), findCredentials: () => Promise.resolve(null) };
    const { client, awa } = await servePayments(framework, { guard: { userStore } });
    expect((await client.send('GET', '/v1/guarded', { headers: awa })).status).to.equal(200);
  });

  it('answers each of 200 overlapping requests for its own merchant (ASVS 8.4.1)', async () => {
    const accounts = Array.from({ length: 200 }, (_unused, i) => ({
      ...AWA,
      id: `id-${i}`,
      email: `merchant-${i}@boutique.example`,
      marchand: { referencl: `REF-${i}`, statut: i },
    }));
    const userStore = new auth.InMemoryUserStore(accounts.map(withPassword));
    const { client } = await servePayments(framework, { guard: { userStore } });
    const tokens = auth.createTokens();
    const answers = await Promise.all(
      accounts.map((account) =>
        client.send('POST', '/v1/transactions', {
          headers: bearer(tokens.issue(account)),
          body: { refercence_cl: account.marchand.referencl },
        }),
      ),
    );
    answers.forEach((answer, i) => {
      expect(answer.json).to.deep.include({
        id: `id-${i}`,
        referencl: `REF-${i}`,
        body: { refercence_cl: `REF-${i}` },
      });
    });
  });

  it('names the realm of its tokens in every challenge, and refuses the tokens of another realm', async () => {
    const tokens = auth.createTokens({ realm: 'agents' });
    for (const guard of [auth.requireBearer({ tokens }), auth.requireBearer(auth.createGuard({ tokens }))]) {
      const client = await serve(express().get('/', guard, (_req, res) => void res.end('passed')));
      const missing = await client.send('GET', '/');
      expect(missing.headers['www-authenticate']).to.equal('Bearer realm="agents"');
      const foreign = await client.send('GET', '/', { headers: bearer(auth.createTokens().issue(AWA)) });
      expect(foreign.status).to.equal(401);
      expect(foreign.headers['www-authenticate']).to.equal(
        'Bearer realm="agents", error="invalid_token", error_description="The token is not valid. Log in again."',
      );
      expect((await client.send('GET', '/', { headers: bearer(tokens.issue(AWA)) })).text).to.equal('passed');
    }
  });

  it('leaves the body unread with reference: unchecked, and accepts a foreign reference', async () => {
    const { client, awa } = await servePayments(framework, {
      guard: { reference: 'unchecked' },
      behind: [express.text({ type: '*/*' })],
    });
    const body = '{"refercence_cl":"CNT-1002"';
    const answer = await client.send('POST', '/v1/guarded?refercence_cl=CNT-1002', {
      headers: { ...awa, ...JSON_TYPE },
      body,
    });
    expect(answer.json).to.deep.include({ body });
  });

  it('runs behind serverless-http, which has no rawHeaders and puts a Buffer into req.body', async () => {
    const store = accountStore();
    const app = express();
    app.use('/v1', auth.createLoginRouter(store));
    app.use('/v1', auth.requireBearer({ userStore: store }));
    app.post(
      '/v1/transactions',
      auth.requireOwnReference(),
      (req, res) => void res.json({ body: req.body as unknown }),
    );
    const handler = serverless(app as never);
    const invoke = async (path: string, body: object, headers: object = {}) => {
      const event = {
        httpMethod: 'POST',
        path,
        headers: { ...JSON_TYPE, ...headers },
        body: JSON.stringify(body),
        requestContext: { identity: {} },
      };
      const { statusCode, body: text } = (await handler(event, {})) as { statusCode: number; body: string };
      return { statusCode, json: JSON.parse(text) as Record<string, unknown> };
    };
    const login = await invoke('/v1/login', { email: AWA.email, password: 'baobab-2026' });
    const headers = bearer((login.json['authorisation'] as { token: string }).token);
    const own = await invoke('/v1/transactions', { refercence_cl: 'BTQ-1001' }, headers);
    expect(own).to.deep.equal({ statusCode: 200, json: { body: { refercence_cl: 'BTQ-1001' } } });
    expect(await invoke('/v1/transactions', { refercence_cl: 'CNT-1002' }, headers)).to.deep.include({
      statusCode: 403,
    });
    expect(await invoke('/v1/transactions', { refercence_cl: 'BTQ-1001' })).to.deep.include({ statusCode: 401 });
  });

  it('passes an error that is not a refusal to next(error), once', async () => {
    const tokens = auth.createTokens({ clock: () => raise(new Error('no time')) });
    const { client, awa, hostErrors } = await servePayments(framework, { guard: { tokens } });
    expect((await client.send('GET', '/v1/guarded', { headers: awa })).status).to.equal(500);
    expect(hostErrors.map(String)).to.deep.equal(['Error: no time']);
  });

  it('calls a verify that the host replaces later', async () => {
    const tokens = auth.createTokens();
    const { client, awa } = await servePayments(framework, { guard: { tokens } });
    expect((await client.send('GET', '/v1/guarded', { headers: awa })).status).to.equal(200);
    tokens.verify = () => raise(new auth.AuthError('expired_token'));
    expectExpiredToken(await client.send('GET', '/v1/guarded', { headers: awa }));
  });

  it('throws with a hint when the factory is mounted without the call', async () => {
    const mounted = [
      auth.requireBearer,
      auth.requireOwnReference,
      auth.authErrorHandler,
      auth.createLoginRouter,
    ] as unknown[];
    for (const middleware of mounted) {
      const app = express();
      app.use(middleware as RequestHandler);
      app.use((err: Error, _req: unknown, res: { end(text: string): void }, next: unknown) => {
        res.end(`${err.name}: ${err.message}`);
        return next;
      });
      const { text } = await (await serve(app)).send('GET', '/');
      expect(text).to.match(/^TypeError: \w+ was used as a middleware. Call it: app.use\(\w+\(...\)\)\.$/);
    }
  });

  it('changes nothing for a host that has its own passport and sessions', async () => {
    const sessionManager = { of: 'the host' };
    const before: RequestHandler = (req, _res, next) => {
      Object.assign(req, {
        _sessionManager: sessionManager,
        logIn: 'logIn of the host',
        isAuthenticated: () => 'host',
      });
      next();
    };
    const seen: unknown[] = [];
    const store = accountStore();
    const app = express();
    app.use(before);
    app.use((req, res, next) => {
      const keys = new Set(Object.keys(req));
      res.on('finish', () => {
        const { _sessionManager, logIn } = req as unknown as Record<string, unknown>;
        const added = ['login', 'logout', 'logOut', 'isUnauthenticated', 'authInfo', 'account'].filter(
          (key) => key in req && !keys.has(key),
        );
        seen.push([_sessionManager, logIn, added]);
      });
      next();
    });
    app.use('/v1', auth.createLoginRouter(store));
    app.use('/v1', auth.requireBearer({ userStore: store }), (_req, res) => void res.end());
    const client = await serve(app);
    await client.send('POST', '/v1/login', { body: { email: AWA.email, password: 'baobab-2026' } });
    await client.send('POST', '/v1/login', { body: { email: AWA.email, password: 'not the password' } });
    await client.send('GET', '/v1/x', { headers: bearer(auth.createTokens().issue(AWA)) });
    expect(seen).to.deep.equal(Array.from({ length: 3 }, () => [sessionManager, 'logIn of the host', []]));
  });
});

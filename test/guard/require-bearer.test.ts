import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import serverless from 'serverless-http';
import request from 'supertest';
import { accountStore, AWA, FERMEE, KOFI, PASSWORD, withPassword, WRONG } from '../helpers/accounts.js';
import {
  expectExpiredToken,
  expectInvalidToken,
  expectMissingToken,
  expectRevokedToken,
  EXPIRED_TOKEN,
  REVOKED_TOKEN,
} from '../helpers/answers.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { bearer } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };

function raise(reason: unknown): never {
  throw reason;
}

onEachExpress('requireBearer', (framework) => {
  const { auth, express } = framework;
  beforeEach(() => void collectWarnings());

  it('refuses a request without a token on every route, including one that does not exist', async () => {
    const { app } = await servePayments(framework);
    for (const method of ['get', 'post', 'put', 'patch', 'delete', 'options'] as const) {
      for (const path of ['/v1/guarded', '/v1/transactions', '/v1/no/such/route']) {
        expectMissingToken(await request(app)[method](path));
      }
    }
  });

  it('refuses the token and the account before it touches the body', async () => {
    const userStore = accountStore();
    const { app, awa } = await servePayments(framework, { guard: { userStore } });
    const bodies = ['{"refercence_cl":', '{"refercence_cl":"CNT-1002"}', ' '.repeat(200_000)];
    for (const body of bodies) {
      const ask = (headers: Readonly<Record<string, string>>) =>
        request(app).post('/v1/guarded').type('json').set(headers).send(body);
      userStore.put(withPassword({ ...AWA, disabled: true }));
      expectMissingToken(await ask({}));
      expectInvalidToken(await ask(bearer('a.b.c')));
      expectRevokedToken(await ask(awa));
    }
  });

  it('reads the account again on every request: disabled, deleted or revoked means 401', async () => {
    const { app, store, awa } = await servePayments(framework);
    const ask = () => request(app).get('/v1/guarded').set(awa);
    await ask().expect(200);
    store.put(withPassword({ ...AWA, disabled: true }));
    expectRevokedToken(await ask());
    store.put(withPassword({ ...AWA, tokensValidAfter: new Date(Date.now() + 10_000) }));
    expectRevokedToken(await ask());
    store.put(withPassword({ ...AWA, tokensValidAfter: new Date(Date.now() - 70_000) }));
    await ask().expect(200);
    store.remove(AWA.id);
    expectRevokedToken(await ask());
  });

  it('answers each of 200 overlapping requests for its own merchant', async () => {
    const accounts = Array.from({ length: 200 }, (_unused, i) => {
      return { ...AWA, id: `id-${i}`, email: `${i}@boutique.example`, marchand: { referencl: `REF-${i}`, statut: i } };
    });
    const userStore = new auth.InMemoryUserStore(accounts.map(withPassword));
    const { app } = await servePayments(framework, { guard: { userStore } });
    const tokens = auth.createTokens();
    const ask = async (account: typeof AWA) => {
      const { referencl } = account.marchand;
      const body = { refercence_cl: referencl };
      const token = tokens.issue(account);
      const post = request(app).post('/v1/transactions').auth(token, { type: 'bearer' }).send(body);
      await post.expect({ id: account.id, referencl, body });
    };
    await Promise.all(accounts.map(ask));
  });

  it('reads the accounts of requests that arrive together in one call of findByIds', async () => {
    const calls: (readonly string[])[] = [];
    const userStore = {
      findCredentials: () => Promise.resolve(null),
      findById: () => Promise.reject(new Error('called for one of several')),
      findByIds(ids: readonly string[]) {
        calls.push(ids);
        return Promise.resolve([FERMEE, KOFI, AWA]);
      },
    };
    const { client } = await servePayments(framework, { guard: { userStore } });
    const tokens = auth.createTokens();
    const ask = async (socket: Socket, headers: string): Promise<string[]> => {
      socket.write(`GET /v1/guarded HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
      const [data] = (await once(socket, 'data')) as [Buffer];
      return /^HTTP\/1\.1 (\d+) [^]*\r\n\r\n(.*)$/.exec(String(data))?.slice(1) ?? [];
    };
    const clients = [AWA, KOFI, FERMEE].map((account) => ({ account, socket: connect(client.port, '127.0.0.1') }));
    // The server has accepted the connections when it has answered on each.
    await Promise.all(clients.map(({ socket }) => ask(socket, '')));
    const answers = clients.map(({ account, socket }) => {
      return ask(socket, `Authorization: ${bearer(tokens.issue(account)).Authorization}\r\n`);
    });
    const [awa = [], kofi = [], fermee = []] = await Promise.all(answers);
    expect(awa[1]).to.contain('{"id":"1","referencl":"BTQ-1001"');
    expect(kofi[1]).to.contain('{"id":"2","referencl":"CNT-1002"');
    expect(fermee[0]).to.equal('401');
    expect(JSON.parse(fermee[1] ?? '')).to.include({ error: REVOKED_TOKEN });
    expect(calls).to.deep.equal([['1', '2', '3']]);
    for (const { socket } of clients) socket.destroy();
  });

  it('checks with the guard that it gets', async () => {
    const tokens = auth.createTokens({ realm: 'agents' });
    const guard = auth.requireBearer({ guard: auth.createGuard({ tokens }) });
    const app = express().get('/', guard, (_req, res) => void res.end('passed'));
    await request(app).get('/').expect('WWW-Authenticate', 'Bearer realm="agents"');
    await request(app).get('/').auth(tokens.issue(AWA), { type: 'bearer' }).expect('passed');
  });

  it('runs behind serverless-http, which has no rawHeaders and puts a Buffer into req.body', async () => {
    const store = accountStore();
    const app = express();
    app.use('/v1', auth.createLoginRouter(store));
    app.use('/v1', auth.requireBearer({ userStore: store }));
    app.post('/v1/transactions', auth.requireOwnReference(), (req, res) => void res.json(req.body));
    const handler = serverless(app as never);
    const invoke = async (path: string, body: object, more: object = {}) => {
      const headers = { ...JSON_TYPE, ...more };
      const event = { httpMethod: 'POST', path, headers, body: JSON.stringify(body), requestContext: { identity: {} } };
      const { statusCode, body: text } = (await handler(event, {})) as { statusCode: number; body: string };
      return [statusCode, JSON.parse(text) as Record<string, unknown>] as const;
    };
    const [, login] = await invoke('/v1/login', { email: AWA.email, password: PASSWORD });
    const headers = bearer((login['authorisation'] as { token: string }).token);
    const [own, foreign] = ['BTQ-1001', 'CNT-1002'].map((refercence_cl) => ({ refercence_cl }) as const);
    expect(await invoke('/v1/transactions', own ?? {}, headers)).to.deep.equal([200, own]);
    expect((await invoke('/v1/transactions', foreign ?? {}, headers))[0]).to.equal(403);
    expect((await invoke('/v1/transactions', own ?? {}))[0]).to.equal(401);
  });

  it('passes an error that is not a refusal to next(error), once', async () => {
    const tokens = auth.createTokens({ clock: () => raise(new Error('no time')) });
    const { app, awa, hostErrors } = await servePayments(framework, { guard: { tokens } });
    await request(app).get('/v1/guarded').set(awa).expect(500);
    expect(hostErrors.map(String)).to.deep.equal(['Error: no time']);
  });

  it('calls a verify that the host replaces later', async () => {
    const tokens = auth.createTokens();
    const { app, awa } = await servePayments(framework, { guard: { tokens } });
    await request(app).get('/v1/guarded').set(awa).expect(200);
    tokens.verify = () => raise(new auth.AuthError(EXPIRED_TOKEN));
    expectExpiredToken(await request(app).get('/v1/guarded').set(awa));
  });

  it('throws with a hint when the factory is mounted without the call', async () => {
    const { requireBearer, requireOwnReference, authErrorHandler, createLoginRouter } = auth;
    const factories = { requireBearer, requireOwnReference, authErrorHandler, createLoginRouter };
    for (const [name, factory] of Object.entries(factories)) {
      const app = express().use(factory as unknown as RequestHandler);
      const seen: unknown[] = [];
      app.use(((error: unknown, _req, res, _next) => {
        seen.push(String(error));
        res.end();
      }) as ErrorRequestHandler);
      await request(app).get('/');
      expect(seen).to.deep.equal([`TypeError: ${name} was used as a middleware. Call it: app.use(${name}(...)).`]);
    }
  });

  it('changes nothing for a host that has its own passport and sessions', async () => {
    const own = { _sessionManager: { of: 'the host' }, logIn: 'logIn of the host', isAuthenticated: () => 'host' };
    const seen: unknown[] = [];
    const app = express();
    app.use((req, res, next) => {
      Object.assign(req, own);
      res.on('finish', () => {
        const { _sessionManager, logIn, isAuthenticated } = req as unknown as Record<string, unknown>;
        const names = ['login', 'logout', 'logOut', 'isUnauthenticated', 'authInfo', 'account'];
        seen.push([{ _sessionManager, logIn, isAuthenticated }, names.filter((name) => name in req)]);
      });
      next();
    });
    const store = accountStore();
    app.use('/v1', auth.createLoginRouter(store));
    app.use('/v1', auth.requireBearer({ userStore: store }), (_req, res) => void res.end());
    for (const password of [PASSWORD, WRONG]) await request(app).post('/v1/login').send({ email: AWA.email, password });
    await request(app).get('/v1/x').auth(auth.createTokens().issue(AWA), { type: 'bearer' });
    expect(seen).to.deep.equal(Array.from({ length: 3 }, () => [own, []]));
  });
});

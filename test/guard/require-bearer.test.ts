import { expect } from 'chai';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import request from 'supertest';
import { accountStore, AWA, withPassword } from '../helpers/accounts.js';
import { expectInvalidToken, expectMissingToken, expectRevokedToken } from '../helpers/answers.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { bearer } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';

onEachExpress('requireBearer', (framework) => {
  const { auth, express } = framework;
  beforeEach(() => void collectWarnings());

  it('refuses a request of each method without a token', async () => {
    const { app } = await servePayments(framework);
    for (const method of ['get', 'post', 'put', 'patch', 'delete', 'options'] as const) {
      expectMissingToken(await request(app)[method]('/v1/guarded'));
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

  it('passes an error that is not a refusal to next(error), once', async () => {
    const clock = () => {
      throw new Error('no time');
    };
    const tokens = auth.createTokens({ clock });
    const { app, awa, hostErrors } = await servePayments(framework, { guard: { tokens } });
    await request(app).get('/v1/guarded').set(awa).expect(500);
    expect(hostErrors.map(String)).to.deep.equal(['Error: no time']);
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
});

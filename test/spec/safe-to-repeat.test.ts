import { expect } from 'chai';
import type { RequestHandler } from 'express';
import type { AuthErrorCode, Respond } from '../../src/index.js';
import { accountStore, AWA, FERMEE } from '../helpers/accounts.js';
import { logIn, logInWhileBusy } from '../helpers/login-host.js';
import { type Answer, bearer, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { quickPasswords, QUICK_HASH } from '../helpers/quick-passwords.js';

/** The parts of the host that run after login, after the guard and after the ownership check. */
type Part = 'after login' | 'after guard' | 'handler';

const RESPONDS: Readonly<Record<string, Respond | undefined>> = {
  'the default respond': undefined,
  'next(error)': (error, _req, _res, next) => next(error),
  'next()': (_error, _req, _res, next) => next(),
  "next('route')": (_error, _req, _res, next) => next('route'),
};

/** A refusal with a code means that no handler after it ran, so a client can repeat the request. */
onEachExpress('Safe to repeat', (framework) => {
  const { auth, express } = framework;

  async function serveHost(respond: Respond | undefined) {
    const store = accountStore();
    for (const account of [AWA, FERMEE]) store.put({ ...account, passwordHash: QUICK_HASH });
    const tokens = auth.createTokens();
    const ran: Part[] = [];
    const mark =
      (part: Part): RequestHandler =>
      (_req, _res, next) => {
        ran.push(part);
        next();
      };
    const app = express();
    const options = { ...(respond && { respond }), tokens };
    app.use(
      '/v1',
      auth.createLoginRouter(store, {
        ...options,
        passwords: quickPasswords(auth.createPasswords).passwords,
        throttle: auth.createLoginThrottle({ emailAndSource: { failures: 1, seconds: 900 } }),
        // One login waits at once.
        maxPendingLogins: 1,
      }),
    );
    app.use(mark('after login'));
    app.use('/v1', auth.requireBearer({ ...options, userStore: store }));
    app.use(mark('after guard'));
    app.post('/v1/transactions', auth.requireOwnReference(), mark('handler'));
    app.all('/v1/merchants/:refercence_cl', auth.requireOwnReference(), mark('handler'));
    app.use('/v1/guarded', mark('handler'));
    app.use((_req, res) => void res.status(201).json({ error: 'none' }));
    app.use(auth.authErrorHandler({ log: () => undefined }));
    return { store, ran, tokens, client: await serve(app), awa: bearer(tokens.issue(AWA)) };
  }
  type Host = Awaited<ReturnType<typeof serveHost>>;

  const transact = ({ client, awa }: Host, body: unknown, headers: object = {}) =>
    client.send('POST', '/v1/transactions', { headers: { ...awa, ...headers }, body });

  /** Sends a request that is refused. Returns its answer, and the parts that ran before the refusal. */
  type Refusal = (host: Host) => Promise<readonly [answer: Answer, before: readonly Part[]]>;

  const atLogin =
    (send: (host: Host) => Promise<Answer>): Refusal =>
    async (host) => [await send(host), []];
  const atGuard =
    (send: (host: Host) => Promise<Answer>): Refusal =>
    async (host) => [await send(host), ['after login']];
  const atOwnReference =
    (send: (host: Host) => Promise<Answer>): Refusal =>
    async (host) => [await send(host), ['after login', 'after guard']];

  const malformed = { ...AWA, id: 1 as never };

  /** Every place that refuses with a code. The compiler demands each code of the catalogue. */
  const REFUSALS: Readonly<Record<AuthErrorCode, readonly Refusal[]>> = {
    invalid_body: [
      atLogin(({ client }) => client.send('POST', '/v1/login', { body: { email: AWA.email } })),
      atGuard((host) => transact(host, '{"refercence_cl":', { 'Content-Type': 'application/json' })),
    ],
    wrong_credentials: [atLogin(({ client }) => logIn(client, AWA.email, 'papaye-2026'))],
    account_disabled: [atLogin(({ client }) => logIn(client, FERMEE.email))],
    too_many_attempts: [
      atLogin(async ({ client }) => {
        await logIn(client, AWA.email, 'papaye-2026');
        return logIn(client);
      }),
    ],
    too_busy: [atLogin(({ client, store }) => logInWhileBusy(client, store))],
    invalid_url: [atOwnReference(({ client, awa }) => client.send('POST', '/v1/merchants/%ff', { headers: awa }))],
    missing_token: [atGuard(({ client }) => client.send('POST', '/v1/transactions', { body: {} }))],
    invalid_token: [atGuard(({ client }) => client.send('GET', '/v1/guarded', { headers: bearer('a.b.c') }))],
    expired_token: [
      atGuard(({ client }) => {
        const expired = auth.createTokens({ clock: () => Date.now() - 18_000_000 }).issue(AWA);
        return client.send('GET', '/v1/guarded', { headers: bearer(expired) });
      }),
    ],
    revoked_token: [
      atGuard(({ client, store, awa }) => {
        store.remove(AWA.id);
        return client.send('GET', '/v1/guarded', { headers: awa });
      }),
    ],
    missing_reference: [atOwnReference((host) => transact(host, { amount: 5 }))],
    invalid_reference: [
      atGuard((host) => transact(host, { refercence_cl: 5 })),
      atGuard(({ client, awa }) => client.send('GET', '/v1/guarded?refercence_cl[]=BTQ-1001', { headers: awa })),
    ],
    foreign_reference: [
      atGuard((host) => transact(host, { refercence_cl: 'CNT-1002' })),
      atOwnReference(({ client, awa }) => client.send('POST', '/v1/merchants/CNT-1002', { headers: awa })),
    ],
    unreadable_body: [
      atGuard((host) =>
        transact(host, 'refercence_cl=BTQ-1001', { 'Content-Type': 'application/x-www-form-urlencoded' }),
      ),
    ],
    store_unavailable: [
      atLogin(({ client, store }) => {
        store.findCredentials = () => Promise.reject(new Error('connection refused'));
        return logIn(client);
      }),
      atGuard((host) => {
        host.store.findById = () => Promise.reject(new Error('connection refused'));
        return transact(host, { refercence_cl: 'BTQ-1001' });
      }),
    ],
    malformed_account: [
      atLogin(({ client, store }) => {
        store.findCredentials = () => Promise.resolve({ account: malformed, passwordHash: QUICK_HASH });
        return logIn(client);
      }),
      atGuard((host) => {
        host.store.findById = () => Promise.resolve(malformed);
        return transact(host, { refercence_cl: 'BTQ-1001' });
      }),
    ],
  };

  it('runs the handler for a request that passes', async () => {
    const host = await serveHost(undefined);
    const answer = await transact(host, { refercence_cl: 'BTQ-1001' });
    expect([answer.status, host.ran]).to.deep.equal([201, ['after login', 'after guard', 'handler']]);
  });

  for (const [code, refusals] of Object.entries(REFUSALS)) {
    it(`runs no handler after ${code}`, async () => {
      for (const [name, respond] of Object.entries(RESPONDS)) {
        for (const refusal of refusals) {
          const host = await serveHost(respond);
          const [answer, before] = await refusal(host);
          expect((answer.json as { error: unknown }).error, name).to.equal(code);
          expect(host.ran, name).to.deep.equal(before);
        }
      }
    });
  }
});

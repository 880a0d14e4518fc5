import { expect } from 'chai';
import { createMerchantClient } from '../src/index.js';
import { AWA, PASSWORD } from '../../test/helpers/accounts.js';
import { serve } from '../../test/helpers/http.js';
import { onEachExpress } from '../../test/helpers/on-each-express.js';
import { quickPasswords, QUICK_HASH } from '../../test/helpers/quick-passwords.js';

const CALLS = 1_000;
/** A thousand connections take a while on a busy machine. */
const TIMEOUT_MS = 60_000;
const LIFETIME_MS = 18_000_000;

onEachExpress('1,000 concurrent calls of the client', ({ auth, express }) => {
  /** Serves a host whose clock the test sets, and a client whose clock is an hour late. */
  async function startHost() {
    const host = { now: Date.now(), logins: 0, refusals: 0, references: new Set<unknown>() };
    const store = new auth.InMemoryUserStore([{ ...AWA, passwordHash: QUICK_HASH }]);
    const tokens = auth.createTokens({
      keys: [{ kid: 'first', algorithm: 'HS256', secret: 'the first secret of this test, 32 bytes' }],
      clock: () => host.now / 1000,
    });
    const app = express();
    app.use((req, res, next) => {
      res.setHeader('Date', new Date(host.now).toUTCString());
      if (req.path === '/v1/login') host.logins++;
      res.on('finish', () => (host.refusals += res.statusCode === 401 ? 1 : 0));
      next();
    });
    const { passwords } = quickPasswords(auth.createPasswords);
    app.use('/v1', auth.createLoginRouter(store, { tokens, passwords, digestKey: 'd'.repeat(32) }));
    app.use('/v1', auth.requireBearer({ userStore: store, tokens }));
    app.post('/v1/transactions', auth.requireOwnReference(), (req, res) => {
      res.status(201).json(auth.merchantOf(req).referencl);
    });
    app.use(auth.authErrorHandler());
    const { port } = await serve(app);
    const merchant = createMerchantClient({
      baseUrl: `http://127.0.0.1:${port}/v1`,
      email: AWA.email,
      password: PASSWORD,
      clock: () => host.now - 3_600_000,
    });
    const body = JSON.stringify({ refercence_cl: await merchant.referencl() });
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
    return { host, store, tokens, call: () => merchant.fetch('/transactions', init).then(({ status }) => status) };
  }

  type Host = Awaited<ReturnType<typeof startHost>>;

  /** Makes half of the calls, lets `change` happen while they are under way, and makes the other half. */
  async function callAround({ host, call }: Host, change: () => void): Promise<void> {
    expect(await call()).to.equal(201);
    expect([host.logins, host.refusals]).to.deep.equal([1, 0]);
    const half = Array.from({ length: CALLS / 2 }, call);
    await half[0];
    change();
    const statuses = await Promise.all([...half, ...Array.from({ length: CALLS / 2 }, call)]);
    expect(statuses.filter((status) => status === 201)).to.have.length(CALLS);
    expect(host.logins).to.equal(2);
  }

  it('make one login before the token expires, and none is refused', async () => {
    const started = await startHost();
    await callAround(started, () => {
      started.host.now += LIFETIME_MS - 60_000;
    });
    expect(started.host.refusals).to.equal(0);
  }).timeout(TIMEOUT_MS);

  it('make one login after the token has expired', async () => {
    const started = await startHost();
    await callAround(started, () => {
      started.host.now += LIFETIME_MS;
    });
  }).timeout(TIMEOUT_MS);

  it('make one login around a rotation of the keys', async () => {
    const started = await startHost();
    await callAround(started, () => {
      started.tokens.replaceKeys([
        { kid: 'second', algorithm: 'HS256', secret: 'the second secret of this test, 32 bytes' },
      ]);
    });
    expect(started.host.refusals).to.be.within(1, CALLS);
  }).timeout(TIMEOUT_MS);

  it('make one login around a revocation', async () => {
    const started = await startHost();
    await callAround(started, () => {
      started.store.put({ ...AWA, passwordHash: QUICK_HASH, tokensValidAfter: new Date(started.host.now) });
    });
    expect(started.host.refusals).to.be.within(1, CALLS);
  }).timeout(TIMEOUT_MS);
});

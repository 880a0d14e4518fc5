import { mock } from 'node:test';
import { expect } from 'chai';
import express from 'express';
import * as auth from '../../src/index.js';
import { AWA, PASSWORD } from '../../test/helpers/accounts.js';
import { serve } from '../../test/helpers/http.js';
import { quickPasswords, QUICK_HASH } from '../../test/helpers/quick-passwords.js';
import { createMerchantClient } from '../src/index.js';

const CALLS = 1_000;
/** A thousand connections take a while on a busy machine. */
const TIMEOUT_MS = 60_000;
const HOUR_MS = 3_600_000;

describe('1,000 concurrent calls of the client', () => {
  beforeEach('stop the clock', () => mock.timers.enable({ apis: ['Date'], now: Date.now() }));
  afterEach('start it again', () => mock.timers.reset());

  /** Serves a host whose clock is an hour ahead of the client's. */
  async function startHost() {
    const host = { logins: 0, refusals: 0 };
    const now = () => Date.now() + HOUR_MS;
    const userStore = new auth.InMemoryUserStore([{ ...AWA, passwordHash: QUICK_HASH }]);
    const tokens = auth.createTokens({
      keys: [{ kid: 'first', algorithm: 'HS256', secret: 'the first secret of this test, 32 bytes' }],
      clock: () => now() / 1000,
    });
    const app = express();
    app.use((req, res, next) => {
      res.setHeader('Date', new Date(now()).toUTCString());
      if (req.path === '/v1/login') host.logins++;
      res.on('finish', () => (host.refusals += res.statusCode === 401 ? 1 : 0));
      next();
    });
    const { passwords } = quickPasswords(auth.createPasswords);
    app.use('/v1', auth.createLoginRouter(userStore, { tokens, passwords, digestKey: 'd'.repeat(32) }));
    app.use('/v1', auth.requireBearer({ userStore, tokens }));
    app.post('/v1/transactions', auth.requireOwnReference(), (req, res) => {
      res.status(201).json(auth.merchantOf(req).referencl);
    });
    app.use(auth.authErrorHandler());
    const { port } = await serve(app);
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    const merchant = createMerchantClient({ baseUrl, email: AWA.email, password: PASSWORD });
    const body = JSON.stringify({ refercence_cl: await merchant.referencl() });
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
    return { host, tokens, call: () => merchant.fetch('/transactions', init).then(({ status }) => status) };
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
    await callAround(started, () => mock.timers.setTime(Date.now() + 5 * HOUR_MS - 60_000));
    expect(started.host.refusals).to.equal(0);
  }).timeout(TIMEOUT_MS);

  it('make one login after the service has ended the token, and repeat those that it refused', async () => {
    const started = await startHost();
    await callAround(started, () => {
      started.tokens.replaceKeys([
        { kid: 'second', algorithm: 'HS256', secret: 'the second secret of this test, 32 bytes' },
      ]);
    });
    expect(started.host.refusals).to.be.within(1, CALLS);
  }).timeout(TIMEOUT_MS);
});

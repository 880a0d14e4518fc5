import { expect } from 'chai';
import { Redis } from 'ioredis';
import { expectWrongCredentials } from '../helpers/answers.js';
import { type Load, startLoad } from '../helpers/load.js';
import { withRedis } from '../helpers/redis.js';
import { startTcpProxy, type TcpProxy } from '../helpers/tcp-proxy.js';
import { startApp, type StartedApp } from './app-process.js';
import { expectThrottled, KOFI, list, logIn, tryLogIn } from './calls.js';

const CALLERS = 2;
const WRONG = { ...KOFI, password: 'not the password' };

withRedis('example-app: faults of Redis', (redis) => {
  const looker = new Redis({ host: redis.host, port: redis.port, lazyConnect: true });
  let proxy: TcpProxy;
  let app: StartedApp;
  let goodLogins: Load;

  beforeEach('start the app with Redis behind a proxy, and log in to it', async () => {
    proxy = await startTcpProxy(redis);
    app = await startApp({ REDIS_URL: `redis://127.0.0.1:${proxy.port}/?keyPrefix=${redis.keyPrefix}:` });
    goodLogins = startLoad(CALLERS, async () => {
      await logIn(app.client);
    });
    await goodLogins.more(CALLERS);
  });

  after('close the connection', () => {
    looker.disconnect();
  });

  /** Waits until Redis counts a failure. Asserts that the process still runs and exits with 0. */
  async function expectRecovery(): Promise<void> {
    const failures = () => looker.keys(`${redis.keyPrefix}*:emailAndSource:*`);
    await looker.del('none', ...(await failures()));
    for (let guess = 0; (await failures()).length === 0; guess++) {
      await goodLogins.more(CALLERS);
      expectWrongCredentials(await tryLogIn(app.client, { ...WRONG, email: `nobody-${guess}@cantine.example` }));
    }
    await goodLogins.stop();
    app.child.kill('SIGTERM');
    const { code, signal, stderr } = await app.ending;
    expect({ code, signal }).to.deep.equal({ code: 0, signal: null });
    expect(stderr).not.to.match(/unhandled|uncaught|MaxListeners/i);
  }

  for (const [what, fail] of [
    ['refuses connections', 'refuse'],
    ['hangs', 'hang'],
  ] as const) {
    it(`logs in, accepts tokens and counts ten failures while Redis ${what}, and then uses Redis again`, async () => {
      const { client } = app;
      const awa = await logIn(client);
      await Promise.resolve(proxy[fail]());
      await goodLogins.more(2 * CALLERS);
      for (let guess = 0; guess < 10; guess++) expectWrongCredentials(await tryLogIn(client, WRONG));
      expectThrottled(await tryLogIn(client, WRONG));
      expectThrottled(await tryLogIn(client, KOFI));
      expect((await list(client, awa)).status).to.equal(200);
      await proxy.restore();
      await expectRecovery();
    });
  }

  it('connects to Redis again when the connection has gone silent', async () => {
    proxy.mute();
    await goodLogins.more(2 * CALLERS);
    await expectRecovery();
  });
});

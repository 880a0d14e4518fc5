import { expect } from 'chai';
import request from 'supertest';
import { Redis } from 'ioredis';
import { expectWrongCredentials } from '../helpers/answers.js';
import { withRedis } from '../helpers/redis.js';
import { startTcpProxy } from '../helpers/tcp-proxy.js';
import { startApp, type StartedApp, stop } from './app-process.js';
import { AWA, logIn, tryLogIn } from './calls.js';

const WRONG = { ...AWA, password: 'not the password' };

withRedis('example-app: the process over Redis', (redis) => {
  const urlAt = (port: number) => `redis://${redis.host}:${port}/?keyPrefix=${redis.keyPrefix}:`;
  const looker = new Redis({ host: redis.host, port: redis.port, lazyConnect: true });

  after('close the connection', () => looker.disconnect());

  const counters = () => looker.keys(`${redis.keyPrefix}*:emailAndSource:*`);

  /** Waits until the app is ready and Redis counts a failure. Good logins take up time, and count for no limit. */
  async function expectShared({ url }: StartedApp): Promise<void> {
    await looker.del('none', ...(await counters()));
    while ((await request(url).get('/readyz')).status !== 200);
    for (let guess = 0; (await counters()).length === 0; guess++) {
      expectWrongCredentials(await tryLogIn(url, { ...WRONG, email: `nobody-${guess}@cantine.example` }));
      await logIn(url);
    }
  }

  for (const [what, fail] of [
    ['refuses connections', 'refuse'],
    ['hangs', 'hang'],
  ] as const) {
    it(`starts and logs in while Redis ${what}, is not ready, and then uses Redis`, async () => {
      const proxy = await startTcpProxy(redis);
      await Promise.resolve(proxy[fail]());
      const app = await startApp({ REDIS_URL: urlAt(proxy.port), METRICS_PORT: '0' });
      const [, metricsPort] = /^Metrics on .+:(\d+)\/metrics$/m.exec(app.printed()) ?? [];
      const metrics = async () => (await request(`http://127.0.0.1:${metricsPort}`).get('/metrics')).text;
      await logIn(app.url);
      const unready = await request(app.url).get('/readyz');
      expect(unready.body).to.deep.include({ code: 503, description: 'No answer from: redis.' });
      expect(await metrics()).to.include('\nmerchant_auth_counting_in_memory 1\n');
      await proxy.restore();
      await expectShared(app);
      // The outage ends when a login has written too.
      do await logIn(app.url);
      while (!(await metrics()).includes('\nmerchant_auth_counting_in_memory 0\n'));
      await request(app.url).get('/readyz').expect(200);
      const { stdout, stderr } = await stop(app);
      expect(stdout.match(/"level":"error".*"msg":"Redis: /gm)).to.have.lengthOf(1);
      expect(stdout.match(/"level":"warn".*"code":"EMA_THROTTLE_BACKEND"/gm)).to.have.lengthOf(2);
      expect(stderr).to.equal('');
    });
  }

  it('connects to Redis again when the connection has gone silent', async () => {
    const proxy = await startTcpProxy(redis);
    const app = await startApp({ REDIS_URL: urlAt(proxy.port) });
    proxy.mute();
    await logIn(app.url);
    await expectShared(app);
    await stop(app);
  });
});

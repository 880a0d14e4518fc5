import { expect } from 'chai';
import { expectWrongCredentials } from '../helpers/answers.js';
import { withRedis } from '../helpers/redis.js';
import { startTcpProxy } from '../helpers/tcp-proxy.js';
import { spawnApp, startApp, type StartedApp } from './app-process.js';

const WRONG = { email: 'awa@boutique.example', password: 'not the password' };
const RIGHT = { ...WRONG, password: 'baobab-2026' };

withRedis('example-app: the process over Redis', (redis) => {
  const urlAt = (host: string, port: number, suffix = '') =>
    `redis://${host}:${port}/?keyPrefix=${redis.keyPrefix}${suffix}:`;

  const fail = ({ client }: StartedApp) => client.send('POST', '/v1/login', { body: WRONG });

  it('adds up the failures of two processes', async () => {
    const REDIS_URL = urlAt(redis.host, redis.port);
    const [one, other] = await Promise.all([startApp({ REDIS_URL }), startApp({ REDIS_URL })]);
    for (let time = 0; time < 5; time++) {
      expectWrongCredentials(await fail(one));
      expectWrongCredentials(await fail(other));
    }
    for (const { client } of [one, other]) {
      const answer = await client.send('POST', '/v1/login', { body: RIGHT });
      expect(answer.json).to.deep.include({ code: 429, error: 'too_many_attempts' });
    }
    one.child.kill('SIGTERM');
    expect(await one.ending).to.include({ code: 0, signal: null, stderr: '' });
  });

  it('starts and logs in without its Redis, says so once, and exits with 0', async () => {
    const proxy = await startTcpProxy(redis);
    await proxy.refuse();
    const app = await startApp({ REDIS_URL: urlAt('127.0.0.1', proxy.port, '-away') });
    for (let time = 0; time < 3; time++) {
      expect((await app.client.send('POST', '/v1/login', { body: RIGHT })).status).to.equal(200);
    }
    app.child.kill('SIGTERM');
    const { code, stdout, stderr } = await app.ending;
    expect(code).to.equal(0);
    expect(stdout.match(/"level":"error".*"msg":"Redis: .*ECONNREFUSED/gm)).to.have.lengthOf(1);
    expect(stderr).to.include('EMA_THROTTLE_BACKEND');
  });

  it('starts when its Redis accepts connections and answers nothing', async () => {
    const proxy = await startTcpProxy(redis);
    proxy.hang();
    const app = await startApp({ REDIS_URL: urlAt('127.0.0.1', proxy.port, '-hangs') });
    expect((await app.client.send('POST', '/v1/login', { body: RIGHT })).status).to.equal(200);
    app.child.kill('SIGTERM');
    expect(await app.ending).to.include({ code: 0, signal: null });
  });

  it('does not start without the secret from which all processes derive the keys of the counters', async () => {
    const REDIS_URL = urlAt(redis.host, redis.port);
    const { code, stdout, stderr } = await spawnApp({ REDIS_URL, JWT_SECRET: '' }).ending;
    expect(code).to.equal(1);
    expect(stdout).to.equal('');
    expect(stderr).to.match(/^Cannot start: createLoginRouter: [^\n]* set JWT_SECRET\.\n$/);
  });
});

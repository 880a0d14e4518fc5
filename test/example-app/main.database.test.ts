import { expect } from 'chai';
import request from 'supertest';
import { expectStoreUnavailable, expectWrongCredentials, STORE_UNAVAILABLE } from '../helpers/answers.js';
import { withPostgres } from '../helpers/databases.js';
import { startTcpProxy } from '../helpers/tcp-proxy.js';
import { outputUntilStop, startApp, stop } from './app-process.js';
import { AWA, list, logIn, tryLogIn } from './calls.js';

withPostgres('example-app: the process over a database', (database) => {
  it('has no demo accounts without SEED_DEMO, and shows none', async () => {
    const app = await startApp({ DATABASE_URL: database.url });
    expectWrongCredentials(await tryLogIn(app.url, AWA));
    for (const path of ['/', '/openapi.json']) {
      expect((await request(app.url).get(path)).text).not.to.include(AWA.password);
    }
    const { stdout } = await stop(app);
    expect(stdout).to.equal(outputUntilStop(app.port, 'SIGTERM', 'Try: curl -s {url}/readyz'));
  });

  it('answers 503 while the database hangs, and stops all the same', async () => {
    const proxy = await startTcpProxy(database);
    const app = await startApp({ DATABASE_URL: database.urlThrough(proxy.port), SEED_DEMO: '1' });
    const awa = await logIn(app.url);
    const ready = () => request(app.url).get('/readyz');
    await ready().expect(200);
    proxy.hang();
    expect((await ready()).body).to.deep.include({ code: 503, description: 'No answer from: database.' });
    for (const answer of await Promise.all([tryLogIn(app.url, AWA), list(app.url, awa)])) {
      expectStoreUnavailable(answer);
    }
    const { stdout, stderr } = await stop(app);
    expect(stdout).to.match(
      new RegExp(
        String.raw`"level":"error".*"error":"${STORE_UNAVAILABLE}","cause":\{.*"code":"(timeout|ETIMEDOUT)".*"UserStore\.\w+ failed\."`,
      ),
    );
    expect(stderr).to.equal('');
    for (const secret of [AWA.password, awa['Authorization'] ?? '']) {
      // The lines at start show the demo account.
      expect(stdout.slice(stdout.indexOf('Or open'))).not.to.include(secret);
    }
  });
});

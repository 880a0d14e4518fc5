import { expect } from 'chai';
import request from 'supertest';
import { withPostgres } from '../helpers/databases.js';
import { declareUnavailable, itWithSignals } from '../helpers/unavailable.js';
import { hasNginx, startBalancer } from '../sources/nginx.js';
import { startApp, stop } from './app-process.js';
import { create, logIn } from './calls.js';

const TITLE = 'loses no request while two processes restart one after the other, and sees the address of the caller';

/** Enough for nginx to load its new configuration. */
const SHUTDOWN_DELAY_MS = '1500';

const CALLER = '203.0.113.7';

withPostgres('example-app: a rolling restart behind nginx', (database) => {
  if (!hasNginx) {
    declareUnavailable(TITLE, 'nginx is not installed.');
    return;
  }

  itWithSignals(TITLE, async () => {
    const shared = { DATABASE_URL: database.url, SEED_DEMO: '1', NODE_ENV: 'production', TRUST_PROXY: 'loopback' };
    const start = (env = {}) => startApp({ ...shared, SHUTDOWN_DELAY_MS, ...env });
    const apps = await Promise.all([start(), start()]);
    const ports = apps.map(({ port }) => port);
    const nginx = await startBalancer(...ports);
    const url = `http://127.0.0.1:${nginx.port}`;
    const headers = { ...(await logIn(url)), 'X-Forwarded-For': CALLER };
    await request(url).get('/v1/transactions').set('X-Forwarded-For', CALLER);

    const statuses: number[] = [];
    let isRestarting = true;
    const send = async () => {
      while (isRestarting || statuses.length < 300) statuses.push((await create(url, headers)).status);
    };
    const load = Promise.all(Array.from({ length: 8 }, send));

    const outputs: string[] = [];
    for (const app of apps) {
      const stopped = stop(app);
      // A health check does the same. nginx without a license has none.
      while ((await request(app.url).get('/readyz')).status === 200);
      await nginx.forwardTo(...ports.filter((port) => port !== app.port));
      outputs.push((await stopped).stdout);
      await start({ PORT: String(app.port) });
      await nginx.forwardTo(...ports);
    }
    isRestarting = false;
    await load;

    expect(statuses.filter((status) => status !== 201)).to.deep.equal([]);
    const [stored] = await database.query('SELECT count(*) AS count FROM transactions');
    expect(Number(stored?.['count'])).to.equal(statuses.length);
    expect(outputs.join()).to.include(`"source":"${CALLER}"`);
  });
});

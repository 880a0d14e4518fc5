import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { AWA, withPassword } from '../helpers/accounts.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { servePayments } from '../helpers/payments.js';
import { declareUnavailable } from '../helpers/unavailable.js';
import { hasNginx, startNginx } from './nginx.js';

const TITLE = 'allowedSources behind nginx counts the address that nginx saw, whatever the caller writes';

onEachExpress('a real proxy', (framework) => {
  if (!hasNginx) {
    declareUnavailable(TITLE, 'nginx is not installed.');
    return;
  }

  it(TITLE, async () => {
    collectWarnings();
    let trustProxy: unknown = 1;
    const payments = await servePayments(framework, {
      before: [
        (req, _res, next) => {
          req.app.set('trust proxy', trustProxy);
          next();
        },
      ],
    });
    payments.store.put({ ...withPassword(AWA), allowedSources: ['127.0.0.2'] });
    const port = await startNginx(payments.client.port);
    /** Asks from an address of this machine. */
    const ask = async (localAddress: string, headers: object = {}) => {
      const options = { port, host: '127.0.0.1', path: '/v1/guarded', localAddress, agent: false };
      const request = http.get({ ...options, headers: { ...payments.awa, ...headers } });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      return [response.statusCode, await text(response)] as const;
    };
    expect((await ask('127.0.0.2'))[0]).to.equal(200);
    for (const headers of [
      {},
      { 'X-Forwarded-For': '127.0.0.2' },
      { 'X-Real-IP': '127.0.0.2', Forwarded: 'for=127.0.0.2' },
    ]) {
      const [status, body] = await ask('127.0.0.3', headers);
      expect(status).to.equal(403);
      // A private address is not named.
      expect(body).to.contain('the service cannot see yours.');
    }
    trustProxy = false;
    expect((await ask('127.0.0.2'))[1]).to.contain('the service cannot see yours.');
  });
});

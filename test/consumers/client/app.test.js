import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import http from 'node:http';
import { test } from 'node:test';
import commonJs from './build/commonjs.cjs';
import { pay } from './build/pay.js';

const ACCOUNT = { email: 'awa@boutique.example', password: 'baobab-2026' };

/** A service that knows one account and accepts one token. */
async function serve(t) {
  const server = http.createServer(async (req, res) => {
    const body = JSON.parse(Buffer.concat(await req.toArray()).toString() || '{}');
    const answer = (status, content) => res.writeHead(status).end(JSON.stringify(content));
    if (req.url === '/v1/login' && body.password !== ACCOUNT.password) answer(401, { error: 'wrong_credentials' });
    else if (req.url === '/v1/login') {
      answer(200, {
        marchand: { referencl: 'BTQ-1001', statut: 1 },
        authorisation: { token: 'a.b.c', type: 'bearer' },
      });
    } else answer(req.headers.authorization === 'Bearer a.b.c' && body.refercence_cl === 'BTQ-1001' ? 201 : 401, {});
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/v1`;
}

test('calls the service as an ES module', async (t) => {
  const baseUrl = await serve(t);
  assert.equal(await pay({ ...ACCOUNT, baseUrl }, 500), 201);
  assert.equal(await pay({ ...ACCOUNT, baseUrl, password: 'not the password' }, 500), 'wrong_credentials');
});

test('calls the service as a CommonJS module', async (t) => {
  const merchant = commonJs.create({ ...ACCOUNT, baseUrl: await serve(t) });
  assert.equal(await merchant.referencl(), 'BTQ-1001');
});

test('is installed without another package', () => {
  const packages = readdirSync('node_modules').filter((name) => !/^(?:\.|@?typescript$)/.test(name));
  assert.deepEqual(packages, ['express-merchant-auth-client']);
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { Miniflare } from 'miniflare';

const ACCOUNT = { API_EMAIL: 'awa@boutique.example', API_PASSWORD: 'baobab-2026' };
const REFUSED = { status: 'Error', success: false, code: 401, error: 'expired_token' };

/** The dates of Workers that refuse the member `cache`, and of those that know it. */
const DATES = ['2024-01-01', '2025-01-01'];

let service;
let valid;
let requests = [];

/** Answers as the service. All that is below `/moved` is redirected. */
function answer(req, res) {
  requests.push(`${req.method} ${req.url}`);
  const send = (status, body, headers = {}) => res.writeHead(status, headers).end(JSON.stringify(body));
  if (req.url === '/moved/login') send(307, {}, { Location: '/elsewhere' });
  else if (req.url === '/v1/login') {
    valid = `token-${requests.length}`;
    send(200, { marchand: { referencl: 'BTQ-1001', statut: 1 }, authorisation: { token: valid, type: 'bearer' } });
  } else if (req.headers.authorization === `Bearer ${valid}`) send(200, { transactions: [] });
  else send(401, REFUSED, { 'WWW-Authenticate': 'Bearer realm="merchant", error="invalid_token"' });
}

before(async () => {
  service = http.createServer(answer);
  await once(service.listen(0, '127.0.0.1'), 'listening');
});
after(() => service.close());

/** Starts the Worker of the README for a test, and returns a function that sends it a request. */
function startWorker(t, compatibilityDate, path) {
  const module = (name, file) => ({ type: 'ESModule', path: name, contents: readFileSync(file, 'utf8') });
  const worker = new Miniflare({
    compatibilityDate,
    modules: [
      module('worker.js', 'client/README/worker.js'),
      module('express-merchant-auth-client', 'node_modules/express-merchant-auth-client/dist/index.mjs'),
    ],
    bindings: { ...ACCOUNT, API_URL: `http://127.0.0.1:${service.address().port}${path}` },
    handleRuntimeStdio: () => undefined,
  });
  t.after(() => worker.dispose());
  requests = [];
  return () => worker.dispatchFetch('http://worker.example/');
}

for (const date of DATES) {
  test(`a Worker of ${date} logs in, and again when the token has ended`, async (t) => {
    const send = startWorker(t, date, '/v1');
    for (let call = 0; call < 2; call++) assert.deepEqual(await (await send()).json(), { transactions: [] });
    valid = 'another token';
    assert.deepEqual(await (await send()).json(), { transactions: [] });
    const [login, list] = ['POST /v1/login', 'GET /v1/transactions'];
    assert.deepEqual(requests, [login, list, list, list, login, list]);
  });

  test(`a Worker of ${date} sends the password to no other address`, async (t) => {
    const send = startWorker(t, date, '/moved');
    const answer = await send();
    assert.equal(answer.status, 500);
    assert.match(await answer.text(), /The service answered 307, a redirect\. baseUrl or the path is wrong\./);
    assert.deepEqual(requests, ['POST /moved/login']);
  });
}

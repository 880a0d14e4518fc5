import { expect } from 'chai';
import { expectError } from '../../helpers/answers.js';
import { freezeTime } from '../../helpers/frozen-time.js';
import type { Answer } from '../../helpers/http.js';
import { list, logIn, TRANSACTION } from '../calls.js';
import { serveApp } from '../serve-app.js';

function expectLimited(answer: Answer, seconds: number): void {
  const description = `Too many requests in a minute. Try again in ${seconds} seconds.`;
  const expected = { code: 429, error: 'too_many_requests', message: 'Too many requests', description };
  expectError(answer, expected, { 'retry-after': String(seconds) });
}

describe('example-app: the limit of a merchant', () => {
  it('refuses requests beyond the limit of a minute, and accepts requests after that minute', async () => {
    const time = freezeTime();
    const { client, awa } = await serveApp({ requestsPerMinute: 2 });
    expect((await list(client, awa)).status).to.equal(200);
    time.pass(20);
    expect((await client.send('POST', '/v1/transactions', { headers: awa, body: TRANSACTION })).status).to.equal(201);
    expectLimited(await list(client, awa), 40);
    expectLimited(await client.send('GET', '/v1/transactions/1', { headers: awa }), 40);
    time.pass(40);
    expect((await list(client, awa)).status).to.equal(200);
  });

  it('counts each merchant separately, whatever token and address it uses', async () => {
    freezeTime();
    const { client, awa, kofi } = await serveApp({ requestsPerMinute: 1 });
    expect((await list(client, awa)).status).to.equal(200);
    expectLimited(await list(client, { ...(await logIn(client)), 'X-Forwarded-For': '203.0.113.9' }), 60);
    expect((await list(client, kofi)).status).to.equal(200);
  });

  it('stores nothing of a request that it refuses', async () => {
    freezeTime();
    const { client, awa } = await serveApp({ requestsPerMinute: 1 });
    await client.send('POST', '/v1/transactions', { headers: awa, body: {} });
    expectLimited(await client.send('POST', '/v1/transactions', { headers: awa, body: TRANSACTION }), 60);
  });

  it('counts no request without a good token, and no login', async () => {
    const { client, awa } = await serveApp({ requestsPerMinute: 1 });
    for (let time = 0; time < 3; time++) {
      expect((await list(client, {})).status).to.equal(401);
      await logIn(client);
    }
    expect((await list(client, awa)).status).to.equal(200);
  });
});

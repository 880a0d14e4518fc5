import { expect } from 'chai';
import { expectError } from '../../helpers/answers.js';
import { freezeTime } from '../../helpers/frozen-time.js';
import type { Answer } from '../../helpers/http.js';
import { create, list, logIn } from '../calls.js';
import { serveApp } from '../serve-app.js';

function expectLimited(answer: Answer, seconds: number): void {
  const description = `Too many requests in a minute. Try again in ${seconds} seconds.`;
  const expected = { code: 429, error: 'too_many_requests', message: 'Too many requests', description };
  expectError(answer, expected, { 'retry-after': String(seconds) });
}

describe('example-app: the limit of a merchant', () => {
  it('refuses requests beyond the limit of a minute, stores nothing of them, and accepts requests later', async () => {
    const time = freezeTime();
    const { client, awa } = await serveApp({ requestsPerMinute: 2 });
    for (let request = 0; request < 2; request++) expect((await list(client, awa)).status).to.equal(200);
    time.pass(20);
    expectLimited(await create(client, awa), 40);
    time.pass(40);
    expect((await list(client, awa)).json).to.deep.include({ code: 200, transactions: [] });
  });

  it('counts each merchant separately, whatever token and address it uses, and counts no refusal or login', async () => {
    freezeTime();
    const { client, awa, kofi } = await serveApp({ requestsPerMinute: 1 });
    for (let time = 0; time < 3; time++) expect((await list(client, {})).status).to.equal(401);
    const again = await logIn(client);
    expect((await list(client, awa)).status).to.equal(200);
    expectLimited(await list(client, { ...again, 'X-Forwarded-For': '203.0.113.9' }), 60);
    expect((await list(client, kofi)).status).to.equal(200);
  });
});

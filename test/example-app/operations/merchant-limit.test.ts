import { expect } from 'chai';
import type { Response } from 'supertest';
import { expectError } from '../../helpers/answers.js';
import { freezeTime } from '../../helpers/frozen-time.js';
import { create, list, logIn } from '../calls.js';
import { serveApp } from '../serve-app.js';

function expectLimited(answer: Response, seconds: number): void {
  const description = `Too many requests in a minute. Try again in ${seconds} seconds.`;
  const expected = { code: 429, error: 'too_many_requests', message: 'Too many requests', description };
  expectError(answer, expected, { 'retry-after': String(seconds) });
}

describe('example-app: the limit of a merchant', () => {
  it('refuses requests beyond the limit of a minute, stores nothing of them, and accepts requests later', async () => {
    const time = freezeTime();
    const { app, awa } = serveApp({ requestsPerMinute: 2 });
    for (let request = 0; request < 2; request++) await list(app, awa).expect(200);
    time.pass(20);
    expectLimited(await create(app, awa), 40);
    time.pass(40);
    expect((await list(app, awa)).body).to.deep.include({ code: 200, transactions: [] });
  });

  it('counts each merchant separately, whatever token and address it uses, and counts no refusal or login', async () => {
    freezeTime();
    const { app, awa, kofi } = serveApp({ requestsPerMinute: 1 });
    for (let time = 0; time < 3; time++) await list(app, {}).expect(401);
    const again = await logIn(app);
    await list(app, awa).expect(200);
    expectLimited(await list(app, { ...again, 'X-Forwarded-For': '203.0.113.9' }), 60);
    await list(app, kofi).expect(200);
  });
});

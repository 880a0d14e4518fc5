import type { IncomingMessage, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { createTokens } from '../../../src/index.js';
import type { HostUnderTest } from '../../src/index.js';
import { demandOf } from '../../src/contract/answer.js';
import { findRoutes } from '../../src/contract/host-routes.js';
import { createVisit, type Visit } from '../../src/contract/visit.js';
import { AWA, PASSWORD } from '../../../test/helpers/accounts.js';
import { serve } from '../../../test/helpers/http.js';
import { HOST } from '../contract.js';

/** Visits a host that answers each request in one way. */
async function visitOf(
  status: number,
  answer: (req: IncomingMessage, sent: string) => string,
  change: Partial<HostUnderTest> = {},
): Promise<Visit> {
  const respond: RequestListener = (req, res) => {
    void text(req).then((sent) => res.writeHead(status, { Location: '/login' }).end(answer(req, sent)));
  };
  const { port } = await serve(respond);
  const host = { ...HOST, ...change };
  return createVisit(host, findRoutes(host), `http://127.0.0.1:${port}`, new Map());
}

it('sends an Idempotency-Key, and the headers of the host, which replace it', async () => {
  const headers = { 'idempotency-key': 'of-the-host', 'X-Shop': '7' };
  const change = { routes: { 'POST /v1/payments': { headers } } };
  const visit = await visitOf(200, ({ headers: got }) => JSON.stringify(got), change);
  const sentTo = async (path: string) => (await visit.sendAs('a.b.c', 'POST', path)).json;
  expect(await sentTo('/v1/refunds'))
    .to.have.property('idempotency-key')
    .that.has.length(36);
  expect(await sentTo('/v1/payments?amount=1')).to.include({ 'idempotency-key': 'of-the-host', 'x-shop': '7' });
});

it('sends the body of each method', async () => {
  const visit = await visitOf(200, (_req, sent) => sent);
  for (const method of ['POST', 'DELETE']) {
    const { json } = await visit.send(method, '/v1/transactions', { body: { amount: 'é' } });
    expect(json).to.deep.equal({ amount: 'é' });
  }
});

it('follows no redirect, because the answer is what a case is about', async () => {
  const visit = await visitOf(302, () => '');
  expect(await visit.send('GET', '/')).to.have.property('status', 302);
});

describe('a message on an answer', () => {
  it('has the beginning of the body, without a part of a password at its end', async () => {
    const visit = await visitOf(404, () => `${'x'.repeat(295)}${PASSWORD}${'x'.repeat(100)}`);
    const answer = await visit.logIn({ email: AWA.email, password: PASSWORD });
    expect(() => demandOf(answer, false, 'It failed.', 'Fix it.')).to.throw(
      /^It failed\. Fix it\. The body: x{295}<pass\.\.\.$/,
    );
  });

  it('has no password and no token of the request', async () => {
    const password = 'a "b" & é/2026';
    const longer = `${password}-2`;
    const token = createTokens().issue(AWA);
    const visit = await visitOf(500, (req, sent) => `${req.url} ${req.headers.authorization} ${sent}`, {
      merchant: { ...HOST.merchant, password },
      otherMerchant: { ...HOST.merchant, password: longer },
      disabledMerchant: { email: 'fermee@ancien.example', password: 'a "b"' },
    });
    const path = `/v1?access_token=${token}&a=${encodeURIComponent(password)}&${String(new URLSearchParams({ b: password }))}`;
    for (const body of [{ password }, { password: 'a "b"' }, { password: longer }, `${password} ${token}x`]) {
      const answer = await visit.sendAs(token, 'POST', path, { body });
      expect(`${answer.request}${answer.shownBody}`).to.match(
        /^POST \/v1\?access_token=<token>&a=<password>&b=<password> The body: .* Bearer <token> [^-]*<password>[^-]*$/,
      );
    }
  });

  it('has nothing of a good answer, because any value in it can be a secret', async () => {
    const visit = await visitOf(200, () => '{"data":{"session":"4711"}}');
    expect(await visit.send('GET', '/')).to.have.property('shownBody', '');
  });
});

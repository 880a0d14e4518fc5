import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import { AuthError, createTokens } from '../../../src/index.js';
import type { HostUnderTest } from '../../../src/testing/index.js';
import { createVisit, demandPass, demandRefusal, type Visit } from '../../../src/testing/auth-contract/visit.js';
import { AWA, PASSWORD } from '../../helpers/accounts.js';
import { HOST } from '../../helpers/contract.js';
import { serve } from '../../helpers/http.js';
import { rejectionOf } from '../../helpers/thrown.js';

const WRONG = { status: 401, code: 'wrong_credentials', fix: 'Mount the login.' } as const;

/** Visits a host that answers each request in one way. */
async function visitOf(
  answer: { status: number; body: string | ((req: IncomingMessage, sent: string) => string) },
  change: Partial<HostUnderTest> = {},
): Promise<Visit> {
  const { port } = await serve((req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { status, body } = answer;
      const text = typeof body === 'string' ? body : body(req, Buffer.concat(chunks).toString());
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
    });
  });
  return createVisit({ ...HOST, ...change }, `http://127.0.0.1:${port}`);
}

const messageOf = (fails: Promise<unknown>) => rejectionOf(fails).then((error) => (error as Error).message);

describe('a case that fails on an answer', () => {
  const refusal = (visit: Visit) =>
    visit.logIn(AWA.email, PASSWORD).then((answer) => demandRefusal(answer, visit, WRONG));

  it('says the status and the body', async () => {
    const visit = await visitOf({ status: 404, body: '<h1>Not\n  found</h1>' });
    expect(await messageOf(refusal(visit))).to.equal(
      'POST /v1/login got 404 in place of 401 wrong_credentials. Mount the login. The body: <h1>Not found</h1>',
    );
    const long = await visitOf({ status: 404, body: `${'x'.repeat(295)}${PASSWORD}${'x'.repeat(100)}` });
    expect(await messageOf(refusal(long))).to.match(/ The body: x{295}<pass\.\.\.$/);
  });

  it('shows no password and no token of the request', async () => {
    const password = 'a "b" & é/2026';
    const disabled = { email: 'fermee@ancien.example', password: 'a "b"' };
    const token = createTokens().issue(AWA);
    const echo = (req: IncomingMessage, sent: string) => `${req.url} ${req.headers.authorization} ${sent}`;
    const visit = await visitOf(
      { status: 500, body: echo },
      { merchant: { ...HOST.merchant, password }, disabledMerchant: disabled },
    );
    const query = `?access_token=${token}&a=${encodeURIComponent(password)}&${String(new URLSearchParams({ b: password }))}`;
    for (const body of [{ password }, { password: disabled.password }, `${password} ${token}x`]) {
      const answer = await visit.transact(token, { query, body });
      expect(() => demandPass(answer, 'Fix it.')).to.throw(
        /^POST \/v1\/transactions\?access_token=<token>&a=<password>&b=<password> with a good .* Bearer <token> .*<password>/,
      );
    }
  });

  it('shows the names of the members of a good answer, and not their values, because one can be a token', async () => {
    const visit = await visitOf({ status: 200, body: '{"data":{"session":"4711"},"ok":true}' });
    expect(await messageOf(visit.tokenOf(visit.host.merchant))).to.match(/ The body has the members data, ok\.$/);
  });

  it('names respond, when the answer has the right code and another status', async () => {
    for (const body of ['{"fault":"wrong_credentials"}', '{"error":"wrong_credentials"}']) {
      expect(await messageOf(refusal(await visitOf({ status: 422, body })))).to.contain(
        ' in place of 401 wrong_credentials. The answer names wrong_credentials, so its status was changed: by respond, by ' +
          'an error handler of yours or by a middleware. Send error.status there. The body: ',
      );
    }
  });

  it('names respond, when the answer is JSON of the host', async () => {
    expect(await messageOf(refusal(await visitOf({ status: 422, body: '{"ok":false}' })))).to.equal(
      'POST /v1/login got 422 in place of 401 wrong_credentials. Mount the login. If respond or an error handler of yours ' +
        'wrote this answer, send error.status there. The body: {"ok":false}',
    );
  });

  it('does not name respond, when the answer is another refusal of the package', async () => {
    const body = JSON.stringify(new AuthError('unreadable_body'));
    expect(await messageOf(refusal(await visitOf({ status: 415, body })))).not.to.contain('respond');
  });
});

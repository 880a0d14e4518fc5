import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { AuthError, createTokens } from '../../../src/index.js';
import type { HostUnderTest } from '../../src/index.js';
import { demandPass, demandRefusal } from '../../src/auth-contract/answer.js';
import { findRoutes } from '../../src/auth-contract/host-routes.js';
import { createVisit, type Visit } from '../../src/auth-contract/visit.js';
import { AWA, PASSWORD } from '../../../test/helpers/accounts.js';
import { HOST } from '../contract.js';
import { serve } from '../../../test/helpers/http.js';
import { rejectionOf } from '../../../test/helpers/thrown.js';

/** Visits a host that answers each request in one way. */
async function visitOf(
  answer: { status: number; body: string | ((req: IncomingMessage, sent: string) => string) },
  change: Partial<HostUnderTest> = {},
): Promise<Visit> {
  const { port } = await serve((req: IncomingMessage, res: ServerResponse) => {
    void text(req).then((sent) => {
      const body = typeof answer.body === 'string' ? answer.body : answer.body(req, sent);
      res.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(body);
    });
  });
  const host = { ...HOST, ...change };
  return createVisit(host, findRoutes(host), `http://127.0.0.1:${port}`, new Map());
}

it('sends its headers where a tracer adds one, as OpenTelemetry does', async () => {
  const visit = await visitOf({ status: 200, body: ({ rawHeaders }) => JSON.stringify(rawHeaders) });
  const { request } = http;
  const traced = (url: string, options: http.RequestOptions) => {
    options.headers = Object.assign(options.headers ?? {}, { traceparent: '00-1-2-00' });
    return request(url, options);
  };
  Object.assign(http, { request: traced });
  try {
    const { text } = await visit.transactAs(undefined, {
      headers: { Authorization: ['Bearer a.b.c', 'Bearer d.e.f'] },
    });
    expect(text)
      .to.include('"Authorization","Bearer a.b.c","Authorization","Bearer d.e.f"')
      .and.include('"traceparent"');
  } finally {
    Object.assign(http, { request });
  }
});

it('sends the headers of the host, which replace headers of the kit with the same names', async () => {
  const headers = { 'idempotency-key': 'of-the-host', 'X-Shop': '7' };
  const visit = await visitOf(
    { status: 200, body: (req) => JSON.stringify(req.headers) },
    { routes: { 'POST /v1/transactions': { headers } } },
  );
  const { json } = await visit.transactAs(undefined, { query: '?amount=1' });
  expect(json).to.include({ 'idempotency-key': 'of-the-host', 'x-shop': '7' });
});

it('sends the body of each method', async () => {
  const visit = await visitOf({ status: 200, body: (_req, sent) => sent });
  for (const method of ['POST', 'DELETE']) {
    expect((await visit.send(method, '/v1/transactions', { body: { amount: 'é' } })).json).to.deep.equal({
      amount: 'é',
    });
  }
});

const messageOf = (fails: Promise<unknown>) => rejectionOf(fails).then((error) => (error as Error).message);

describe('a case that fails on an answer', () => {
  const refusal = (visit: Visit) =>
    visit
      .logIn({ email: AWA.email, password: PASSWORD })
      .then((answer) => demandRefusal(answer, 'wrong_credentials', 'Mount the login.'));

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
    const longer = 'a "b" & é/2026-2';
    const disabled = { email: 'fermee@ancien.example', password: 'a "b"' };
    const token = createTokens().issue(AWA);
    const echo = (req: IncomingMessage, sent: string) => `${req.url} ${req.headers.authorization} ${sent}`;
    const visit = await visitOf(
      { status: 500, body: echo },
      {
        merchant: { ...HOST.merchant, password },
        otherMerchant: { ...HOST.merchant, password: longer },
        disabledMerchant: disabled,
      },
    );
    const query = `?access_token=${token}&a=${encodeURIComponent(password)}&${String(new URLSearchParams({ b: password }))}`;
    for (const body of [{ password }, { password: disabled.password }, { password: longer }, `${password} ${token}x`]) {
      const answer = await visit.transactAs(token, { query, body });
      expect(() => demandPass(answer, 'Fix it.')).to.throw(
        /^POST \/v1\/transactions\?access_token=<token>&a=<password>&b=<password> with a good .* Bearer <token> [^-]*<password>[^-]*$/,
      );
    }
  });

  it('shows the names of the members of a good answer, and not their values, because one can be a token', async () => {
    const visit = await visitOf({ status: 200, body: '{"data":{"session":"4711"},"ok":true}' });
    expect(await messageOf(visit.tokenOf())).to.match(/ The body has the members data, ok\.$/);
  });

  const ownLogin: NonNullable<HostUnderTest['ownLogin']> = {
    body: (user, pin) => ({ user, pin }),
    tokenOf: (body) => (body as { data: { jwt: string } }).data.jwt,
  };
  for (const [status, body, says] of [
    [200, '{"token":"4711"}', 'ownLogin.tokenOf found no token in this body. The body has the members token.'],
    [400, '{}', 'Your validator refused email or password of this account, or ownLogin.body has other member names.'],
    [403, '{"fault":"source_not_allowed"}', 'Allow the address of the test.'],
    [404, '{}', 'Give the account and the loginPath that the host has, and mount the login before the guard.'],
    [429, '{}', 'A limiter refused it: one of yours, or that of this package for failed logins (docs/'],
    [503, '{}', 'The host or its store failed: read its stderr and the body of the answer.'],
  ] as const) {
    it(`says by the status why a login of the host gave no token: ${status}`, async () => {
      const visit = await visitOf({ status, body }, { ownLogin });
      expect(await messageOf(visit.tokenOf())).to.contain(`got ${status}, and no token. ${says}`);
    });
  }

  for (const status of [400, 422]) {
    it(`says that a good transaction does not fit the validation of the host, which answers ${status}`, async () => {
      const visit = await visitOf({ status, body: '["property refercence_cl should not exist"]' });
      const answer = await visit.transactAs('a.b.c');
      expect(() => demandPass(answer, 'Fix it.')).to.throw(
        `the own reference got ${status}. Let transactions.body return what the route accepts, different each time, and let ` +
          'the route accept the reference. A parser after the guard gives it no body. ' +
          'The body: ["property refercence_cl should not exist"]',
      );
    });
  }

  it('is not about a login that answers 201 with a token', async () => {
    const visit = await visitOf({ status: 201, body: '{"data":{"jwt":"a.b.c"}}' }, { ownLogin });
    expect(await visit.tokenOf()).to.equal('a.b.c');
  });

  const named =
    'The answer names wrong_credentials, so respond, an error handler or a middleware changed its status. Send ' +
    'error.status there. The body: ';
  const maybe =
    'Mount the login. If respond or an error handler of yours wrote this answer, send error.status there. The body: ';
  for (const [title, got, body, says] of [
    ['the right code and another status', '422', '{"fault":"wrong_credentials"}', named],
    ['the same, as `error`', '422 wrong_credentials', '{"error":"wrong_credentials"}', named],
    ['JSON of the host', '422', '{"ok":false}', maybe],
    [
      'not another refusal of the package',
      '415 unreadable_body',
      JSON.stringify(new AuthError('unreadable_body')),
      'Mount the login. The body: ',
    ],
  ] as const) {
    it(`names respond for an answer that it can have changed: ${title}`, async () => {
      const visit = await visitOf({ status: Number.parseInt(got, 10), body });
      const expected = `POST /v1/login got ${got} in place of 401 wrong_credentials. ${says}${body}`;
      expect(await messageOf(refusal(visit))).to.equal(expected);
    });
  }
});

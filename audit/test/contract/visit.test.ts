import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { AuthError, createTokens } from '../../../src/index.js';
import type { HostUnderTest } from '../../src/index.js';
import { demandPass, demandRefusal } from '../../src/contract/answer.js';
import { findRoutes } from '../../src/contract/host-routes.js';
import { createVisit, type Visit } from '../../src/contract/visit.js';
import { AWA, PASSWORD } from '../../../test/helpers/accounts.js';
import { HOST } from '../contract.js';
import { SOURCE_NOT_ALLOWED, UNREADABLE_BODY, WRONG_CREDENTIALS } from '../../../test/helpers/answers.js';
import { serve } from '../../../test/helpers/http.js';
import { rejectionOf, thrownBy } from '../../../test/helpers/thrown.js';

type Echo = (req: IncomingMessage, sent: string) => string;

/** Visits a host that answers each request in one way. */
async function visitOf(status: number, body: string | Echo, change: Partial<HostUnderTest> = {}): Promise<Visit> {
  const { port } = await serve((req: IncomingMessage, res: ServerResponse) => {
    void text(req).then((sent) => {
      const answer = typeof body === 'string' ? body : body(req, sent);
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(answer);
    });
  });
  const host = { ...HOST, ...change };
  return createVisit(host, findRoutes(host), `http://127.0.0.1:${port}`, new Map());
}

it('sends its headers where a tracer adds one, as OpenTelemetry does', async () => {
  const visit = await visitOf(200, ({ rawHeaders }) => JSON.stringify(rawHeaders));
  const { request } = http;
  const traced = (url: string, options: http.RequestOptions) => {
    options.headers = Object.assign(options.headers ?? {}, { traceparent: '00-1-2-00' });
    return request(url, options);
  };
  Object.assign(http, { request: traced });
  try {
    const headers = { Authorization: ['Bearer a.b.c', 'Bearer d.e.f'] };
    const { json } = await visit.transactAs(undefined, { headers });
    expect(json).to.include.members(['traceparent', 'Bearer a.b.c', 'Bearer d.e.f']);
  } finally {
    Object.assign(http, { request });
  }
});

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

describe('a case that fails on an answer', () => {
  const refusalOf = async (status: number, body: string) => {
    const visit = await visitOf(status, body);
    const answer = await visit.logIn({ email: AWA.email, password: PASSWORD });
    return (thrownBy(() => demandRefusal(answer, WRONG_CREDENTIALS, 'Mount the login.')) as Error).message;
  };
  const named = `The answer names ${WRONG_CREDENTIALS}, so respond, an error handler or a middleware changed its status. Send error.status there.`;
  const maybe = 'Mount the login. If respond or an error handler of yours wrote this answer, send error.status there.';

  for (const [what, got, body, says] of [
    ['a page', '404', '<h1>Not found</h1>', 'Mount the login.'],
    ['the right code and another status', '422', `{"fault":"${WRONG_CREDENTIALS}"}`, named],
    ['the same, as `error`', `422 ${WRONG_CREDENTIALS}`, `{"error":"${WRONG_CREDENTIALS}"}`, named],
    ['JSON of the host', '422', '{"ok":false}', maybe],
    ['another refusal', `415 ${UNREADABLE_BODY}`, JSON.stringify(new AuthError(UNREADABLE_BODY)), 'Mount the login.'],
  ] as const) {
    it(`says the status and the body, and names respond where it can have changed it: ${what}`, async () => {
      const expected = `POST /v1/login got ${got} in place of 401 ${WRONG_CREDENTIALS}. ${says} The body: ${body}`;
      expect(await refusalOf(Number.parseInt(got, 10), body.replace('Not ', 'Not\n  '))).to.equal(expected);
    });
  }

  it('shows the beginning of a body, without a part of a password at its end', async () => {
    const body = `${'x'.repeat(295)}${PASSWORD}${'x'.repeat(100)}`;
    expect(await refusalOf(404, body)).to.match(/ The body: x{295}<pass\.\.\.$/);
  });

  it('shows no password and no token of the request', async () => {
    const password = 'a "b" & é/2026';
    const longer = `${password}-2`;
    const token = createTokens().issue(AWA);
    const echo: Echo = (req, sent) => `${req.url} ${req.headers.authorization} ${sent}`;
    const visit = await visitOf(500, echo, {
      merchant: { ...HOST.merchant, password },
      otherMerchant: { ...HOST.merchant, password: longer },
      disabledMerchant: { email: 'fermee@ancien.example', password: 'a "b"' },
    });
    const query = `?access_token=${token}&a=${encodeURIComponent(password)}&${String(new URLSearchParams({ b: password }))}`;
    for (const body of [{ password }, { password: 'a "b"' }, { password: longer }, `${password} ${token}x`]) {
      const answer = await visit.transactAs(token, { query, body });
      expect(() => demandPass(answer, 'Fix it.')).to.throw(
        /^POST \/v1\/transactions\?access_token=<token>&a=<password>&b=<password> got 500 .* Bearer <token> [^-]*<password>[^-]*$/,
      );
    }
  });

  const ownLogin: NonNullable<HostUnderTest['ownLogin']> = {
    body: (user, pin) => ({ user, pin }),
    tokenOf: (body) => (body as { data: { jwt: string } }).data.jwt,
  };
  const VALIDATOR =
    'Your validator refused email or password of this account, or ownLogin.body has other member names.';
  for (const [status, body, says] of [
    [
      200,
      '{"data":{"session":"4711"},"ok":true}',
      'ownLogin.tokenOf found no token in this body. The body has the members data, ok.',
    ],
    [400, '{}', VALIDATOR],
    [422, '{}', VALIDATOR],
    [403, `{"fault":"${SOURCE_NOT_ALLOWED}"}`, 'Allow the address of the test.'],
    [404, '{}', 'Give the account and the loginPath that the host has, and mount the login before the guard.'],
    [429, '{}', 'A limiter refused it: one of yours, or that of this package for failed logins (docs/'],
    [503, '{}', 'The host or its store failed: read its stderr and the body of the answer.'],
  ] as const) {
    it(`says by the status why a login of the host gave no token: ${status}`, async () => {
      const visit = await visitOf(status, body, { ownLogin });
      const { message } = (await rejectionOf(visit.tokenOf())) as Error;
      expect(message).to.contain(`got ${status}, and no token. ${says}`);
    });
  }

  it('is not about a login that answers 201 with a token', async () => {
    const visit = await visitOf(201, '{"data":{"jwt":"a.b.c"}}', { ownLogin });
    expect(await visit.tokenOf()).to.equal('a.b.c');
  });

  for (const status of [400, 422]) {
    it(`says that a good transaction does not fit the validation of the host, which answers ${status}`, async () => {
      const visit = await visitOf(status, '["property refercence_cl should not exist"]');
      const answer = await visit.transactAs('a.b.c');
      expect(() => demandPass(answer, 'Fix it.')).to.throw(
        `got ${status} in place of a 2xx. Let transactions.body return what the route accepts, different each time, and let ` +
          'the route accept the reference. A parser after the guard gives it no body. ' +
          'The body: ["property refercence_cl should not exist"]',
      );
    });
  }
});

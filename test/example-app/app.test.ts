import { mock } from 'node:test';
import { createTokens, onAuthEvent } from 'express-merchant-auth';
import { expect } from 'chai';
import { InMemoryTransactionStore } from '../../example-app/src/transactions/in-memory-transaction-store.js';
import { expectError, expectMissingToken, INVALID_URL, METHOD_NOT_ALLOWED } from '../helpers/answers.js';
import { ecPair, otherEcPair } from '../helpers/keys.js';
import { list } from './calls.js';
import { serveApp } from './serve-app.js';

describe('example-app: createApp', () => {
  let printed: string[];

  beforeEach('collect what the package prints', () => {
    printed = [];
    mock.method(console, 'error', (line: string) => void printed.push(line));
  });

  afterEach('print again', () => mock.restoreAll());

  it('guards unknown routes under /v1 too', async () => {
    const { client } = await serveApp();
    for (const path of ['/v1', '/v1/no/such/route', '/v1/transactions/%ff']) {
      expectMissingToken(await client.send('GET', path));
    }
  });

  it('answers unknown routes with 404, and a path that cannot be decoded with 400, in the layout', async () => {
    const { client, awa, lines } = await serveApp();
    const long = `/${'a'.repeat(99)}`;
    for (const [method, path, quoted] of [
      ['GET', '/v1/transaktions?token=geheim', '/v1/transaktions'],
      ['GET', '/v1', '/v1'],
      ['POST', '/login', '/login'],
      ['GET', '/%ff', '/%ff'],
      ['GET', '/"<b>', '/"<b>'],
      ['GET', long, long],
      ['GET', `${long}b`, `${long}...`],
    ] as const) {
      const description = `There is no route ${method} ${quoted}.`;
      const answer = await client.send(method, path, { headers: awa });
      expectError(answer, { code: 404, error: 'not_found', message: 'Not found', description });
    }
    const description = 'The path of the URL cannot be decoded. Percent-encode it as UTF-8, and write a % as %25.';
    const answer = await client.send('GET', '/v1/transactions/%ff', { headers: awa });
    expectError(answer, { code: 400, error: INVALID_URL, message: 'URL not valid', description });
    await client.send('POST', '/v1/transactions', { headers: awa, body: { refercence_cl: 'BTQ-1001' } });
    // None of these mistakes of a caller is logged as a failure.
    expect(lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
    expect(printed).to.deep.equal([]);
  });

  it('answers 405 with Allow to another method of each route, after the guard, and OPTIONS as Express does', async () => {
    const { client, awa } = await serveApp();
    for (const [method, path, allow, description] of [
      ['DELETE', '/v1/transactions?limit=1', 'GET, HEAD, POST', 'Use GET or POST.'],
      ['POST', '/v1/transactions/7', 'GET, HEAD', 'Use GET.'],
      ['PUT', '/openapi.json', 'GET, HEAD', 'Use GET.'],
      ...['/', '/docs', '/docs/docs.css', '/healthz', '/readyz', '/jwks.json'].map((path) => {
        return ['POST', path, 'GET, HEAD', 'Use GET.'] as const;
      }),
    ] as const) {
      const answer = await client.send(method, path, { headers: awa });
      const expected = { code: 405, error: METHOD_NOT_ALLOWED, message: 'Method not allowed', description };
      expectError(answer, expected);
      expect(answer.headers.allow).to.equal(allow);
      if (path.startsWith('/v1')) expectMissingToken(await client.send(method, path));
      const { status, headers } = await client.send('OPTIONS', path, { headers: awa });
      expect(status, path).to.equal(200);
      expect(headers.allow?.split(', ').sort().join(', ')).to.equal(allow);
    }
  });

  it('reports the caller that a proxy of trustProxy names', async () => {
    const sources: (string | undefined)[] = [];
    const stop = onAuthEvent(({ source }) => sources.push(source));
    const { client } = await serveApp({ trustProxy: ['loopback'] });
    await list(client, { 'X-Forwarded-For': '203.0.113.7' });
    stop();
    expect(sources).to.deep.equal(['203.0.113.7']);
  });

  for (const [title, thrown, trace] of [
    ['an error', Object.assign(new Error('no table'), { parameters: ['geheim'] }), /^Error: no table\n +at /],
    ['another value', { password: 'geheim' }, /^A value that is not an Error was thrown\.$/],
  ] as const) {
    it(`answers 500 to ${title} of a route, and logs nothing that can hold a request`, async () => {
      const transactionStore = new InMemoryTransactionStore();
      transactionStore.list = () => Promise.reject(thrown);
      const app = await serveApp({ transactionStore });
      const description = 'Something went wrong here. Try again later.';
      const expected = { code: 500, error: 'internal_error', message: 'Internal error', description };
      expectError(await list(app.client, app.awa), expected);
      expect(printed).to.deep.equal([]);
      expect(app.logged[0]).to.deep.include({ msg: 'Request failed', accountId: '1' });
      expect(app.logged[0]?.['trace']).to.match(trace);
      expect(JSON.stringify(app.lines)).not.to.include('geheim');
    });
  }

  it('sends the security headers of helmet with every answer, and no ETag', async () => {
    const { client, awa } = await serveApp();
    for (const [path, status] of [
      ['/healthz', 200],
      ['/jwks.json', 200],
      ['/v1/transactions', 200],
      ['/no/such/route', 404],
    ] as const) {
      const answer = await client.send('GET', path, { headers: awa });
      expect(answer.status).to.equal(status);
      expect(answer.headers).to.include({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'SAMEORIGIN' });
      expect(answer.headers['strict-transport-security']).to.match(/^max-age=\d+; includeSubDomains$/);
      expect(answer.headers['content-security-policy']).to.include("default-src 'self'");
      expect(answer.headers).not.to.have.any.keys('x-powered-by', 'etag');
    }
  });

  it('publishes the public keys of the current ring, for less time than a rotation waits', async () => {
    const tokens = createTokens({ keys: [{ kid: 'current', algorithm: 'ES256', ...ecPair.prime256v1() }] });
    const { client } = await serveApp({ tokens });
    tokens.replaceKeys([{ kid: 'next', algorithm: 'ES256', ...otherEcPair() }]);
    const { headers, text, json } = await client.send('GET', '/jwks.json');
    expect(json).to.deep.equal(tokens.jwks());
    expect(text).to.include('"kid":"next"').and.not.include('"d"');
    // A new key is published for at least an hour before it signs (docs/keys.md).
    expect(headers['cache-control']).to.equal('public, max-age=300');
    const withSecret = await serveApp();
    expect((await withSecret.client.send('GET', '/jwks.json')).text).to.equal('{"keys":[]}');
  });
});

import { mock } from 'node:test';
import { createTokens, onAuthEvent } from 'express-merchant-auth';
import { expect } from 'chai';
import request from 'supertest';
import { InMemoryTransactionStore } from '../../example-app/src/transactions/in-memory-transaction-store.js';
import { expectError, expectMissingToken, INVALID_URL, METHOD_NOT_ALLOWED } from '../helpers/answers.js';
import { serve } from '../helpers/http.js';
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
    const { app } = serveApp();
    for (const path of ['/v1', '/v1/no/such/route', '/v1/transactions/%ff']) {
      expectMissingToken(await request(app).get(path));
    }
  });

  it('answers unknown routes with 404, and a path that cannot be decoded with 400, in the layout', async () => {
    const { app, awa, lines } = serveApp();
    const noRoute = (route: string) => {
      return { code: 404, error: 'not_found', message: 'Not found', description: `There is no route ${route}.` };
    };
    const long = `/${'a'.repeat(99)}`;
    for (const [method, path, quoted] of [
      ['get', '/v1/transaktions?token=geheim', '/v1/transaktions'],
      ['get', '/v1', '/v1'],
      ['post', '/login', '/login'],
      ['get', '/%ff', '/%ff'],
      ['get', long, long],
      ['get', `${long}b`, `${long}...`],
    ] as const) {
      expectError(await request(app)[method](path).set(awa), noRoute(`${method.toUpperCase()} ${quoted}`));
    }
    // supertest would encode this path.
    const client = await serve(app);
    expectError(await client.send('GET', '/"<b>', { headers: awa }), noRoute('GET /"<b>'));
    const description = 'The path of the URL cannot be decoded. Percent-encode it as UTF-8, and write a % as %25.';
    const answer = await request(app).get('/v1/transactions/%ff').set(awa);
    expectError(answer, { code: 400, error: INVALID_URL, message: 'URL not valid', description });
    await request(app).post('/v1/transactions').set(awa).send({ refercence_cl: 'BTQ-1001' });
    // None of these mistakes of a caller is logged as a failure.
    expect(lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
    expect(printed).to.deep.equal([]);
  });

  it('answers 405 with Allow to another method of each route, after the guard, and OPTIONS as Express does', async () => {
    const { app, awa } = serveApp();
    for (const [method, path, allow, description] of [
      ['delete', '/v1/transactions?limit=1', 'GET, HEAD, POST', 'Use GET or POST.'],
      ['post', '/v1/transactions/7', 'GET, HEAD', 'Use GET.'],
      ['put', '/openapi.json', 'GET, HEAD', 'Use GET.'],
      ...['/', '/docs', '/docs/docs.css', '/healthz', '/readyz', '/jwks.json'].map((path) => {
        return ['post', path, 'GET, HEAD', 'Use GET.'] as const;
      }),
    ] as const) {
      const answer = await request(app)[method](path).set(awa);
      const expected = { code: 405, error: METHOD_NOT_ALLOWED, message: 'Method not allowed', description };
      expectError(answer, expected);
      expect(answer.headers['allow']).to.equal(allow);
      if (path.startsWith('/v1')) expectMissingToken(await request(app)[method](path));
      const { headers } = await request(app).options(path).set(awa).expect(200);
      expect(headers['allow']?.split(', ').sort().join(', ')).to.equal(allow);
    }
  });

  it('reports the caller that a proxy of trustProxy names', async () => {
    const sources: (string | undefined)[] = [];
    const stop = onAuthEvent(({ source }) => sources.push(source));
    const { app } = serveApp({ trustProxy: ['loopback'] });
    await list(app, { 'X-Forwarded-For': '203.0.113.7' });
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
      const served = serveApp({ transactionStore });
      const description = 'Something went wrong here. Try again later.';
      const expected = { code: 500, error: 'internal_error', message: 'Internal error', description };
      expectError(await list(served.app, served.awa), expected);
      expect(printed).to.deep.equal([]);
      expect(served.logged[0]).to.deep.include({ msg: 'Request failed', accountId: '1' });
      expect(served.logged[0]?.['trace']).to.match(trace);
      expect(JSON.stringify(served.lines)).not.to.include('geheim');
    });
  }

  it('sends the security headers of helmet with every answer, and no ETag', async () => {
    const { app, awa } = serveApp();
    for (const [path, status] of [
      ['/healthz', 200],
      ['/jwks.json', 200],
      ['/v1/transactions', 200],
      ['/no/such/route', 404],
    ] as const) {
      const answer = await request(app).get(path).set(awa).expect(status);
      expect(answer.headers).to.include({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'SAMEORIGIN' });
      expect(answer.headers['strict-transport-security']).to.match(/^max-age=\d+; includeSubDomains$/);
      expect(answer.headers['content-security-policy']).to.include("default-src 'self'");
      expect(answer.headers).not.to.have.any.keys('x-powered-by', 'etag');
    }
  });

  it('publishes the public keys of the current ring, for less time than a rotation waits', async () => {
    const tokens = createTokens({ keys: [{ kid: 'current', algorithm: 'ES256', ...ecPair.prime256v1() }] });
    const { app } = serveApp({ tokens });
    tokens.replaceKeys([{ kid: 'next', algorithm: 'ES256', ...otherEcPair() }]);
    const { headers, text } = await request(app).get('/jwks.json').expect(tokens.jwks());
    expect(text).to.include('"kid":"next"').and.not.include('"d"');
    // A new key is published for at least an hour before it signs (docs/keys.md).
    expect(headers['cache-control']).to.equal('public, max-age=300');
    const withSecret = serveApp();
    await request(withSecret.app).get('/jwks.json').expect('{"keys":[]}');
  });
});

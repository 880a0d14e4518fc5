import { expect } from 'chai';
import { serveApp } from './serve-app.js';

describe('example-app: the headers', () => {
  it('sends the security headers of helmet with every answer, and does not say what it runs on', async () => {
    const { client, awa } = await serveApp();
    for (const [path, status] of [
      ['/healthz', 200],
      ['/v1/transactions', 200],
      ['/v1/transactions/none', 404],
      ['/no/such/route', 404],
    ] as const) {
      const answer = await client.send('GET', path, { headers: awa });
      expect(answer.status).to.equal(status);
      expect(answer.headers).to.include({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'SAMEORIGIN' });
      expect(answer.headers['strict-transport-security']).to.match(/^max-age=\d+; includeSubDomains$/);
      expect(answer.headers['content-security-policy']).to.include("default-src 'self'");
      expect(answer.headers).not.to.have.property('x-powered-by');
    }
  });

  it('publishes the keys without a token, outside /v1', async () => {
    const { client } = await serveApp();
    const answer = await client.send('GET', '/jwks.json');
    expect(answer.status).to.equal(200);
    expect(answer.text).to.equal('{"keys":[]}');
    expect(answer.headers['cache-control']).to.match(/^public, max-age=\d+$/);
  });
});

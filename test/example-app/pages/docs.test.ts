import { expect } from 'chai';
import request from 'supertest';
import { createDocument } from '../../../example-app/src/openapi/document.js';
import { demoAccounts } from '../../../example-app/src/demo-accounts.js';
import { create, list } from '../calls.js';
import { serveApp, type ServedApp } from '../serve-app.js';

describe('example-app: GET /docs', () => {
  let app: ServedApp['app'];
  let awa: ServedApp['awa'];

  beforeEach('create the app', () => {
    ({ app, awa } = serveApp());
  });

  it('has the title, the text and every operation before a script runs', async () => {
    const { text } = await request(app).get('/docs');
    const [, main = ''] = /<main[^>]*>([^]*)<\/main>/.exec(text) ?? [];
    const content = main.replaceAll(/(<\/t[dh]>|<tr>)\n/g, '$1');
    expect(content).to.include('<h1>Merchant payments</h1>');
    expect(content).to.include('open <strong>Log in</strong> and press <em>Execute</em>.');
    expect(content).to.include('<a href="/docs">/docs</a>').and.include('<code>X-Request-Id</code>');
    expect(content).to.include('<th>demo account</th><th>password</th><th>refercence_cl</th><th>state</th>');
    for (const { email, password, marchand } of demoAccounts) {
      expect(content).to.include(`<tr><td>${email}</td><td>${password}</td><td>${marchand.referencl}</td>`);
    }
    for (const [path, methods] of Object.entries(createDocument([]).paths)) {
      for (const [method, { summary }] of Object.entries(methods)) {
        expect(content).to.include(`<li><code>${method.toUpperCase()} ${path}</code> ${summary}</li>`);
      }
    }
    expect(content).not.to.match(/[|*]|\{\{/);
  });

  it('is compressed with its files, in an encoding that the browser accepts', async () => {
    const { text } = await request(app).get('/docs');
    const files = [...text.matchAll(/(?:src|href)="(\/docs\/[^"]+\.(?:css|m?js)\?[^"]+)"/g)].map(([, url = '']) => url);
    expect(files).to.have.length(4);
    for (const path of ['/', '/docs', '/openapi.json', ...files]) {
      for (const [accepted, encoding] of [
        ['gzip, deflate, br', 'br'],
        ['gzip', 'gzip'],
        ['identity', undefined],
      ] as const) {
        const { headers } = await request(app).get(path).set('Accept-Encoding', accepted).expect(200);
        expect(headers['content-encoding'], path).to.equal(encoding);
        expect(headers['vary'], path).to.include('Accept-Encoding');
      }
    }
  });

  it('does not make the app compress an answer to a caller with a token, because of BREACH', async () => {
    for (let count = 0; count < 5; count++) await create(app, awa);
    const { text, headers } = await list(app, { ...awa, 'Accept-Encoding': 'gzip, br' });
    expect(headers).not.to.have.any.keys('content-encoding', 'vary');
    // A shorter answer would not be compressed anyway.
    expect(text).to.have.length.above(1_024);
  });

  it('lets the browser keep files of the current version only, and revalidate the others', async () => {
    for (const path of ['/docs/docs.css', '/docs/docs.css?v=AAAAAAAAAAAA']) {
      const { headers } = await request(app).get(path).expect(200).expect('Cache-Control', 'no-cache');
      const known = { 'If-None-Match': headers['etag'] ?? '' };
      await request(app).get(path).set(known).expect(304);
    }
  });
});

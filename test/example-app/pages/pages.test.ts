import { execFile, spawnSync } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import request from 'supertest';
import { demoAccounts } from '../../../example-app/src/demo-accounts.js';
import { serve } from '../../helpers/http.js';
import { readPage } from '../../helpers/snippets.js';
import { declareUnavailable } from '../../helpers/unavailable.js';
import { serveApp } from '../serve-app.js';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join(';');

const ASSETS = {
  '/docs/swagger-ui.css': 'text/css',
  '/docs/swagger-ui-bundle.js': 'text/javascript',
  '/docs/docs.css': 'text/css',
  '/docs/docs.mjs': 'text/javascript',
  '/docs/home.css': 'text/css',
  '/docs/home.mjs': 'text/javascript',
  '/docs/snippets.mjs': 'text/javascript',
  '/docs/icon.svg': 'image/svg+xml',
} as const;

const PAGES = ['/', '/docs'] as const;

describe('example-app: the pages', () => {
  for (const path of PAGES) {
    it(`serves ${path} as HTML under a policy without inline scripts and styles`, async () => {
      const { app } = serveApp();
      const { headers, text } = await request(app).get(path).expect(200);
      expect(headers['content-type']).to.equal('text/html; charset=utf-8');
      expect(headers['content-security-policy']).to.equal(POLICY);
      expect(text).to.match(/^<!doctype html>/);
      expect(text).not.to.match(/<script(?![^>]* src=)|<style|\s(style|on\w+)=|\{\{/i);
      const loaded = [...text.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)].map(([, url = '']) => url);
      expect(loaded).to.have.length.above(2);
      for (const url of loaded.filter((each) => each !== '/openapi.json')) {
        const [file = '', version] = url.split('?v=');
        expect(ASSETS).to.have.property(file);
        expect(version, file).to.match(/^[\w-]{12}$/);
        const { 'cache-control': caching } = (await request(app).get(url)).headers;
        expect(caching).to.equal('public, max-age=31536000, immutable');
      }
    });
  }

  it('serves the files of the pages, and no other file', async () => {
    const { app } = serveApp();
    for (const [path, type] of Object.entries(ASSETS)) {
      const { headers } = await request(app).get(path).expect(200);
      expect(headers['content-type']?.split(';')[0]).to.equal(type);
    }
    for (const path of [
      '/docs/index.html',
      '/docs/swagger-initializer.js',
      '/docs/..%2fpackage.json',
      '/docs/docs.html',
    ]) {
      await request(app).get(path).expect(404);
    }
  });

  it('serves / and its files with less than 30 kB, headers included', async () => {
    const { app } = serveApp();
    const { text: html } = await request(app).get('/');
    const files = [...html.matchAll(/ (?:src|href)="(\/docs\/[^"]+)"/g)].map(([, url = '']) => url);
    expect(files).to.have.length(4);
    const sizes = ['/', ...files].map(async (url) => {
      const { headers } = await request(app).get(url).set('Accept-Encoding', 'identity');
      return Number(headers['content-length']) + JSON.stringify(headers).length;
    });
    expect((await Promise.all(sizes)).reduce((sum, size) => sum + size)).to.be.below(30_000);
  });

  for (const [path, accepted, language] of [
    ['/', 'fr-CI,fr;q=0.9,en;q=0.5', 'fr'],
    ['/', 'en-US,fr;q=0.5', 'en'],
    ['/', 'de', 'en'],
    ['/?lang=fr', 'en', 'fr'],
    ['/?lang=en', 'fr', 'en'],
    ['/?lang=de&lang=fr', 'en', 'en'],
  ] as const) {
    it(`serves ${path} in ${language} to a browser that accepts ${accepted}`, async () => {
      const { app } = serveApp();
      const { headers, text } = await request(app).get(path).set('Accept-Language', accepted);
      expect(headers['content-language']).to.equal(language);
      expect(headers['vary']).to.include('Accept-Language');
      expect(text).to.include(`<html lang="${language}">`);
      const other = language === 'en' ? 'fr' : 'en';
      expect(text).to.include(`<a href="/?lang=${other}" lang="${other}" hreflang="${other}">`);
    });
  }

  it('shows no account without demo accounts', async () => {
    const { app } = serveApp({ demoAccounts: [] });
    for (const path of [...PAGES, '/openapi.json', ...Object.keys(ASSETS)]) {
      const { body } = (await request(app).get(path).responseType('blob')) as { body: Buffer };
      for (const { email, password } of demoAccounts)
        expect(body.toString()).not.to.include(email).and.not.include(password);
    }
    const { text } = await request(app).get('/');
    expect(text).to.include('<label class="account" hidden>').and.include(' name="password" ');
  });

  it('serves the Postman collection of the repository', async () => {
    const { app } = serveApp();
    await request(app).get('/postman.json').expect(readPage('docs/postman.json'));
  });
});

/** The programs that run the code of `/` from their input. */
const PROGRAMS = [
  { language: 'curl', command: 'bash', args: ['-s'], probe: ['-c', 'curl --version'] },
  { language: 'Node.js', command: process.execPath, args: ['--input-type=module', '-'], probe: ['--version'] },
  { language: 'PHP', command: 'php', args: [], probe: ['-r', 'exit(extension_loaded("curl") ? 0 : 1);'] },
  { language: 'Python', command: 'python3', args: ['-'], probe: ['--version'] },
] as const;

interface ShownRequest {
  readonly url: string;
  readonly guarded?: boolean;
  readonly token?: string;
  readonly body?: Readonly<Record<string, string | number>>;
}

type Snippets = Readonly<Record<string, (request: ShownRequest) => string>>;

describe('example-app: the code on /', () => {
  let languages: Snippets;

  before('load the script', async () => {
    const file = path.resolve(__dirname, '../../../example-app/public/snippets.mjs');
    ({ languages } = (await import(pathToFileURL(file).href)) as { languages: Snippets });
  });

  it('is in these languages', () => {
    expect(Object.keys(languages)).to.deep.equal(PROGRAMS.map(({ language }) => language));
  });

  for (const { language, command, args, probe } of PROGRAMS) {
    const title = `sends the shown requests with ${language}`;
    if (spawnSync(command, probe).status !== 0) {
      declareUnavailable(`${title}: needs ${command}`, `There is no ${command} that can send a request.`);
      continue;
    }
    it(title, async () => {
      const received: unknown[] = [];
      const { port } = await serve((req: IncomingMessage, res: ServerResponse) => {
        void text(req).then((body) => {
          const { authorization, 'content-type': type } = req.headers;
          received.push([req.method, req.url, authorization, type, body && JSON.parse(body)]);
          res.end('{}');
        });
      });
      const url = `http://127.0.0.1:${port}/v1/transactions`;
      const body = { email: `é $HOME "a" 'b' \\n \`c\` {d}`, amount: 5000 };
      for (const request of [
        { url, body },
        { url, guarded: true, body },
        { url, guarded: true, token: 'none' },
      ]) {
        const options = { env: { ...process.env, no_proxy: '*', TOKEN: 'abc' } };
        const run = promisify(execFile)(command, args, options);
        run.child.stdin?.end(languages[language]?.(request));
        await run;
      }
      const json = 'application/json';
      expect(received).to.deep.equal([
        ['POST', '/v1/transactions', undefined, json, body],
        ['POST', '/v1/transactions', 'Bearer abc', json, body],
        ['GET', '/v1/transactions', 'Bearer none', undefined, ''],
      ]);
    });
  }
});

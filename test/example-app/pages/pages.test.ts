import { execFileSync, spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { demoAccounts } from '../../../example-app/src/demo-accounts.js';
import { declareUnavailable } from '../../helpers/unavailable.js';
import { startApp } from '../app-process.js';
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
  '/docs/icon.svg': 'image/svg+xml',
} as const;

const PAGES = ['/', '/docs'] as const;

describe('example-app: the pages', () => {
  for (const path of PAGES) {
    it(`serves ${path} as HTML under a policy without inline scripts and styles`, async () => {
      const { client } = await serveApp();
      const { status, headers, text } = await client.send('GET', path);
      expect(status).to.equal(200);
      expect(headers['content-type']).to.equal('text/html; charset=utf-8');
      expect(headers['content-security-policy']).to.equal(POLICY);
      expect(text).to.match(/^<!doctype html>/);
      expect(text).not.to.match(/<script(?![^>]* src=)|<style|\s(style|on\w+)=|\{\{/i);
      const loaded = [...text.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)].map(([, url]) => url);
      expect(loaded).to.have.length.above(2);
      for (const url of loaded) expect(ASSETS).to.have.property(url ?? '');
    });
  }

  it('serves the files of the pages from the built app, and no other file', async () => {
    const { client } = await startApp();
    for (const [path, type] of Object.entries(ASSETS)) {
      const { status, headers } = await client.send('GET', path);
      expect([status, headers['content-type']?.split(';')[0]]).to.deep.equal([200, type]);
    }
    for (const path of [
      '/docs/index.html',
      '/docs/swagger-initializer.js',
      '/docs/..%2fpackage.json',
      '/docs/docs.html',
    ]) {
      expect((await client.send('GET', path)).status, path).to.equal(404);
    }
  });

  it('shows the routes, the demo accounts and the way to /docs on /', async () => {
    const { client } = await serveApp();
    const { text } = await client.send('GET', '/');
    const row = '<tr><td><code>POST /v1/login</code></td><td>Log in</td></tr>';
    expect(text).to.include(row);
    expect(text.match(/<tr><td><code>(GET|POST) /g)).to.have.length(7);
    for (const { email, password, marchand } of demoAccounts) {
      const cells = [email, password, marchand.referencl].map((value) => `<td><code>${value}</code></td>`);
      expect(text).to.include(`<tr>${cells.join('')}`);
    }
    for (const link of ['/docs', '/openapi.json', '/healthz']) expect(text).to.include(`href="${link}"`);
    expect(text).to.include(`"email":"awa@boutique.example","password":"baobab-2026"`);
  });

  it('shows no account without demo accounts', async () => {
    const { client } = await serveApp({ demoAccounts: [] });
    for (const path of [...PAGES, '/openapi.json', ...Object.keys(ASSETS)]) {
      const { text } = await client.send('GET', path);
      for (const { email, password } of demoAccounts) expect(text).not.to.include(email).and.not.include(password);
    }
    const { text } = await client.send('GET', '/');
    expect(text).to.include(' http://localhost:3000/readyz').and.include('<section hidden>');
  });
});

/** Runs a command in the shell that it is for, and returns its output. */
function runInShell(command: string): string {
  if (process.platform !== 'win32') return execFileSync('sh', ['-c', command], { encoding: 'utf8' });
  const encoded = Buffer.from(`${command} | ConvertTo-Json`, 'utf16le').toString('base64');
  return execFileSync('powershell', ['-NoProfile', '-EncodedCommand', encoded], { encoding: 'utf8' });
}

describe('example-app: the command that the process prints', () => {
  const hasProgram = process.platform === 'win32' || spawnSync('curl', ['--version']).status === 0;
  const title = 'logs in when a shell runs it';
  if (!hasProgram) declareUnavailable(`${title}: needs curl`, 'curl is not installed.');
  else {
    it(title, async () => {
      const app = await startApp();
      const [, command = ''] = /^Try: (.*)$/m.exec(app.printed()) ?? [];
      expect(command).to.include(`http://localhost:${app.port}/v1/login `);
      const answer = JSON.parse(runInShell(command)) as { code: number };
      expect(answer.code).to.equal(200);
    });
  }
});

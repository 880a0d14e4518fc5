import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { firstCall } from '../../example-app/src/announce.js';
import { demoAccounts } from '../../example-app/src/demo-accounts.js';
import { serve } from '../helpers/http.js';
import { declareUnavailable } from '../helpers/unavailable.js';
import { serveApp } from './serve-app.js';

const URL = 'http://localhost:3000';

/** Runs a command in the shell that it is for, and returns its output. */
async function runInShell(command: string): Promise<string> {
  const run = promisify(execFile);
  if (process.platform !== 'win32') return (await run('sh', ['-c', command])).stdout;
  const encoded = Buffer.from(`${command} | ConvertTo-Json`, 'utf16le').toString('base64');
  return (await run('powershell', ['-NoProfile', '-EncodedCommand', encoded])).stdout;
}

describe('example-app: firstCall', () => {
  const title = 'logs in when a shell runs it';
  if (process.platform !== 'win32' && spawnSync('curl', ['--version']).status !== 0) {
    declareUnavailable(`${title}: needs curl`, 'curl is not installed.');
  } else {
    it(title, async () => {
      const { port } = await serve(serveApp().app);
      const command = firstCall(`http://127.0.0.1:${port}`, demoAccounts);
      expect(JSON.parse(await runInShell(command))).to.include({ code: 200 });
    });
  }

  it('is for PowerShell on Windows', () => {
    const real = process.platform;
    Object.defineProperty(process, 'platform', { value: 'win32' });
    try {
      expect([firstCall(URL, demoAccounts), firstCall(URL, [])]).to.deep.equal([
        `Invoke-RestMethod ${URL}/v1/login -Method Post -ContentType application/json -Body '{"email":"awa@boutique.example","password":"baobab-2026"}'`,
        `Invoke-RestMethod ${URL}/readyz`,
      ]);
    } finally {
      Object.defineProperty(process, 'platform', { value: real });
    }
  });
});

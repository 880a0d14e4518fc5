import { expect } from 'chai';
import { firstCall } from '../../example-app/src/announce.js';
import { demoAccounts } from '../../example-app/src/demo-accounts.js';

const URL = 'http://localhost:3000';
const BODY = `'{"email":"awa@boutique.example","password":"baobab-2026"}'`;

describe('example-app: firstCall', () => {
  for (const [platform, probe, login] of [
    ['linux', `curl -s ${URL}/readyz`, `curl -s ${URL}/v1/login -H 'Content-Type: application/json' -d ${BODY}`],
    [
      'win32',
      `Invoke-RestMethod ${URL}/readyz`,
      `Invoke-RestMethod ${URL}/v1/login -Method Post -ContentType application/json -Body ${BODY}`,
    ],
  ] as const) {
    it(`is a command for the shell of ${platform}`, () => {
      const real = process.platform;
      Object.defineProperty(process, 'platform', { value: platform });
      try {
        expect([firstCall(URL, demoAccounts), firstCall(URL, [])]).to.deep.equal([login, probe]);
      } finally {
        Object.defineProperty(process, 'platform', { value: real });
      }
    });
  }
});

import { expect } from 'chai';
import { firstCall } from '../../example-app/src/announce.js';
import { demoAccounts } from '../../example-app/src/demo-accounts.js';

const URL = 'http://localhost:3000';
const BODY = `'{"email":"awa@boutique.example","password":"baobab-2026"}'`;

describe('example-app: firstCall', () => {
  for (const platform of ['linux', 'darwin'] as const) {
    it(`is a curl command on ${platform}`, () => {
      const login = `curl -s ${URL}/v1/login -H 'Content-Type: application/json' -d ${BODY}`;
      expect(firstCall(URL, demoAccounts, platform)).to.equal(login);
      expect(firstCall(URL, [], platform)).to.equal(`curl -s ${URL}/readyz`);
    });
  }

  it('is a command of PowerShell on Windows, because curl is another command in Windows PowerShell', () => {
    const login = `Invoke-RestMethod ${URL}/v1/login -Method Post -ContentType application/json -Body ${BODY}`;
    expect(firstCall(URL, demoAccounts, 'win32')).to.equal(login);
    expect(firstCall(URL, [], 'win32')).to.equal(`Invoke-RestMethod ${URL}/readyz`);
  });

  it('quotes each demo account with single quotes, so no account has one', () => {
    for (const { email, password } of demoAccounts) expect(`${email}${password}`).not.to.match(/['\\]/);
  });
});

import { expect } from 'chai';
import { AWA, KOFI, PASSWORD, WRONG } from '../helpers/accounts.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { serveLogin } from '../helpers/login-host.js';
import { collectWarnings } from '../helpers/warnings.js';

describe('logins whose source is undetermined', () => {
  let warnings: string[];
  beforeEach(() => {
    warnings = collectWarnings();
  });

  it('are limited by their peer and their email, whatever the header says (ASVS 2.4.1, 4.1.3, 6.1.1, 6.3.1)', async () => {
    const { logIn, fail } = await serveLogin({ trustProxy: false });
    expect((await logIn(AWA.email, PASSWORD, '203.0.113.7')).status).to.equal(200);
    for (let guess = 0; guess < 1_000; guess++) {
      await fail(1, `guess${guess}@boutique.example`, `198.51.100.${guess % 250}`);
    }
    expect((await logIn(KOFI.email, PASSWORD, '203.0.113.8')).status).to.equal(429);
    // Awa logged in through this peer, so the limit of the peer does not count for her.
    for (let guess = 0; guess < 10; guess++) await logIn(AWA.email, WRONG, `198.51.100.${guess}`);
    expect((await logIn(AWA.email, PASSWORD, '203.0.113.7')).status).to.equal(200);
    for (let guess = 0; guess < 100; guess++) await logIn(AWA.email, WRONG, `198.51.100.${guess}`);
    expect((await logIn(AWA.email, PASSWORD, '203.0.113.7')).status).to.equal(429);
  });

  it('cause another warning after an hour, when they cost a login', async () => {
    const time = freezeTime();
    // Other tests warn at the real time, so the fixed time must be later.
    time.pass(10 * 365 * 86_400);
    const { logIn } = await serveLogin({ trustProxy: false });
    const warned = () => warnings.filter((warning) => warning.includes('"trust proxy"')).length;
    for (let guess = 0; guess < 101; guess++) await logIn(AWA.email, WRONG, '198.51.100.1');
    const before = warned();
    await logIn(AWA.email, WRONG, '198.51.100.1');
    expect(warned()).to.equal(before);
    time.pass(3_601);
    for (let guess = 0; guess < 101; guess++) await logIn(AWA.email, WRONG, '198.51.100.1');
    expect(warned()).to.equal(before + 1);
  });
});

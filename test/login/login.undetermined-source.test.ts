import { expect } from 'chai';
import { createLoginThrottle } from '../../src/index.js';
import { PEER_LIMIT } from '../../src/throttle/login-throttle.js';
import { AWA, KOFI, PASSWORD, WRONG } from '../helpers/accounts.js';
import { expectWrongCredentials } from '../helpers/answers.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { serveLogin } from '../helpers/login-host.js';
import { collectWarnings } from '../helpers/warnings.js';

it('limits logins of an undetermined source by peer and email, whatever the header says', async () => {
  const time = freezeTime();
  // Other tests warn at the real time, so the fixed time must be later.
  time.pass(10 * 365 * 86_400);
  const warnings = collectWarnings();
  const throttle = createLoginThrottle({ email: { failures: 20, seconds: 900 } });
  const { logIn, fail } = await serveLogin({ trustProxy: false, throttle });
  expect((await logIn(AWA.email, PASSWORD, '203.0.113.7')).status).to.equal(200);
  for (let guess = 0; guess < PEER_LIMIT.failures; guess++) {
    await fail(1, `guess${guess}@boutique.example`, `198.51.100.${guess % 250}`);
  }
  expect((await logIn(KOFI.email, PASSWORD, '203.0.113.8')).status).to.equal(429);
  // Awa logged in through this peer, so the limit of the peer does not count for her.
  for (let guess = 0; guess < 10; guess++) await logIn(AWA.email, `${WRONG} ${guess}`, `198.51.100.${guess}`);
  expect((await logIn(AWA.email, PASSWORD, '203.0.113.7')).status).to.equal(200);
  for (let guess = 10; guess < 30; guess++) await logIn(AWA.email, `${WRONG} ${guess}`, `198.51.100.${guess}`);
  expect((await logIn(AWA.email, PASSWORD, '203.0.113.7')).status).to.equal(429);
  // The host is warned again when the missing source costs a login after an hour.
  const warned = () => warnings.filter((warning) => warning.includes('"trust proxy"')).length;
  const before = warned();
  time.pass(3_601);
  for (let guess = 0; guess <= 20; guess++) await logIn(KOFI.email, `${WRONG} ${guess}`, '198.51.100.1');
  expect(warned()).to.equal(before + 1);
});

it('keeps a merchant in beside 100 guesses of a stranger behind a proxy that sends another header', async () => {
  collectWarnings();
  for (const trustProxy of [false, 'loopback']) {
    const { client } = await serveLogin({ trustProxy });
    const send = (email: string, password: string, address: string) =>
      client.send('POST', '/v1/login', { body: { email, password }, headers: { 'X-Real-IP': address } });
    expect((await send(AWA.email, PASSWORD, '203.0.113.7')).status).to.equal(200);
    for (let guess = 0; guess < 100; guess++) {
      expectWrongCredentials(await send(`guess${guess}@boutique.example`, WRONG, '198.51.100.66'));
    }
    expect((await send(AWA.email, PASSWORD, '203.0.113.7')).status).to.equal(200);
  }
});

it('warns that all callers may share a private address, when that address is at the limit of a source', async () => {
  const time = freezeTime();
  time.pass(20 * 365 * 86_400);
  const throttle = createLoginThrottle({ source: { failures: 2, seconds: 900 } });
  const { logIn, fail } = await serveLogin({ throttle });
  const warnings = collectWarnings();
  await fail(2, KOFI.email);
  expect(warnings).to.deep.equal([]);
  for (let login = 0; login < 2; login++) expect((await logIn()).status).to.equal(429);
  expect(warnings).to.have.length(1);
  expect(warnings[0]).to.include('all callers share this address and this limit');
});

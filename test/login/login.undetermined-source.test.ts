import { expect } from 'chai';
import { createLoginThrottle } from '../../src/index.js';
import { AWA, KOFI, PASSWORD } from '../helpers/accounts.js';
import { controlledThrottle } from '../helpers/controlled-throttle.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { serveLogin } from '../helpers/login-host.js';

it('counts a login of an undetermined source by email and peer, and warns again each hour that this refuses one', async () => {
  const time = freezeTime();
  // Other tests warn at the real time, so the fixed time must be later.
  time.pass(10 * 365 * 86_400);
  const warnings = collectWarnings();
  const { throttle, calls } = controlledThrottle({ email: { failures: 3, seconds: 7_200 } });
  const { logIn, failElsewhere } = await serveLogin({ trustProxy: false, throttle });
  await failElsewhere(3);
  const counted = calls.filter(({ method }) => method === 'penalty');
  expect(new Set(counted.map(({ counter }) => counter))).to.deep.equal(new Set(['guess', 'email', 'peer']));
  expect(new Set(counted.filter(({ counter }) => counter === 'peer').map(({ key }) => key)).size).to.equal(1);
  const warned = () => warnings.filter((warning) => warning.includes('"trust proxy"')).length;
  const before = warned();
  for (let login = 0; login < 2; login++) {
    expect((await logIn(AWA.email, PASSWORD, '203.0.113.7')).status).to.equal(429);
  }
  time.pass(3_601);
  expect((await logIn(AWA.email, PASSWORD, '203.0.113.7')).status).to.equal(429);
  expect(warned()).to.equal(before + 1);
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

import { expect } from 'chai';
import { createPasswords } from '../../src/index.js';
import { type LoginConfig, verifyCredentials } from '../../src/login/verify-credentials.js';
import { Places } from '../../src/passwords/permits.js';
import { createKeyedDigest } from '../../src/pepper.js';
import { accountStore, AWA, PASSWORD } from '../helpers/accounts.js';
import { rejectionOf } from '../helpers/thrown.js';
import { settle, until } from '../helpers/until.js';

const MOST = 1_000;

/** Logins whose throttle answers when the test wants it to. */
function manualThrottle() {
  const checks: ((seconds: number) => void)[] = [];
  const config: LoginConfig = {
    userStore: accountStore(),
    passwords: createPasswords(),
    throttle: {
      isShared: true,
      check: () => new Promise((resolve) => void checks.push(resolve)),
      fail: () => Promise.resolve(0),
      succeed: () => undefined,
    },
    checks: new Places(),
    digest: createKeyedDigest('a pepper of the test, 32 bytes or more', false),
    storeTimeoutMs: 1_000,
    realm: 'merchant',
  };
  const logIn = () =>
    verifyCredentials(config, {
      body: { email: AWA.email, password: PASSWORD },
      source: '198.51.100.1',
      signal: new AbortController().signal,
    });
  return { checks, logIn };
}

describe('verifyCredentials', () => {
  it(`asks the throttle for ${MOST} logins at a time, and sheds the others without asking`, async () => {
    const { checks, logIn } = manualThrottle();
    const inside = Array.from({ length: MOST }, () => rejectionOf(logIn()));
    await settle();
    expect(checks).to.have.length(MOST);
    for (let beyond = 0; beyond < 2; beyond += 1) {
      expect(await rejectionOf(logIn())).to.include({ code: 'too_busy', status: 503 });
    }
    expect(checks).to.have.length(MOST);

    checks[0]?.(60);
    expect(await inside[0]).to.include({ code: 'too_many_attempts' });
    const next = logIn();
    await settle();
    expect(checks).to.have.length(MOST + 1);
    for (const answer of checks.slice(1, MOST)) answer(60);
    await Promise.all(inside);
    checks[MOST]?.(0);
    await until(() => checks.length === MOST + 2);
    checks[MOST + 1]?.(0);
    expect((await next).account).to.deep.equal(AWA);
  });
});

import { expect } from 'chai';
import { AWA, PASSWORD } from '../helpers/accounts.js';
import { expectTooManyAttempts } from '../helpers/answers.js';
import { expectEvents, recordEvents } from '../helpers/events.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { addressOf, serveLogin } from '../helpers/login-host.js';
import { quickAccountStore } from '../helpers/quick-passwords.js';
import { createLogin } from '../../src/index.js';
import { DEFAULT_LIMITS } from '../../src/throttle/throttle-options.js';
import { createKeyedDigest } from '../../src/login/keyed-digest.js';
import { identify } from '../../src/login/login-identity.js';
import { controlledThrottle } from '../helpers/controlled-throttle.js';
import { rejectionOf } from '../helpers/thrown.js';

const OWN = '203.0.113.7';
const { emailAndSource, email } = DEFAULT_LIMITS;

describe('login.forgive', () => {
  it('clears the failures from all sources, and with a source only the failures from it', async () => {
    freezeTime();
    const { login, logIn, fail } = await serveLogin();
    for (let at = 0; at < email.failures; at++) await fail(1, AWA.email, addressOf(at));
    const events = recordEvents();
    expectTooManyAttempts(await logIn(AWA.email, PASSWORD, OWN), email.seconds);
    const [throttled] = events.splice(0);
    await login.forgive(AWA.email.toUpperCase());
    expectEvents(events.splice(0), { type: 'login_forgiven', realm: 'merchant', source: undefined });
    await fail(emailAndSource.failures, AWA.email, OWN);
    await login.forgive(AWA.email, { source: undefined } as object);
    expectTooManyAttempts(await logIn(AWA.email, PASSWORD, OWN), emailAndSource.seconds);

    expect(throttled).to.include({ type: 'login_throttled', source: OWN });
    events.length = 0;
    await login.forgive(AWA.email, { source: String(throttled?.source) });
    expectEvents(events, { type: 'login_forgiven', realm: 'merchant', source: OWN });
    expect((await logIn(AWA.email, PASSWORD, OWN)).status).to.equal(200);
  });
});

describe('the source of login.forgive', () => {
  for (const [source, addresses] of [
    ['2001:db8:0:7::/64', ['2001:db8:0:7::/64', '2001:db8:0:7::1']],
    ['203.0.113.7', ['203.0.113.7', '::ffff:203.0.113.7']],
  ] as const) {
    it(`may be any address of ${source}, as a proxy writes it`, async () => {
      const { calls, throttle } = controlledThrottle();
      const digestKey = 'a digestKey of 32 bytes, or more';
      const { keys } = identify(createKeyedDigest('test', digestKey, true), 'merchant', AWA.email, {
        source,
        address: source,
      });
      const login = createLogin(quickAccountStore(), { throttle, digestKey });
      for (const address of addresses) {
        await login.forgive(AWA.email, { source: address });
        const cleared = calls.splice(0).map(({ key }) => key);
        expect(cleared, address).to.include(keys('').emailAndSource);
      }
    });
  }
});

describe('the arguments of login.forgive', () => {
  it('are checked, so that the operator notices a mistake', async () => {
    const login = createLogin(quickAccountStore());
    for (const [message, ...mistakes] of [
      [
        'login.forgive needs the email or user name first: login.forgive(identifier, { source }).',
        ...[[], [null], [7], [''], [AWA]],
      ],
      [
        'login.forgive: the options must be a plain object, { name: value }.',
        ...[OWN, null, 7, [OWN]].map((options) => [AWA.email, options]),
      ],
      ['login.forgive: unknown option "sorce". Known options: source.', [AWA.email, { sorce: OWN }]],
      [
        'login.forgive: source must be an address, or the source of the event login_throttled.',
        ...['', 'unknown', '203.0.113', '2001:db8::/32', null, 7].map((source) => [AWA.email, { source }]),
      ],
    ] as [string, ...Parameters<typeof login.forgive>[]][]) {
      for (const mistake of mistakes) {
        const error = await rejectionOf(login.forgive(...mistake));
        expect(error).to.be.instanceOf(TypeError).with.property('message', message);
      }
    }
  });

  it('resolves when nothing is counted', async () => {
    await createLogin(quickAccountStore(), { throttle: false }).forgive(AWA.email, { source: OWN });
  });
});

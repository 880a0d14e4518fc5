import { expect } from 'chai';
import { AWA, PASSWORD } from '../helpers/accounts.js';
import { expectTooManyAttempts } from '../helpers/answers.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { type Answer, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { quickAccountStore, quickPasswords } from '../helpers/quick-passwords.js';
import { type AuthEvent, createLogin, createLoginThrottle } from '../../src/index.js';
import { createKeyedDigest } from '../../src/login/keyed-digest.js';
import { identify } from '../../src/login/login-identity.js';
import { controlledThrottle } from '../helpers/controlled-throttle.js';
import { rejectionOf } from '../helpers/thrown.js';

const WRONG = 'not the password';
const OWN = '203.0.113.7';

onEachExpress('login.forgive', ({ auth, express }) => {
  async function serveLogin(throttle: boolean) {
    const { passwords } = quickPasswords(auth.createPasswords);
    const login = auth.createLogin(quickAccountStore(), { passwords, ...(!throttle && { throttle: false }) });
    const app = express();
    app.set('trust proxy', 'loopback');
    app.use('/v1', auth.createLoginRouter(login));
    app.use(auth.authErrorHandler());
    const client = await serve(app);
    const logIn = (password: string, address = OWN): Promise<Answer> =>
      client.send('POST', '/v1/login', {
        body: { email: AWA.email, password },
        headers: { 'X-Forwarded-For': address },
      });
    return { login, logIn };
  }

  it('clears the failures from all sources, and with a source only the failures from it', async () => {
    freezeTime();
    const { login, logIn } = await serveLogin(true);
    const events: AuthEvent[] = [];
    for (let guess = 0; guess < 100; guess++) await logIn(WRONG, `198.51.100.${guess}`);
    const stop = auth.onAuthEvent((event) => events.push(event));
    expectTooManyAttempts(await logIn(PASSWORD), 3_600);
    stop();
    await login.forgive(AWA.email.toUpperCase());
    for (let guess = 0; guess < 10; guess++) expect((await logIn(WRONG)).status).to.equal(401);
    expectTooManyAttempts(await logIn(PASSWORD), 900);
    await login.forgive(AWA.email);
    expectTooManyAttempts(await logIn(PASSWORD), 900);

    const { source } = events[0] ?? {};
    expect(source).to.equal(OWN);
    await login.forgive(AWA.email, { source: String(source) });
    expect((await logIn(PASSWORD)).status).to.equal(200);
  }).timeout(20_000);

  it('does nothing without a throttle', async () => {
    const { login } = await serveLogin(false);
    await login.forgive(AWA.email, { source: OWN });
  });
});

describe('the source of login.forgive', () => {
  for (const [source, addresses] of [
    ['2001:db8:0:7::/64', ['2001:db8:0:7::/64', '2001:db8:0:7::1', '2001:DB8:0:7:ffff::1', '[2001:db8:0:7::1]:80']],
    ['203.0.113.7', ['203.0.113.7', '203.0.113.7:4711', '::ffff:203.0.113.7', '64:ff9b::203.0.113.7']],
  ] as const) {
    it(`may be any address of ${source}, as a proxy writes it`, async () => {
      const { calls, throttle } = controlledThrottle(createLoginThrottle);
      const digestKey = 'a digestKey of 32 bytes, or more';
      const { keys } = identify(createKeyedDigest('test', digestKey, true), 'merchant', AWA.email, {
        source,
        address: source,
      });
      const login = createLogin(quickAccountStore(), { throttle, digestKey });
      for (const address of addresses) {
        await login.forgive(AWA.email, { source: address });
        const cleared = calls.splice(0).map(({ key }) => key);
        expect(cleared, address).to.include(keys.emailAndAddressKey);
      }
    });
  }

  it('must be an address, so that a mistyped one is noticed', async () => {
    const login = createLogin(quickAccountStore());
    for (const source of ['', 'unknown', '203.0.113', '2001:db8::/32']) {
      const error = await rejectionOf(login.forgive(AWA.email, { source }));
      expect(error).to.be.instanceOf(TypeError);
      expect(error).to.have.property(
        'message',
        'login.forgive: source must be an address, or the source of the event login_throttled.',
      );
    }
  });
});

import { expect } from 'chai';
import { AWA, PASSWORD } from '../helpers/accounts.js';
import { expectTooManyAttempts } from '../helpers/answers.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { type Answer, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { quickAccountStore, quickPasswords } from '../helpers/quick-passwords.js';
import type { AuthEvent } from '../../src/index.js';

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

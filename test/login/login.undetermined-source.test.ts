import { expect } from 'chai';
import { AWA, KOFI, PASSWORD } from '../helpers/accounts.js';
import { expectWrongCredentials } from '../helpers/answers.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { type Answer, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { quickAccountStore, quickPasswords } from '../helpers/quick-passwords.js';
import { collectWarnings } from '../helpers/warnings.js';

const WRONG = 'not the password';

onEachExpress('logins whose source is undetermined', ({ auth, express }) => {
  let warnings: string[];
  beforeEach(() => {
    warnings = collectWarnings();
  });

  /** A host with this setting. A login forwards the address that is given. */
  async function serveLogin(trustProxy: unknown) {
    const { passwords } = quickPasswords(auth.createPasswords);
    const login = auth.createLogin(quickAccountStore(), { passwords });
    const app = express();
    app.set('trust proxy', trustProxy);
    app.use('/v1', auth.createLoginRouter(login));
    app.use(auth.authErrorHandler());
    const client = await serve(app);
    const logIn = (email: string, password: string, forwarded?: string): Promise<Answer> =>
      client.send('POST', '/v1/login', {
        body: { email, password },
        headers: forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded },
      });
    return { login, logIn };
  }

  for (const [written, source] of [
    ['203.0.113.7:4711', '203.0.113.7'],
    ['[2001:db8:0:7::1]:80', '2001:db8:0:7::/64'],
    ['[2001:db8:0:7::1]', '2001:db8:0:7::/64'],
  ] as const) {
    it(`do not include an address written as ${written}: the port or the brackets are removed`, async () => {
      const { logIn } = await serveLogin('loopback');
      const sources: unknown[] = [];
      const stop = auth.onAuthEvent((event) => sources.push(event.source));
      for (let guess = 0; guess < 10; guess++) expectWrongCredentials(await logIn(AWA.email, WRONG, written));
      expect((await logIn(AWA.email, WRONG, written)).status).to.equal(429);
      stop();
      expect(new Set(sources)).to.deep.equal(new Set([source]));
      expect(warnings).to.deep.equal([]);
    });
  }

  it('cause one warning when req.ip is not an address', async () => {
    const { logIn } = await serveLogin('loopback');
    expectWrongCredentials(await logIn(AWA.email, WRONG, 'unknown'));
    expectWrongCredentials(await logIn(AWA.email, WRONG, 'unknown'));
    expect(warnings.filter((warning) => warning.includes('is not an address'))).to.have.lengthOf.at.most(1);
  });

  it('are limited by their peer: 1,000 wrong guesses, whatever the header says (ASVS 2.4.1, 4.1.3, 6.3.1)', async () => {
    const { logIn } = await serveLogin(false);
    const statuses = new Map<number, number>();
    for (let guess = 0; guess < 1_050; guess++) {
      const { status } = await logIn(`guess${guess}@boutique.example`, WRONG, `198.51.100.${guess % 250}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses]).to.deep.equal([
      [401, 1_000],
      [429, 50],
    ]);
  });

  it('are limited by their email, and a merchant who logged in through that peer is exempt from its limit (ASVS 6.1.1)', async () => {
    const { logIn } = await serveLogin(false);
    expect((await logIn(AWA.email, PASSWORD, '203.0.113.7')).status).to.equal(200);
    for (let guess = 0; guess < 1_000; guess++) await logIn(`guess${guess}@boutique.example`, WRONG, '198.51.100.1');
    expect((await logIn(AWA.email, PASSWORD, '203.0.113.7')).status).to.equal(200);
    expect((await logIn(KOFI.email, PASSWORD, '203.0.113.8')).status).to.equal(429);
    for (let guess = 0; guess < 100; guess++) await logIn(AWA.email, WRONG, '198.51.100.1');
    expect((await logIn(AWA.email, PASSWORD, '203.0.113.7')).status).to.equal(429);
  });

  it('cause another warning after an hour, when they cost a login', async () => {
    const time = freezeTime();
    // Other tests warn at the real time, so the fixed time must be later.
    time.pass(10 * 365 * 86_400);
    const { logIn } = await serveLogin(false);
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

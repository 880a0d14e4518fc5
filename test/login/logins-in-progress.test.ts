import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { LoginsInProgress } from '../../src/login/logins-in-progress.js';
import { AWA, FERMEE, KOFI, PASSWORD } from '../helpers/accounts.js';
import {
  expectAccountDisabled,
  expectMalformedAccount,
  expectStoreUnavailable,
  expectTooBusy,
  expectTooManyAttempts,
  expectWrongCredentials,
} from '../helpers/answers.js';
import { controlledThrottle } from '../helpers/controlled-throttle.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { quickAccountStore, quickPasswords } from '../helpers/quick-passwords.js';
import { expectAuthError, rejectionOf } from '../helpers/thrown.js';
import { until } from '../helpers/until.js';
import { collectWarnings } from '../helpers/warnings.js';

/** A login that lasts until the test ends it. */
function held() {
  let end: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { login: () => promise, end };
}

describe('LoginsInProgress', () => {
  it('runs logins up to the limit, and does not start another one', async () => {
    const logins = new LoginsInProgress(4);
    const inside = Array.from({ length: 4 }, () => held());
    const running = inside.map(({ login }, i) => logins.run(`source ${i}`, login));
    let isStarted = false;
    const another = () => Promise.resolve((isStarted = true));
    expectAuthError(await rejectionOf(logins.run('another source', another)), 'too_busy');
    expect(isStarted).to.equal(false);
    inside[0]?.end();
    await running[0];
    expect(await logins.run('another source', another)).to.equal(true);
    for (const { end } of inside) end();
    await Promise.all(running);
  });

  it('runs at most half of them for one source, and still runs those of others', async () => {
    const logins = new LoginsInProgress(6);
    const inside = Array.from({ length: 3 }, () => held());
    const running = inside.map(({ login }) => logins.run('flood', login));
    const next = () => Promise.resolve('ran');
    for (let time = 0; time < 3; time++) {
      expectAuthError(await rejectionOf(logins.run('flood', next)), 'too_busy');
      expect(await logins.run('shop', next)).to.equal('ran');
    }
    inside[0]?.end();
    await running[0];
    expect(await logins.run('flood', next)).to.equal('ran');
    for (const { end } of inside) end();
    await Promise.all(running);
  });

  it('counts a login no longer when it resolves, rejects or throws', async () => {
    const logins = new LoginsInProgress(2);
    const reason = new Error('failed');
    const throwing = () => {
      throw reason;
    };
    for (let round = 0; round < 3; round++) {
      expect(await logins.run('shop', () => Promise.resolve('ran'))).to.equal('ran');
      expect(await rejectionOf(logins.run('shop', () => Promise.reject(reason)))).to.equal(reason);
      expect(await rejectionOf(logins.run('shop', throwing))).to.equal(reason);
    }
  });
});

onEachExpress('maxLoginsInProgress', ({ auth, express }) => {
  /** A host whose throttle can hold logins, so that they are in progress and have no place yet. */
  async function serveLogin(
    maxLoginsInProgress: number,
    userStore = quickAccountStore(),
    trustProxy: string | false = 'loopback',
  ) {
    const control = controlledThrottle(auth.createLoginThrottle);
    const quick = quickPasswords(auth.createPasswords);
    const app = express();
    app.set('trust proxy', trustProxy);
    const options = { passwords: quick.passwords, throttle: control.throttle, maxLoginsInProgress };
    app.use('/v1', auth.createLoginRouter(userStore, options));
    app.use(auth.authErrorHandler({ log: () => undefined }));
    const client = await serve(app);
    const logIn = (address: string, email = AWA.email, password = PASSWORD) =>
      client.send('POST', '/v1/login', { body: { email, password }, headers: { 'X-Forwarded-For': address } });
    /** The number of logins that the throttle holds. */
    const inProgress = () => control.calls.filter(({ counter }) => counter === 'email').length;
    const hold = () => {
      // Otherwise the throttle counts in memory after 250 ms.
      freezeTime();
      let end: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (end = resolve));
      control.before = () => held;
      return end;
    };
    return { control, quick, logIn, hold, inProgress };
  }

  it('bounds the logins in progress, before the throttle is read', async () => {
    const { control, logIn, hold, inProgress } = await serveLogin(4);
    const end = hold();
    const inside = [1, 2, 3, 4].map((host) => logIn(`203.0.113.${host}`));
    await until(() => inProgress() === 4);
    const { length } = control.calls;
    expectTooBusy(await logIn('203.0.113.5'));
    expectTooBusy(await logIn('203.0.113.6', KOFI.email, 'not the password'));
    expect(control.calls).to.have.length(length);
    end();
    for (const { status } of await Promise.all(inside)) expect(status).to.equal(200);
    expect((await logIn('203.0.113.5')).status).to.equal(200);
  });

  it('gives one source half of them, where all addresses of an IPv6 network are one source', async () => {
    const { logIn, hold, inProgress } = await serveLogin(4);
    const end = hold();
    const inside = [logIn('2001:db8:0:7::1'), logIn('2001:db8:0:7::2')];
    await until(() => inProgress() === 2);
    expectTooBusy(await logIn('2001:db8:0:7:ffff::3'));
    inside.push(logIn('203.0.113.1'), logIn('2001:db8:0:8::1'));
    await until(() => inProgress() === 4);
    end();
    for (const { status } of await Promise.all(inside)) expect(status).to.equal(200);
  });

  it('is 2,000 by default, of which one source gets 1,000', async () => {
    freezeTime();
    const control = controlledThrottle(auth.createLoginThrottle);
    const { passwords } = quickPasswords(auth.createPasswords);
    const login = auth.createLogin(quickAccountStore(), { passwords, throttle: control.throttle });
    let end: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    control.before = () => held;
    const failure = (ip: string) => {
      const req = { headers: {}, ip } as unknown as IncomingMessage;
      return rejectionOf(login.attempt(req, { identifier: AWA.email, password: 'not the password' }));
    };
    const inside = Array.from({ length: 1_000 }, () => failure('203.0.113.1'));
    expect(await failure('203.0.113.1')).to.include({ code: 'too_busy' });
    for (let source = 0; source < 1_000; source++) {
      inside.push(failure(`198.51.${Math.trunc(source / 250)}.${source % 250}`));
    }
    expect(await failure('192.0.2.1')).to.include({ code: 'too_busy' });
    expect(control.calls.filter(({ counter }) => counter === 'email')).to.have.length(2_000);
    end();
    await Promise.all(inside);
  });

  it('counts a login no longer after a success, a refusal and a failure', async () => {
    freezeTime();
    const store = quickAccountStore();
    const faulty: { findCredentials: () => unknown } = { findCredentials: () => undefined };
    const { quick, logIn } = await serveLogin(2, {
      findById: (id) => store.findById(id),
      findCredentials: (email) =>
        email === 'faulty@boutique.example'
          ? (faulty.findCredentials() as Promise<null>)
          : store.findCredentials(email),
    });
    const { verify } = quick;
    const [address, faultyEmail] = ['203.0.113.1', 'faulty@boutique.example'];
    for (let round = 0; round < 3; round++) {
      expect((await logIn(address)).status).to.equal(200);
      expectWrongCredentials(await logIn(address, AWA.email, 'not the password'));
      expectAccountDisabled(await logIn(address, FERMEE.email));
      faulty.findCredentials = () => Promise.reject(new Error('down'));
      expectStoreUnavailable(await logIn(address, faultyEmail));
      faulty.findCredentials = () => Promise.resolve(undefined);
      expectMalformedAccount(await logIn(address, faultyEmail));
      quick.verify = () => Promise.reject(new Error('out of memory'));
      expect((await logIn(address)).status).to.equal(500);
      quick.verify = verify;
    }
    for (let failure = 0; failure < 10; failure++) {
      expectWrongCredentials(await logIn(address, KOFI.email, 'not the password'));
    }
    for (let time = 0; time < 3; time++) expectTooManyAttempts(await logIn(address, KOFI.email), 900);
    expect((await logIn(address)).status).to.equal(200);
  });

  it('counts by the address of the peer while the source is undetermined', async () => {
    collectWarnings();
    const { logIn, hold, inProgress } = await serveLogin(4, quickAccountStore(), false);
    const end = hold();
    const inside = [logIn('203.0.113.1'), logIn('203.0.113.2')];
    await until(() => inProgress() === 2);
    expectTooBusy(await logIn('203.0.113.3'));
    end();
    for (const { status } of await Promise.all(inside)) expect(status).to.equal(200);
  });

  it('belongs to one Login: another one of the same throttle and passwords has its own', async () => {
    freezeTime();
    const control = controlledThrottle(auth.createLoginThrottle);
    const { passwords } = quickPasswords(auth.createPasswords);
    const options = { passwords, throttle: control.throttle, maxLoginsInProgress: 2 };
    const [one, other] = [1, 2].map(() => auth.createLogin(quickAccountStore(), options));
    let end: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    control.before = () => held;
    const req = { headers: {}, ip: '203.0.113.1' } as unknown as IncomingMessage;
    const credentials = { identifier: AWA.email, password: PASSWORD };
    const inside = one?.attempt(req, credentials);
    expect(await rejectionOf(one?.attempt(req, credentials) ?? held)).to.include({ code: 'too_busy' });
    const beside = other?.attempt(req, credentials);
    end();
    for (const result of await Promise.all([inside, beside])) expect(result?.account).to.include({ id: AWA.id });
  });
});

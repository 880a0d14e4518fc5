import { expect } from 'chai';
import { AuthError, createLoginThrottle, createTokens } from '../../src/index.js';
import { AWA, FERMEE, KOFI, PASSWORD, WRONG } from '../helpers/accounts.js';
import {
  expectAccountDisabled,
  expectStoreUnavailable,
  expectTooBusy,
  expectTooManyAttempts,
} from '../helpers/answers.js';
import { controlledThrottle } from '../helpers/controlled-throttle.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { type LoginHost, type LoginHostConfig, serveLogin } from '../helpers/login-host.js';
import { quickAccountStore } from '../helpers/quick-passwords.js';
import { settle, until } from '../helpers/until.js';
import { startLogin } from '../helpers/waiting-login.js';

/** The members of `quickPasswords` for a host with one slot and one place. */
const ONE_PLACE: LoginHostConfig = { hashing: { maxConcurrentHashes: 1 }, maxPendingLogins: 1 };

/** Takes the slot and the place of `ONE_PLACE` until the returned function runs. */
async function takePlaces({ quick, asked, logIn }: LoginHost): Promise<() => Promise<void>> {
  const end = quick.hold();
  const [compared, lookups] = [quick.compared.length, asked.length];
  const inside = [logIn(KOFI.email, PASSWORD, '203.0.113.9')];
  await until(() => quick.compared.length === compared + 1);
  inside.push(logIn(AWA.email, PASSWORD, '203.0.113.9'));
  await until(() => asked.length === lookups + 2);
  return async () => {
    end();
    for (const { status } of await Promise.all(inside)) expect(status).to.equal(200);
  };
}

describe('the login throttle', () => {
  it('answers ten failures, then 429 with the seconds to wait, also to the right password (ASVS 6.3.1)', async () => {
    const time = freezeTime();
    const { logIn, fail } = await serveLogin();
    await fail(10);
    expectTooManyAttempts(await logIn(AWA.email, WRONG), 900);
    time.pass(60);
    expectTooManyAttempts(await logIn(AWA.email, PASSWORD), 840);
    time.pass(840);
    expect((await logIn()).status).to.equal(200);
  });

  it('answers an unknown email with the same bytes as a known one, at every attempt (ASVS 6.3.8)', async () => {
    freezeTime();
    const { logIn } = await serveLogin();
    for (let attempt = 0; attempt < 12; attempt++) {
      const known = await logIn(AWA.email, WRONG, '203.0.113.7');
      const unknown = await logIn('nobody@boutique.example', WRONG, '203.0.113.8');
      expect(known.status).to.equal(attempt < 10 ? 401 : 429);
      expect(unknown.text).to.equal(known.text);
      expect({ ...unknown.headers, date: '' }).to.deep.equal({ ...known.headers, date: '' });
    }
  });

  it('looks nothing up and hashes nothing when the answer is 429', async () => {
    const { asked, quick, logIn, fail } = await serveLogin();
    await fail(10);
    expect((await logIn()).status).to.equal(429);
    expect(asked).to.have.lengthOf(10);
    expect(quick.compared).to.have.lengthOf(10);
  });

  it('answers 429 also while all places are taken', async () => {
    const host = await serveLogin(ONE_PLACE);
    await host.fail(10);
    const leave = await takePlaces(host);
    expectTooBusy(await host.logIn(FERMEE.email));
    expect((await host.logIn()).status).to.equal(429);
    await leave();
  });

  it('answers a known source that mistypes while strangers guess as an unknown email, and hashes once', async () => {
    const time = freezeTime();
    const { quick, logIn, fail } = await serveLogin();
    expect((await logIn()).status).to.equal(200);
    for (const email of [AWA.email, 'nobody@boutique.example']) {
      for (let guess = 0; guess < 100; guess++) await fail(1, email, `198.51.${email.length}.${guess}`);
    }
    quick.compared.length = 0;
    const unknown = await logIn('nobody@boutique.example', WRONG);
    const known = await logIn(AWA.email, WRONG);
    expectTooManyAttempts(known, 3_600);
    expect(known.text).to.equal(unknown.text);
    expect({ ...known.headers, date: '' }).to.deep.equal({ ...unknown.headers, date: '' });
    expect(quick.compared).to.deep.equal([WRONG]);
    const mistype = async (times: number) => {
      for (let time = 0; time < times; time++) expect((await logIn(AWA.email, WRONG)).status).to.equal(429);
    };
    for (const times of [8, 9]) {
      await mistype(times);
      expect((await logIn()).status).to.equal(200);
    }
    time.pass(3_000);
    await mistype(10);
    expectTooManyAttempts(await logIn(AWA.email, PASSWORD), 600);
    time.pass(600);
    // None of these was counted where those of an unknown email are not.
    await fail(10);
  });

  describe('in parallel', () => {
    it('answers ten of 300 guesses with 401 and the rest with 429, of which one was right (ASVS 15.4.2)', async () => {
      const { quick, logIn } = await serveLogin({ maxPendingLogins: 600, hashing: { maxConcurrentHashes: 300 } });
      const { verify } = quick;
      let arrived = 0;
      // All pass the first check. The right password is compared last.
      quick.verify = async (password, hash) => {
        arrived++;
        await until(() => arrived === 300);
        if (password === PASSWORD) await settle();
        return verify(password, hash);
      };
      const guesses = Array.from({ length: 300 }, (_, guess) => (guess === 150 ? PASSWORD : `guess ${guess}`));
      const answers = await Promise.all(guesses.map((guess) => logIn(AWA.email, guess)));
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 401)).to.have.lengthOf(10);
      expect(statuses.filter((status) => status === 429)).to.have.lengthOf(290);
      expect(quick.compared).to.have.lengthOf(300);
    });

    it('refuses none of 500 good logins because others are in flight, while failures are counted', async () => {
      const { logIn, fail } = await serveLogin();
      await fail(2);
      const answers = await Promise.all(Array.from({ length: 500 }, () => logIn()));
      const statuses = answers.map(({ status }) => status);
      expect(statuses).to.deep.equal(Array.from({ length: 500 }, () => 200));
    });
  });

  it('counts a guess whose caller disconnects during its computation', async () => {
    const { quick, client, logIn } = await serveLogin();
    const { verify } = quick;
    for (let guess = 0; guess < 10; guess++) {
      let end: () => void = () => undefined;
      const held = new Promise<boolean>((resolve) => (end = () => resolve(false)));
      quick.verify = () => held;
      const caller = startLogin(client.port, AWA.email, `guess ${guess}`);
      await until(() => quick.compared.length === guess + 1);
      caller.hangUp();
      await settle();
      end();
      await settle();
    }
    quick.verify = verify;
    expect((await logIn(AWA.email, PASSWORD, '127.0.0.1')).status).to.equal(429);
  });

  describe('counts only wrong credentials:', () => {
    it('no body that is not valid', async () => {
      const { logIn, fail } = await serveLogin();
      for (let time = 0; time < 12; time++) expect((await logIn(AWA.email, 'short')).status).to.equal(400);
      await fail(10);
      expect((await logIn(AWA.email, 'short')).status).to.equal(400);
      expect((await logIn(AWA.email, WRONG)).status).to.equal(429);
    });

    it('no login that is shed, before the hash or while it waits', async () => {
      const host = await serveLogin(ONE_PLACE);
      const { quick, logIn, fail } = host;
      const leave = await takePlaces(host);
      for (let time = 0; time < 12; time++) expectTooBusy(await logIn(AWA.email, WRONG));
      await leave();
      const { verify } = quick;
      quick.verify = () => Promise.reject(new AuthError('too_busy'));
      for (let time = 0; time < 12; time++) expectTooBusy(await logIn(AWA.email, WRONG));
      quick.verify = verify;
      await fail(10);
    });

    it('no failure of the store, and no malformed account', async () => {
      const store: LoginHostConfig['store'] = {};
      const { logIn, fail } = await serveLogin({ store });
      store.findCredentials = () => Promise.reject(new Error('down'));
      for (let time = 0; time < 12; time++) expectStoreUnavailable(await logIn(AWA.email, WRONG));
      store.findCredentials = () => Promise.resolve({ account: {}, passwordHash: null } as never);
      for (let time = 0; time < 12; time++) expect((await logIn(AWA.email, WRONG)).status).to.equal(500);
      delete store.findCredentials;
      await fail(10);
    });

    it('no failure of the hasher', async () => {
      const { quick, logIn, fail } = await serveLogin();
      const { verify } = quick;
      quick.verify = () => Promise.reject(new Error('out of memory'));
      for (let time = 0; time < 12; time++) expect((await logIn(AWA.email, WRONG)).status).to.equal(500);
      quick.verify = verify;
      await fail(10);
    });

    it('no right password of a disabled account, which clears nothing either', async () => {
      const { logIn, fail } = await serveLogin();
      for (let time = 0; time < 12; time++) expectAccountDisabled(await logIn(FERMEE.email));
      await fail(9, FERMEE.email);
      expectAccountDisabled(await logIn(FERMEE.email));
      await fail(1, FERMEE.email);
      expect((await logIn(FERMEE.email)).status).to.equal(429);
    });

    it('no right password of a disabled account, which makes no source known', async () => {
      const { logIn, fail } = await serveLogin();
      expectAccountDisabled(await logIn(FERMEE.email));
      for (let guess = 0; guess < 100; guess++) await fail(1, FERMEE.email, `198.51.100.${guess}`);
      expect((await logIn(FERMEE.email)).status).to.equal(429);
    });
  });

  describe('counts all spellings of one email together,', () => {
    const spellings = [
      'AWA@boutique.example',
      'awá@boutique.example',
      'a\u200bwa@boutique.example',
      'aw\u0001a@boutique.example',
      'ａｗａ@boutique.example',
      'awa@boutique.example  ',
      'awa@boutıque.example',
      'awa@boutİque.example',
      'awa@boutique.example\u00ad',
      'awa@BOUTIQUE.EXAMPLE',
      'AWA@boutique.example ',
    ];

    it('also of a known email, whatever the store finds, and passes each spelling unchanged to the store', async () => {
      const accounts = quickAccountStore();
      for (const toStored of [() => AWA.email, (email: string) => email]) {
        const store = { findCredentials: (email: string) => accounts.findCredentials(toStored(email)) };
        const { asked, logIn } = await serveLogin({ store });
        const statuses: number[] = [];
        for (const email of spellings) statuses.push((await logIn(email, WRONG)).status);
        expect(statuses).to.deep.equal([...Array.from({ length: 10 }, () => 401), 429]);
        expect((await logIn()).status).to.equal(429);
        expect(asked).to.deep.equal(spellings.slice(0, 10));
      }
    });
  });

  describe('keys', () => {
    const DIGEST_KEY = 'a digestKey of the tests, 32 bytes and more';

    it('are digests that contain no email and no address (ASVS 14.2.4)', async () => {
      const { calls, throttle } = controlledThrottle(createLoginThrottle);
      const { logIn } = await serveLogin({ throttle, digestKey: DIGEST_KEY });
      await logIn(AWA.email, WRONG);
      await logIn();
      await settle();
      expect(new Set(calls.map(({ method }) => method))).to.deep.equal(new Set(['get', 'penalty', 'set', 'delete']));
      for (const { key } of calls) expect(key).to.match(/^[0-9a-f]{32}(:known)?$/);
      const counted = calls.filter(({ method }) => method === 'penalty').map(({ key }) => key);
      expect(new Set(counted).size).to.equal(3);
    });

    it('are the same in two processes with one digestKey and realm, and different with another', async () => {
      const keysOf = async (config: LoginHostConfig) => {
        const { calls, throttle } = controlledThrottle(createLoginThrottle);
        const { logIn } = await serveLogin({ throttle, digestKey: DIGEST_KEY, ...config });
        await logIn(AWA.email, WRONG);
        return calls.map(({ key }) => key);
      };
      const keys = await keysOf({});
      expect(await keysOf({ digestKey: Buffer.from(DIGEST_KEY) })).to.deep.equal(keys);
      expect(await keysOf({ digestKey: `${DIGEST_KEY}.` })).not.to.include.oneOf(keys);
      expect(await keysOf({ tokens: createTokens({ realm: 'banks' }) })).not.to.include.oneOf(keys);
    });
  });

  describe('of the host', () => {
    it('can be switched off', async () => {
      const { logIn, fail } = await serveLogin({ throttle: false });
      await fail(120);
      expect((await logIn()).status).to.equal(200);
    });

    it('is read before and after the hash, counts wrong credentials, and records good ones', async () => {
      const { calls, throttle } = controlledThrottle(createLoginThrottle);
      const { quick, logIn } = await serveLogin({ throttle });
      const { verify } = quick;
      const steps: string[] = [];
      const push = calls.push.bind(calls);
      calls.push = (...made) => {
        steps.push(...made.map(({ method, counter }) => `${method} ${counter}`));
        return push(...made);
      };
      quick.verify = (password, hash) => {
        steps.push('hash');
        return verify(password, hash);
      };
      const read = ['get knownSource', 'get email', 'get source', 'get emailAndSource'];
      const count = ['penalty email', 'penalty source', 'penalty emailAndSource'];
      await logIn(AWA.email, WRONG);
      expect(steps.splice(0)).to.deep.equal([...read, 'hash', ...count]);
      await logIn();
      await settle();
      expect(steps.splice(0)).to.deep.equal([...read, 'hash', ...read, 'delete emailAndSource', 'set knownSource']);
      await logIn(FERMEE.email);
      await settle();
      expect(steps.splice(0)).to.deep.equal([...read, 'hash', ...read]);
    });

    it('does not delay the answer when it clears and records', async () => {
      const control = controlledThrottle(createLoginThrottle);
      const { logIn } = await serveLogin({ throttle: control.throttle });
      const never = new Promise(() => undefined);
      control.before = ({ method }) => (method === 'delete' || method === 'set' ? never : undefined);
      freezeTime();
      expect((await logIn()).status).to.equal(200);
      expect(control.calls.slice(-2).map(({ method }) => method)).to.deep.equal(['delete', 'set']);
    });
  });
});

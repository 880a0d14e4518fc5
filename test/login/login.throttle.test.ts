import { expect } from 'chai';
import type { LoginRouterOptions, PasswordsOptions, UserStore } from '../../src/index.js';
import { AWA, FERMEE, KOFI, PASSWORD } from '../helpers/accounts.js';
import {
  expectAccountDisabled,
  expectStoreUnavailable,
  expectTooBusy,
  expectTooManyAttempts,
  expectWrongCredentials,
} from '../helpers/answers.js';
import { controlledThrottle } from '../helpers/controlled-throttle.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { type Answer, bearer, type Client, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { quickAccountStore, type QuickPasswords, quickPasswords } from '../helpers/quick-passwords.js';
import { settle, until } from '../helpers/until.js';
import { startLogin } from '../helpers/waiting-login.js';
import { collectWarnings } from '../helpers/warnings.js';

const WRONG = 'not the password';

/** A store that looks the three accounts up by `toStored(email)`, and records the emails that it was asked for. */
function recordingStore(toStored = (email: string) => email): UserStore & { readonly asked: string[] } {
  const accounts = quickAccountStore();
  const asked: string[] = [];
  return {
    asked,
    findById: (id) => accounts.findById(id),
    findCredentials(email) {
      asked.push(email);
      return accounts.findCredentials(toStored(email));
    },
  };
}

onEachExpress('the login throttle', (framework) => {
  const { auth, express } = framework;

  interface Served {
    readonly store: UserStore & { readonly asked: string[] };
    readonly quick: QuickPasswords;
    readonly client: Client;
    /** Logs in from an address, 203.0.113.7 unless told. */
    readonly logIn: (email: string, password: string, address?: string) => Promise<Answer>;
    /** Fails so many times and expects a 401 each time. */
    readonly fail: (times: number, email?: string, address?: string) => Promise<void>;
    /** Takes the slot and the place of `ONE_PLACE` until the returned function runs. */
    readonly takePlaces: () => Promise<() => Promise<void>>;
  }

  const ONE_PLACE = { maxPendingLogins: 1, hashing: { maxConcurrentHashes: 1 } };

  interface ServedOptions extends LoginRouterOptions {
    readonly hashing?: PasswordsOptions;
  }

  async function serveLogin({ hashing, ...options }: ServedOptions = {}, store = recordingStore()): Promise<Served> {
    const quick = quickPasswords(auth.createPasswords, hashing);
    const { passwords } = quick;
    const app = express();
    app.set('trust proxy', 'loopback');
    app.use('/v1', auth.createLoginRouter(store, { passwords, ...options }));
    app.use('/v1/guarded', auth.requireBearer({ userStore: store }), (_req, res) => void res.json({}));
    app.use(auth.authErrorHandler());
    const client = await serve(app);
    const logIn = (email: string, password: string, address = '203.0.113.7') =>
      client.send('POST', '/v1/login', { body: { email, password }, headers: { 'X-Forwarded-For': address } });
    const fail = async (times: number, email = AWA.email, address?: string) => {
      for (let time = 0; time < times; time++) expectWrongCredentials(await logIn(email, WRONG, address));
    };
    const takePlaces = async () => {
      const { verify } = quick;
      let end: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (end = resolve));
      quick.verify = async (password, hash) => {
        await held;
        return verify(password, hash);
      };
      const [asked, compared] = [store.asked.length, quick.compared.length];
      const inside = [logIn(KOFI.email, PASSWORD, '203.0.113.9')];
      await until(() => quick.compared.length === compared + 1);
      inside.push(logIn(AWA.email, PASSWORD, '203.0.113.9'));
      await until(() => store.asked.length === asked + 2);
      return async () => {
        quick.verify = verify;
        end();
        for (const { status } of await Promise.all(inside)) expect(status).to.equal(200);
      };
    };
    return { store, quick, client, logIn, fail, takePlaces };
  }

  it('answers ten failures, then 429 with the seconds to wait, also to the right password (ASVS 6.3.1)', async () => {
    const time = freezeTime();
    const { logIn, fail } = await serveLogin();
    await fail(10);
    expectTooManyAttempts(await logIn(AWA.email, WRONG), 900);
    time.pass(60);
    expectTooManyAttempts(await logIn(AWA.email, PASSWORD), 840);
    time.pass(840);
    expect((await logIn(AWA.email, PASSWORD)).status).to.equal(200);
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
    const { store, quick, logIn, fail } = await serveLogin();
    await fail(10);
    expect((await logIn(AWA.email, PASSWORD)).status).to.equal(429);
    expect(store.asked).to.have.lengthOf(10);
    expect(quick.compared).to.have.lengthOf(10);
  });

  it('answers 429 also while all places are taken', async () => {
    const { logIn, fail, takePlaces } = await serveLogin(ONE_PLACE);
    await fail(10);
    const leave = await takePlaces();
    expectTooBusy(await logIn(FERMEE.email, PASSWORD));
    expect((await logIn(AWA.email, PASSWORD)).status).to.equal(429);
    await leave();
  });

  it('clears the failures after a good login from the same address', async () => {
    const { logIn, fail } = await serveLogin();
    await fail(9);
    expect((await logIn(AWA.email, PASSWORD)).status).to.equal(200);
    await fail(10);
    expect((await logIn(AWA.email, WRONG)).status).to.equal(429);
  });

  it('accepts the email from another address, and another email from this address', async () => {
    const { logIn, fail } = await serveLogin();
    await fail(10);
    expect((await logIn(AWA.email, PASSWORD, '203.0.113.8')).status).to.equal(200);
    expect((await logIn(KOFI.email, PASSWORD)).status).to.equal(200);
    expect((await logIn(AWA.email, PASSWORD)).status).to.equal(429);
  });

  it('treats all addresses of one IPv6 network as one source', async () => {
    const { logIn, fail } = await serveLogin();
    for (let host = 1; host <= 10; host++) await fail(1, AWA.email, `2001:db8:0:7::${host}`);
    expect((await logIn(AWA.email, PASSWORD, '2001:db8:0:7:ffff::1')).status).to.equal(429);
    expect((await logIn(AWA.email, PASSWORD, '2001:db8:0:8::1')).status).to.equal(200);
  });

  it('refuses a source after a hundred failures with any emails', async () => {
    const { logIn, fail } = await serveLogin();
    for (let guess = 0; guess < 100; guess++) await fail(1, `guess${guess}@boutique.example`);
    expect((await logIn(KOFI.email, PASSWORD)).status).to.equal(429);
    expect((await logIn(KOFI.email, PASSWORD, '203.0.113.8')).status).to.equal(200);
  });

  it('lets a merchant log in from its server while strangers guess', async () => {
    freezeTime();
    const { logIn, fail } = await serveLogin();
    expect((await logIn(AWA.email, PASSWORD)).status).to.equal(200);
    for (let guess = 0; guess < 100; guess++) await fail(1, AWA.email, `198.51.100.${guess}`);
    expectTooManyAttempts(await logIn(AWA.email, PASSWORD, '198.51.100.200'), 3_600);
    expect((await logIn(AWA.email, PASSWORD)).status).to.equal(200);
  });

  it('answers a known source that mistypes while strangers guess as an unknown email, and hashes once', async () => {
    const time = freezeTime();
    const { quick, logIn, fail } = await serveLogin();
    expect((await logIn(AWA.email, PASSWORD)).status).to.equal(200);
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
      expect((await logIn(AWA.email, PASSWORD)).status).to.equal(200);
    }
    time.pass(3_000);
    await mistype(10);
    expectTooManyAttempts(await logIn(AWA.email, PASSWORD), 600);
    time.pass(600);
    // None of these was counted where those of an unknown email are not.
    await fail(10);
  });

  it('keeps live tokens working while login is refused', async () => {
    const { client, logIn, fail } = await serveLogin();
    const { authorisation } = (await logIn(AWA.email, PASSWORD)).json as { authorisation: { token: string } };
    await fail(10);
    expect((await logIn(AWA.email, PASSWORD)).status).to.equal(429);
    expect((await client.send('GET', '/v1/guarded', { headers: bearer(authorisation.token) })).status).to.equal(200);
  });

  describe('in parallel', () => {
    it('answers ten of 300 guesses with 401 and the rest with 429, of which one was right (ASVS 15.4.2)', async () => {
      const { quick, logIn } = await serveLogin({ maxPendingLogins: 600, hashing: { maxConcurrentHashes: 300 } });
      const compare = quick.verify;
      let arrived = 0;
      // All pass the first check. The right password is compared last.
      quick.verify = async (password, hash) => {
        arrived++;
        await until(() => arrived === 300);
        if (password === PASSWORD) await settle();
        return compare(password, hash);
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
      const answers = await Promise.all(Array.from({ length: 500 }, () => logIn(AWA.email, PASSWORD)));
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
      const { quick, logIn, fail, takePlaces } = await serveLogin(ONE_PLACE);
      const leave = await takePlaces();
      for (let time = 0; time < 12; time++) expectTooBusy(await logIn(AWA.email, WRONG));
      await leave();
      const { verify } = quick;
      quick.verify = () => Promise.reject(new auth.AuthError('too_busy'));
      for (let time = 0; time < 12; time++) expectTooBusy(await logIn(AWA.email, WRONG));
      quick.verify = verify;
      await fail(10);
    });

    it('no failure of the store, and no malformed account', async () => {
      const store = recordingStore();
      const findCredentials = store.findCredentials.bind(store);
      const { logIn, fail } = await serveLogin({}, store);
      store.findCredentials = () => Promise.reject(new Error('down'));
      for (let time = 0; time < 12; time++) expectStoreUnavailable(await logIn(AWA.email, WRONG));
      store.findCredentials = () => Promise.resolve({ account: {}, passwordHash: null } as never);
      for (let time = 0; time < 12; time++) expect((await logIn(AWA.email, WRONG)).status).to.equal(500);
      store.findCredentials = findCredentials;
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
      for (let time = 0; time < 12; time++) expectAccountDisabled(await logIn(FERMEE.email, PASSWORD));
      await fail(9, FERMEE.email);
      expectAccountDisabled(await logIn(FERMEE.email, PASSWORD));
      await fail(1, FERMEE.email);
      expect((await logIn(FERMEE.email, PASSWORD)).status).to.equal(429);
    });

    it('no right password of a disabled account, which makes no source known', async () => {
      const { logIn, fail } = await serveLogin();
      expectAccountDisabled(await logIn(FERMEE.email, PASSWORD));
      for (let guess = 0; guess < 100; guess++) await fail(1, FERMEE.email, `198.51.100.${guess}`);
      expect((await logIn(FERMEE.email, PASSWORD)).status).to.equal(429);
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
      for (const toStored of [() => AWA.email, (email: string) => email]) {
        const store = recordingStore(toStored);
        const { logIn } = await serveLogin({}, store);
        const statuses: number[] = [];
        for (const email of spellings) statuses.push((await logIn(email, WRONG)).status);
        expect(statuses).to.deep.equal([...Array.from({ length: 10 }, () => 401), 429]);
        expect((await logIn(AWA.email, PASSWORD)).status).to.equal(429);
        expect(store.asked).to.deep.equal(spellings.slice(0, 10));
      }
    });

    it('also of an email with a sharp s', async () => {
      const { logIn, fail } = await serveLogin();
      await fail(4, 'straße@boutique.example');
      await fail(3, 'strasse@boutique.example');
      await fail(3, 'STRAẞE@boutique.example');
      expect((await logIn('STRASSE@boutique.example', WRONG)).status).to.equal(429);
    });

    it('so that a good login with one clears the failures of the others', async () => {
      const store = recordingStore(() => AWA.email);
      const { logIn, fail } = await serveLogin({}, store);
      await fail(9, 'AWA@boutique.example');
      expect((await logIn('awá@boutique.example', PASSWORD)).status).to.equal(200);
      await fail(10, 'AWA@boutique.example');
    });
  });

  describe('when the source is unknown', () => {
    it('counts by email alone', async () => {
      collectWarnings();
      freezeTime();
      const app = express();
      app.use(
        '/v1',
        auth.createLoginRouter(recordingStore(), { passwords: quickPasswords(auth.createPasswords).passwords }),
      );
      app.use(auth.authErrorHandler());
      const client = await serve(app);
      const logIn = (email: string, password: string, address: string) =>
        client.send('POST', '/v1/login', { body: { email, password }, headers: { 'X-Forwarded-For': address } });
      for (let guess = 0; guess < 100; guess++) {
        expectWrongCredentials(await logIn(AWA.email, WRONG, `203.0.113.${guess % 5}`));
      }
      expectTooManyAttempts(await logIn(AWA.email, PASSWORD, '203.0.113.200'), 3_600);
      expect((await logIn(KOFI.email, PASSWORD, '203.0.113.1')).status).to.equal(200);
    });
  });

  describe('keys', () => {
    const DIGEST_KEY = 'a digestKey of the tests, 32 bytes and more';

    it('are digests that contain no email and no address (ASVS 14.2.4)', async () => {
      const { calls, throttle } = controlledThrottle(auth.createLoginThrottle);
      const { logIn } = await serveLogin({ throttle, digestKey: DIGEST_KEY });
      await logIn(AWA.email, WRONG);
      await logIn(AWA.email, PASSWORD);
      await settle();
      expect(new Set(calls.map(({ method }) => method))).to.deep.equal(new Set(['get', 'penalty', 'set', 'delete']));
      for (const { key } of calls) expect(key).to.match(/^[0-9a-f]{32}(:known)?$/);
      const counted = calls.filter(({ method }) => method === 'penalty').map(({ key }) => key);
      expect(new Set(counted).size).to.equal(3);
    });

    it('are the same in two processes with one digestKey, and different with another one', async () => {
      const seen: Set<string>[] = [];
      for (const digestKey of [
        DIGEST_KEY,
        Buffer.from(DIGEST_KEY),
        'another digestKey of the tests, 32 bytes and more',
      ]) {
        const { calls, throttle } = controlledThrottle(auth.createLoginThrottle);
        const { logIn } = await serveLogin({ throttle, digestKey });
        await logIn(AWA.email, WRONG);
        seen.push(new Set(calls.map(({ key }) => key)));
      }
      const [one, same, other] = seen as [Set<string>, Set<string>, Set<string>];
      expect(same).to.deep.equal(one);
      for (const key of other) expect(one.has(key)).to.equal(false);
    });

    it('differ between realms, which share no counter', async () => {
      const { throttle } = controlledThrottle(auth.createLoginThrottle);
      const shops = await serveLogin({ throttle, tokens: auth.createTokens({ realm: 'shops' }) });
      const banks = await serveLogin({ throttle, tokens: auth.createTokens({ realm: 'banks' }) });
      const statusOf = async ({ logIn }: Served) => (await logIn(AWA.email, WRONG)).status;
      for (let time = 0; time < 10; time++) expect(await statusOf(shops)).to.equal(401);
      expect(await statusOf(shops)).to.equal(429);
      expect((await banks.logIn(AWA.email, PASSWORD)).status).to.equal(200);
    });

    it('are the same for routers of one realm, which share the counters of one throttle', async () => {
      const throttle = auth.createLoginThrottle();
      const [one, other] = [await serveLogin({ throttle }), await serveLogin({ throttle })];
      await one.fail(10);
      expect((await other.logIn(AWA.email, PASSWORD)).status).to.equal(429);
    });
  });

  describe('of the host', () => {
    it('can be switched off', async () => {
      const { logIn, fail } = await serveLogin({ throttle: false });
      await fail(120);
      expect((await logIn(AWA.email, PASSWORD)).status).to.equal(200);
    });

    it('is read before and after the hash, counts wrong credentials, and records good ones', async () => {
      const { calls, throttle } = controlledThrottle(auth.createLoginThrottle);
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
      await logIn(AWA.email, PASSWORD);
      await settle();
      expect(steps.splice(0)).to.deep.equal([...read, 'hash', ...read, 'delete emailAndSource', 'set knownSource']);
      await logIn(FERMEE.email, PASSWORD);
      await settle();
      expect(steps.splice(0)).to.deep.equal([...read, 'hash', ...read]);
    });

    it('does not delay the answer when it clears and records', async () => {
      const control = controlledThrottle(auth.createLoginThrottle);
      const { logIn } = await serveLogin({ throttle: control.throttle });
      const never = new Promise(() => undefined);
      control.before = ({ method }) => (method === 'delete' || method === 'set' ? never : undefined);
      freezeTime();
      expect((await logIn(AWA.email, PASSWORD)).status).to.equal(200);
      expect(control.calls.slice(-2).map(({ method }) => method)).to.deep.equal(['delete', 'set']);
    });
  });
});

import { expect } from 'chai';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { LimiterOptions, LoginRouterOptions, Passwords, UserStore } from '../../src/index.js';
import { accountStore, AWA, FERMEE, KOFI, PASSWORD } from '../helpers/accounts.js';
import {
  expectAccountDisabled,
  expectStoreUnavailable,
  expectTooManyAttempts,
  expectWrongCredentials,
} from '../helpers/answers.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { type Answer, bearer, type Client, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { settle, until } from '../helpers/until.js';
import { collectWarnings } from '../helpers/warnings.js';

const WRONG = 'not the password';

/** Compares with `PASSWORD` and computes nothing, and knows what it was asked. */
class QuickPasswords implements Passwords {
  compared: string[] = [];
  hash = () => Promise.reject(new Error('Nothing is hashed here.'));
  needsRehash = () => false;
  upgrade = () => Promise.resolve(undefined);
  enter = (): (() => void) | undefined => () => undefined;
  verify = (password: string, hash: string | null): Promise<boolean> => {
    this.compared.push(password);
    return Promise.resolve(hash !== null && password === PASSWORD);
  };
}

/** A store that finds `accountStore()`'s accounts by whatever `toStored` makes of the email, and knows what it was asked. */
function recordingStore(toStored = (email: string) => email): UserStore & { readonly asked: string[] } {
  const accounts = accountStore();
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
    readonly passwords: QuickPasswords;
    readonly client: Client;
    /** Logs in from an address, 203.0.113.7 unless told. */
    readonly logIn: (email: string, password: string, address?: string) => Promise<Answer>;
    /** Fails so many times and expects a 401 each time. */
    readonly fail: (times: number, email?: string, address?: string) => Promise<void>;
  }

  async function serveLogin(options: LoginRouterOptions = {}, store = recordingStore()): Promise<Served> {
    const passwords = new QuickPasswords();
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
    return { store, passwords, client, logIn, fail };
  }

  it('answers ten failures, then 429 with the seconds to wait, also to the right password', async () => {
    const time = freezeTime();
    const { logIn, fail } = await serveLogin();
    await fail(10);
    expectTooManyAttempts(await logIn(AWA.email, WRONG), 900);
    time.pass(60);
    expectTooManyAttempts(await logIn(AWA.email, PASSWORD), 840);
    time.pass(840);
    expect((await logIn(AWA.email, PASSWORD)).status).to.equal(200);
  });

  it('answers an unknown email as it answers a known one, to the byte, at every attempt', async () => {
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

  it('looks nothing up and hashes nothing for who has to wait', async () => {
    const { store, passwords, logIn, fail } = await serveLogin();
    await fail(10);
    expect((await logIn(AWA.email, PASSWORD)).status).to.equal(429);
    expect(store.asked).to.have.lengthOf(10);
    expect(passwords.compared).to.have.lengthOf(10);
  });

  it('takes no place for who has to wait', async () => {
    const { passwords, logIn, fail } = await serveLogin();
    await fail(10);
    passwords.enter = () => undefined;
    expect((await logIn(AWA.email, PASSWORD)).status).to.equal(429);
  });

  it('forgets the failures after a good login from there', async () => {
    const { logIn, fail } = await serveLogin();
    await fail(9);
    expect((await logIn(AWA.email, PASSWORD)).status).to.equal(200);
    await fail(10);
    expect((await logIn(AWA.email, WRONG)).status).to.equal(429);
  });

  it('lets the email in from another address, and another email from this one', async () => {
    const { logIn, fail } = await serveLogin();
    await fail(10);
    expect((await logIn(AWA.email, PASSWORD, '203.0.113.8')).status).to.equal(200);
    expect((await logIn(KOFI.email, PASSWORD)).status).to.equal(200);
    expect((await logIn(AWA.email, PASSWORD)).status).to.equal(429);
  });

  it('holds all addresses of one IPv6 network to be one source', async () => {
    const { logIn, fail } = await serveLogin();
    for (let host = 1; host <= 10; host++) await fail(1, AWA.email, `2001:db8:0:7::${host}`);
    expect((await logIn(AWA.email, PASSWORD, '2001:db8:0:7:ffff::1')).status).to.equal(429);
    expect((await logIn(AWA.email, PASSWORD, '2001:db8:0:8::1')).status).to.equal(200);
  });

  it('lets a source wait after a hundred failures with any emails', async () => {
    const { logIn, fail } = await serveLogin();
    for (let guess = 0; guess < 100; guess++) await fail(1, `guess${guess}@boutique.example`);
    expect((await logIn(KOFI.email, PASSWORD)).status).to.equal(429);
    expect((await logIn(KOFI.email, PASSWORD, '203.0.113.8')).status).to.equal(200);
  });

  it('lets no guesser lock a merchant out of its own server', async () => {
    freezeTime();
    const { logIn, fail } = await serveLogin();
    expect((await logIn(AWA.email, PASSWORD)).status).to.equal(200);
    for (let guess = 0; guess < 100; guess++) await fail(1, AWA.email, `198.51.100.${guess}`);
    expectTooManyAttempts(await logIn(AWA.email, PASSWORD, '198.51.100.200'), 3_600);
    expect((await logIn(AWA.email, PASSWORD)).status).to.equal(200);
  });

  it('keeps live tokens working while login is refused', async () => {
    const { client, logIn, fail } = await serveLogin();
    const { authorisation } = (await logIn(AWA.email, PASSWORD)).json as { authorisation: { token: string } };
    await fail(10);
    expect((await logIn(AWA.email, PASSWORD)).status).to.equal(429);
    expect((await client.send('GET', '/v1/guarded', { headers: bearer(authorisation.token) })).status).to.equal(200);
  });

  describe('in parallel', () => {
    it('answers ten of 300 guesses with 401 and the rest with 429, of which one was right', async () => {
      const { passwords, logIn } = await serveLogin();
      const compare = passwords.verify;
      let arrived = 0;
      // All pass the first question; the right one is compared last.
      passwords.verify = async (password, hash) => {
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
      expect(passwords.compared).to.have.lengthOf(300);
    });

    it('refuses none of 500 good logins because others are in flight, while failures are counted', async () => {
      const hasher = auth.createPasswords();
      const { passwords, logIn, fail } = await serveLogin();
      await fail(2);
      passwords.enter = () => hasher.enter();
      const answers = await Promise.all(Array.from({ length: 500 }, () => logIn(AWA.email, PASSWORD)));
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status !== 200 && status !== 503)).to.deep.equal([]);
      expect(statuses).to.include(200);
    });
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
      const { passwords, logIn, fail } = await serveLogin();
      const { enter, verify } = passwords;
      passwords.enter = () => undefined;
      for (let time = 0; time < 12; time++) expect((await logIn(AWA.email, WRONG)).status).to.equal(503);
      passwords.enter = enter;
      passwords.verify = () => Promise.reject(new auth.AuthError('too_busy'));
      for (let time = 0; time < 12; time++) expect((await logIn(AWA.email, WRONG)).status).to.equal(503);
      passwords.verify = verify;
      await fail(10);
    });

    it('no failure of the store, and no account of it that is malformed', async () => {
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
      const { passwords, logIn, fail } = await serveLogin();
      const { verify } = passwords;
      passwords.verify = () => Promise.reject(new Error('out of memory'));
      for (let time = 0; time < 12; time++) expect((await logIn(AWA.email, WRONG)).status).to.equal(500);
      passwords.verify = verify;
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

  describe('takes spellings of one email together', () => {
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

    it('of a known email, whatever the store finds by them, and sends each to the store as it came', async () => {
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

    it('of an email with a sharp s', async () => {
      const { logIn, fail } = await serveLogin();
      await fail(4, 'straße@boutique.example');
      await fail(3, 'strasse@boutique.example');
      await fail(3, 'STRAẞE@boutique.example');
      expect((await logIn('STRASSE@boutique.example', WRONG)).status).to.equal(429);
    });

    it('that the store alone knows to be one, by the email that it has stored', async () => {
      const store = recordingStore(() => AWA.email);
      const { logIn } = await serveLogin({}, store);
      for (let alias = 0; alias < 10; alias++) {
        expectWrongCredentials(await logIn(`alias${alias}@boutique.example`, WRONG));
      }
      expect((await logIn('alias10@boutique.example', WRONG)).status).to.equal(429);
      expect((await logIn('alias11@boutique.example', PASSWORD)).status).to.equal(429);
      expect((await logIn(AWA.email, PASSWORD)).status).to.equal(429);
      expect((await logIn(AWA.email, PASSWORD, '203.0.113.8')).status).to.equal(200);
    });

    it('so that a good login by one clears the failures of the others', async () => {
      const store = recordingStore(() => AWA.email);
      const { logIn, fail } = await serveLogin({}, store);
      await fail(9, 'alias@boutique.example');
      expect((await logIn('other@boutique.example', PASSWORD)).status).to.equal(200);
      await fail(10, 'alias@boutique.example');
    });
  });

  describe('where the source is unknown', () => {
    it('counts by email alone', async () => {
      collectWarnings();
      freezeTime();
      const app = express();
      app.use('/v1', auth.createLoginRouter(recordingStore(), { passwords: new QuickPasswords() }));
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
    /** A throttle whose counters tell every key that they are asked for. */
    function recordKeys() {
      const keys: { counter: string; call: string; key: string }[] = [];
      const limiter = (options: LimiterOptions) => {
        const memory = new RateLimiterMemory(options);
        const counter = options.keyPrefix.split(':')[1] ?? '';
        for (const call of ['get', 'penalty', 'set', 'delete'] as const) {
          const original = memory[call].bind(memory) as (...rest: unknown[]) => unknown;
          Object.assign(memory, {
            [call]: (key: string, ...rest: unknown[]) => {
              keys.push({ counter, call, key });
              return original(key, ...rest);
            },
          });
        }
        return memory;
      };
      return { keys, throttle: auth.createLoginThrottle({ limiter }) };
    }

    const PEPPER = 'a pepper of the tests, 32 bytes and more';

    it('are digests, in which no email and no address can be seen', async () => {
      const { keys, throttle } = recordKeys();
      const { logIn } = await serveLogin({ throttle, pepper: PEPPER });
      await logIn(AWA.email, WRONG);
      await logIn(AWA.email, PASSWORD);
      await settle();
      expect(new Set(keys.map(({ call }) => call))).to.deep.equal(new Set(['get', 'penalty', 'set', 'delete']));
      for (const { key } of keys) expect(key).to.match(/^[0-9a-f]{32}(:known)?$/);
      const counted = keys.filter(({ call }) => call === 'penalty').map(({ key }) => key);
      expect(new Set(counted).size).to.equal(3);
    });

    it('are the same in two processes with one pepper, and others with another', async () => {
      const seen: Set<string>[] = [];
      for (const pepper of [PEPPER, Buffer.from(PEPPER), 'another pepper of the tests, 32 bytes and more']) {
        const { keys, throttle } = recordKeys();
        const { logIn } = await serveLogin({ throttle, pepper });
        await logIn(AWA.email, WRONG);
        seen.push(new Set(keys.map(({ key }) => key)));
      }
      const [one, same, other] = seen as [Set<string>, Set<string>, Set<string>];
      expect(same).to.deep.equal(one);
      for (const key of other) expect(one.has(key)).to.equal(false);
    });

    it('differ between realms, which share no counter', async () => {
      const { throttle } = recordKeys();
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

    it('is asked before and after the hash, counts wrong credentials, and is told of good ones', async () => {
      const told: string[] = [];
      const throttle = {
        isShared: false,
        check: () => (told.push('check'), Promise.resolve(0)),
        fail: () => (told.push('fail'), Promise.resolve(0)),
        succeed: () => void told.push('succeed'),
      };
      const { logIn } = await serveLogin({ throttle });
      await logIn(AWA.email, WRONG);
      expect(told.splice(0)).to.deep.equal(['check', 'fail']);
      await logIn(AWA.email, PASSWORD);
      expect(told.splice(0)).to.deep.equal(['check', 'check', 'succeed']);
      await logIn(FERMEE.email, PASSWORD);
      expect(told.splice(0)).to.deep.equal(['check', 'check']);
    });

    for (const method of ['check', 'fail'] as const) {
      for (const [how, call] of [
        [
          'throws',
          () => {
            throw new Error('down');
          },
        ],
        ['rejects with nothing', () => Promise.reject(undefined)],
      ] as const) {
        it(`answers 500, once, when its ${method} ${how}`, async () => {
          const throttle = { ...auth.createLoginThrottle(), [method]: call };
          const { logIn } = await serveLogin({ throttle });
          expect((await logIn(AWA.email, WRONG)).status).to.equal(500);
        });
      }
    }
  });
});

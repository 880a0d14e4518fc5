import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { RequestHandler } from 'express';
import {
  AuthError,
  type AuthEvent,
  createLoginThrottle,
  createPasswords,
  createTokens,
  type LoginOptions,
  type LoginThrottle,
  type UserStore,
} from '../../src/index.js';
import { accountStore, AWA, FERMEE, KOFI, PASSWORD, withPassword } from '../helpers/accounts.js';
import { expectMissingToken, expectRevokedToken, expectWrongCredentials } from '../helpers/answers.js';
import { expectEvents, expectNoSecrets, listenUntilTheEnd, nextEvent, recordEvents } from '../helpers/events.js';
import { LOW_COST_HASH, PHC_OF_PASSWORD } from '../helpers/hashes.js';
import { FRAMEWORK } from '../helpers/framework.js';
import { bearer } from '../helpers/http.js';
import { logIn, serveLogin, tokenOf } from '../helpers/login-host.js';
import { servePayments } from '../helpers/payments.js';
import { quickAccountStore } from '../helpers/quick-passwords.js';
import { startLogin } from '../helpers/waiting-login.js';
import { collectWarnings } from '../helpers/warnings.js';

const WRONG = 'papaye-2026';
const NOBODY = 'personne@boutique.example';
const DIGEST_KEY = 'the digest key of this suite, 32 bytes or more';
const HERE = { realm: 'merchant', source: '127.0.0.1' };
const DOWN = new Error('connection refused');

/** The texts that no event may hold. */
const SECRETS = [
  PASSWORD,
  WRONG,
  PHC_OF_PASSWORD,
  LOW_COST_HASH,
  '$argon2',
  AWA.email,
  KOFI.email,
  FERMEE.email,
  NOBODY,
];

describe('onAuthEvent over HTTP', () => {
  const token = createTokens().issue(AWA);

  describe('a login', () => {
    it('that succeeds is reported (ASVS 16.2.5, 16.3.1)', async () => {
      const { client } = await servePayments(FRAMEWORK);
      const events = recordEvents();
      const issued = tokenOf(await logIn(client));
      // An upgrade can only be from a login of an earlier suite, because this hash has the current cost.
      const own = events.filter(({ type }) => type !== 'hash_upgraded');
      expectEvents(own, { type: 'login_succeeded', ...HERE, accountId: AWA.id });
      expectNoSecrets(events, ...SECRETS, issued, ...issued.split('.'));
    });

    it('that fails is reported with the reason, also if the answer does not contain it (ASVS 16.2.1, 16.3.1)', async () => {
      const warnings = collectWarnings();
      const { client } = await serveLogin({
        store: {
          findCredentials: (email) =>
            email === KOFI.email
              ? Promise.resolve({ account: KOFI, passwordHash: null })
              : quickAccountStore().findCredentials(email.replace('+shop', '')),
        },
      });
      const events = recordEvents();
      await logIn(client, NOBODY);
      await logIn(client, AWA.email, WRONG);
      await logIn(client, KOFI.email);
      await logIn(client, FERMEE.email);
      await logIn(client, FERMEE.email, WRONG);
      await logIn(client, AWA.email.replace('@', '+shop@'));
      const failed = { type: 'login_failed', ...HERE };
      expectEvents(
        events,
        { ...failed, reason: 'unknown_email', accountId: undefined },
        { ...failed, reason: 'wrong_password', accountId: AWA.id },
        { ...failed, reason: 'no_usable_hash', accountId: KOFI.id },
        { ...failed, reason: 'account_disabled', accountId: FERMEE.id },
        { ...failed, reason: 'wrong_password', accountId: FERMEE.id },
        { ...failed, reason: 'other_identifier', accountId: AWA.id },
      );
      expectNoSecrets(events, ...SECRETS);
      expect(warnings).to.have.length(1);
    });

    it('with an unusable hash is reported as such, not as a wrong password', async () => {
      const passwordHash = PHC_OF_PASSWORD.slice(0, 60);
      const passwords = createPasswords();
      const store = { findCredentials: () => Promise.resolve({ account: AWA, passwordHash }) };
      const { client } = await serveLogin({ store, passwords });
      const events = recordEvents();
      await logIn(client, AWA.email);
      expectEvents(events, { type: 'login_failed', ...HERE, reason: 'no_usable_hash', accountId: AWA.id });
      expectNoSecrets(events, ...SECRETS, passwordHash);
    });

    it('that is throttled is reported, before the hash and after it', async () => {
      const throttle = createLoginThrottle({ emailAndSource: { failures: 1, seconds: 900 } });
      const { client } = await serveLogin({ throttle });
      const events = recordEvents();
      await logIn(client, AWA.email, WRONG);
      await logIn(client, AWA.email);
      const retryAfterSeconds = 900;
      expectEvents(
        events,
        { type: 'login_failed', ...HERE, reason: 'wrong_password', accountId: AWA.id },
        { type: 'login_throttled', ...HERE, accountId: undefined, retryAfterSeconds },
      );

      const afterTheHash: Partial<LoginThrottle> = {
        check: () => Promise.resolve({ seconds: 0, isKnown: false }),
        fail: () => Promise.resolve(7),
      };
      const other = await serveLogin({ throttle: Object.assign(createLoginThrottle(), afterTheHash) });
      await logIn(other.client, AWA.email, WRONG);
      expectEvents(events.slice(2), { type: 'login_throttled', ...HERE, accountId: AWA.id, retryAfterSeconds: 7 });
      expectNoSecrets(events, ...SECRETS);
    });

    it('that gets no place or no slot is reported', async () => {
      let release = (): void => undefined;
      const asked = new Promise<void>((resolveAsked) => {
        release = resolveAsked;
      });
      const { client } = await serveLogin({
        store: {
          findCredentials: async () => {
            await asked;
            return null;
          },
        },
        maxPendingLogins: 1,
        hashing: { maxConcurrentHashes: 1 },
      });
      const events = recordEvents();
      // One login has the place, and waits for the store. The event of the other one ends its wait.
      const shed = nextEvent('login_shed').then(release);
      await Promise.all([logIn(client, AWA.email), logIn(client, KOFI.email), shed]);
      const failed = { type: 'login_failed', ...HERE, reason: 'unknown_email', accountId: undefined };
      expectEvents(events, { type: 'login_shed', ...HERE, accountId: undefined }, failed);

      const busy = await serveLogin();
      busy.quick.verify = () => Promise.reject(new AuthError('too_busy'));
      await busy.logIn();
      expectEvents(events.slice(2), { type: 'login_shed', ...HERE, accountId: undefined });
      expectNoSecrets(events, ...SECRETS);
    });

    it('that upgrades the hash is reported', async () => {
      collectWarnings();
      const { client, store } = await servePayments(FRAMEWORK);
      store.put({ ...AWA, passwordHash: LOW_COST_HASH });
      const events = recordEvents();
      const upgraded = nextEvent('hash_upgraded');
      await logIn(client, AWA.email);
      await upgraded;
      const { passwordHash } = (await store.findCredentials(AWA.email)) ?? {};
      expectEvents(
        events,
        { type: 'login_succeeded', ...HERE, accountId: AWA.id },
        { type: 'hash_upgraded', ...HERE, accountId: AWA.id },
      );
      expectNoSecrets(events, ...SECRETS, String(passwordHash));
    });

    it('that cannot upgrade the hash is reported: false, a failing store, a failing computation', async () => {
      const upgraded = () => Promise.resolve('$argon2id$next');
      const broken = new Error('out of memory');
      for (const [replacePasswordHash, upgrade, cause] of [
        [() => Promise.resolve(false), upgraded, undefined],
        [() => Promise.resolve('yes' as never), upgraded, undefined],
        [() => Promise.reject(DOWN), upgraded, DOWN],
        [() => Promise.resolve(true), () => Promise.reject(broken), broken],
      ] as const) {
        const { client, quick } = await serveLogin({ store: { replacePasswordHash } });
        quick.passwords.upgrade = upgrade;
        const events = recordEvents();
        const notUpgraded = nextEvent('hash_not_upgraded');
        expect((await logIn(client, AWA.email)).status).to.equal(200);
        const event = await notUpgraded;
        expectEvents(
          events,
          { type: 'login_succeeded', ...HERE, accountId: AWA.id },
          { type: 'hash_not_upgraded', ...HERE, accountId: AWA.id, cause: event.cause },
        );
        if (cause === DOWN) {
          const { code, detail, cause: reason } = event.cause as AuthError;
          expect([code, detail, reason]).to.deep.equal([
            'store_unavailable',
            'UserStore.replacePasswordHash failed.',
            DOWN,
          ]);
        } else expect(event.cause).to.equal(cause);
        expectNoSecrets(events, ...SECRETS);
      }
    });

    it('is reported when the store fails or breaks its contract (ASVS 16.3.4)', async () => {
      const events = recordEvents();
      const throwing = () => {
        throw DOWN;
      };
      for (const findCredentials of [throwing, () => Promise.reject(DOWN)]) {
        await (await serveLogin({ store: { findCredentials } })).logIn();
      }
      const numbered = { account: { ...AWA, id: 7 as never }, passwordHash: PHC_OF_PASSWORD };
      await (await serveLogin({ store: { findCredentials: () => Promise.resolve(numbered) } })).logIn();
      const [, , malformed] = events as [unknown, unknown, Extract<AuthEvent, { type: 'store_failed' }>];
      expectEvents(
        events,
        { type: 'store_failed', ...HERE, reason: 'store_unavailable', cause: DOWN },
        { type: 'store_failed', ...HERE, reason: 'store_unavailable', cause: DOWN },
        { type: 'store_failed', ...HERE, reason: 'malformed_account', cause: malformed.cause },
      );
      expect(malformed.cause)
        .to.be.instanceOf(TypeError)
        .with.property('message')
        .that.matches(/^UserStore\.findCredentials returned an account whose id is not /);
      expectNoSecrets(events, ...SECRETS);
    });

    it('with a body that is not valid is not reported', async () => {
      const { client } = await serveLogin();
      const events = recordEvents();
      expect((await client.send('POST', '/v1/login', { body: { email: AWA.email } })).status).to.equal(400);
      expect(events).to.deep.equal([]);
    });

    it('that fails is reported and counted also when the caller disconnects while the hash is computed', async () => {
      const throttle = createLoginThrottle({ emailAndSource: { failures: 1, seconds: 900 } });
      let left = (): void => undefined;
      const closed = new Promise<void>((resolve) => (left = resolve));
      const watch: RequestHandler = (_req, res, next) => {
        res.once('close', () => left());
        next();
      };
      const { client, quick, logIn } = await serveLogin({ throttle, before: [watch] });
      const failed = nextEvent('login_failed');
      const login = startLogin(client.port, AWA.email, WRONG);
      quick.verify = async () => {
        login.hangUp();
        await closed;
        return false;
      };
      expectEvents([await failed], { type: 'login_failed', ...HERE, reason: 'wrong_password', accountId: AWA.id });
      expect((await logIn()).status).to.equal(429);
    });
  });

  describe('the digest of the identifier', () => {
    async function digestOf(email: string, options: LoginOptions = {}): Promise<string> {
      const { client } = await serveLogin({ throttle: false, ...options });
      const failed = nextEvent('login_failed');
      await logIn(client, email, WRONG);
      return (await failed).emailDigest;
    }

    it('is the same for all spellings that a database can treat as equal, found or not', async () => {
      const digest = await digestOf(AWA.email, { digestKey: DIGEST_KEY });
      for (const respelled of [
        'AWA@Boutique.EXAMPLE',
        'áwa@boutique.example',
        'awa@boutique.example  ',
        'ａwa@boutique.example',
      ]) {
        expect(await digestOf(respelled, { digestKey: DIGEST_KEY }), respelled).to.equal(digest);
      }
      expect(await digestOf(KOFI.email, { digestKey: DIGEST_KEY })).not.to.equal(digest);
    });

    it('is the same in all processes with one digestKey, and differs by digestKey and realm', async () => {
      const digest = await digestOf(AWA.email, { digestKey: DIGEST_KEY });
      expect(await digestOf(AWA.email, { digestKey: Buffer.from(DIGEST_KEY) })).to.equal(digest);
      expect(await digestOf(AWA.email, { digestKey: `${DIGEST_KEY}.` })).not.to.equal(digest);
      expect(await digestOf(AWA.email)).not.to.equal(digest);
      expect(await digestOf(AWA.email)).to.equal(await digestOf(AWA.email));
      const tokens = createTokens({ realm: 'partner' });
      expect(await digestOf(AWA.email, { digestKey: DIGEST_KEY, tokens })).not.to.equal(digest);
    });

    it('cannot be computed from the email alone', async () => {
      const digest = await digestOf(AWA.email);
      for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512']) {
        expect(createHash(algorithm).update(AWA.email).digest('hex')).not.to.contain(digest);
      }
    });
  });

  describe('a guarded request', () => {
    it('whose token is refused is reported with the reason (ASVS 16.2.5)', async () => {
      const { client, store } = await servePayments(FRAMEWORK);
      const past = createTokens({ clock: () => Date.now() - 18_001_000 }).issue(AWA);
      const events = recordEvents();
      await client.send('GET', '/v1/guarded');
      await client.send('GET', '/v1/guarded', { headers: bearer(`${token}x`) });
      await client.send('GET', '/v1/guarded', { headers: bearer(past) });
      store.put({ ...withPassword(AWA), disabled: true });
      await client.send('GET', '/v1/guarded', { headers: bearer(token) });
      store.put({ ...withPassword(AWA), tokensValidAfter: new Date(Date.now() + 1000) });
      await client.send('GET', '/v1/guarded', { headers: bearer(token) });
      store.remove(AWA.id);
      await client.send('GET', '/v1/guarded', { headers: bearer(token) });
      const refused = { type: 'token_refused', ...HERE };
      const revoked = { ...refused, reason: 'revoked_token', accountId: AWA.id };
      expectEvents(
        events,
        { ...refused, reason: 'missing_token', accountId: undefined },
        { ...refused, reason: 'invalid_token', accountId: undefined },
        { ...refused, reason: 'expired_token', accountId: undefined },
        revoked,
        revoked,
        revoked,
      );
      expectNoSecrets(events, ...SECRETS, ...token.split('.'), ...past.split('.'));
    });

    it('whose reference is refused is reported with the reason, by the guard and by requireOwnReference (ASVS 16.3.2)', async () => {
      const { client, awa } = await servePayments(FRAMEWORK);
      const events = recordEvents();
      await client.send('GET', '/v1/transactions', { headers: awa });
      await client.send('GET', '/v1/guarded?refercence_cl=BTQ-1001&refercence_cl=BTQ-1001', { headers: awa });
      await client.send('GET', '/v1/guarded?refercence_cl=CNT-1002', { headers: awa });
      await client.send('GET', '/v1/merchants/CNT-1002', { headers: awa });
      const refused = { type: 'ownership_refused', ...HERE, accountId: AWA.id, enforced: true };
      const foreign = { ...refused, reason: 'foreign_reference' };
      expectEvents(
        events,
        { ...refused, reason: 'missing_reference' },
        { ...refused, reason: 'invalid_reference' },
        foreign,
        foreign,
      );
      expectNoSecrets(events, ...SECRETS, ...token.split('.'), 'CNT-1002');
    });

    it('is reported when the store fails or breaks its contract (ASVS 16.3.4)', async () => {
      const accounts = accountStore();
      const events = recordEvents();
      const userStores = [
        { ...methodsOf(accounts), findById: () => Promise.reject(DOWN) },
        { ...methodsOf(accounts), findById: () => Promise.resolve(KOFI) },
      ];
      for (const userStore of userStores) {
        const { client, awa } = await servePayments(FRAMEWORK, { guard: { userStore } });
        await client.send('GET', '/v1/guarded', { headers: awa });
      }
      const [, lied] = events as [unknown, Extract<AuthEvent, { type: 'store_failed' }>];
      expectEvents(
        events,
        { type: 'store_failed', ...HERE, reason: 'store_unavailable', cause: DOWN },
        { type: 'store_failed', ...HERE, reason: 'malformed_account', cause: lied.cause },
      );
      expect(lied.cause).to.be.instanceOf(TypeError);
      expect((lied.cause as Error).message).to.contain('another id than asked for');
      expectNoSecrets(events, ...SECRETS, ...token.split('.'));
    });

    it('with a body that cannot be seen is reported', async () => {
      const { client, awa } = await servePayments(FRAMEWORK);
      const events = recordEvents();
      expect((await client.send('POST', '/v1/guarded', { headers: awa, body: 'a=1' })).status).to.equal(415);
      const reason = 'unreadable_body';
      expectEvents(events, { type: 'ownership_refused', ...HERE, accountId: AWA.id, reason, enforced: true });
    });

    it('that passes is not reported, and neither is a broken body', async () => {
      const { client, awa } = await servePayments(FRAMEWORK);
      const events = recordEvents();
      expect((await client.send('GET', '/v1/guarded', { headers: awa })).status).to.equal(200);
      const json = { ...awa, 'Content-Type': 'application/json' };
      expect((await client.send('POST', '/v1/guarded', { headers: json, body: '{' })).status).to.equal(400);
      expect(events).to.deep.equal([]);
    });

    it('is reported with the realm', async () => {
      const tokens = createTokens({ realm: 'partner' });
      const { client } = await servePayments(FRAMEWORK, { guard: { tokens }, login: { tokens } });
      const events = recordEvents();
      await client.send('GET', '/v1/guarded');
      await client.send('GET', '/v1/transactions', { headers: bearer(tokens.issue(AWA)) });
      await logIn(client, AWA.email);
      await logIn(client, AWA.email, WRONG);
      expect(events.map(({ type, realm }) => [type, realm])).to.deep.equal([
        ['token_refused', 'partner'],
        ['ownership_refused', 'partner'],
        ['login_succeeded', 'partner'],
        ['login_failed', 'partner'],
      ]);
    });
  });

  describe('the source', () => {
    const trustLoopback: RequestHandler = (req, _res, next) => {
      req.app.set('trust proxy', 'loopback');
      next();
    };

    it('is the address that Express trusts, and for IPv6 its first 64 bits', async () => {
      const { client } = await servePayments(FRAMEWORK, { before: [trustLoopback] });
      const events = recordEvents();
      for (const address of ['192.0.2.7', '2001:db8:1:2:3:4:5:6', '::ffff:192.0.2.8']) {
        const headers = { 'X-Forwarded-For': address };
        await client.send('GET', '/v1/guarded', { headers });
        await client.send('POST', '/v1/login', { headers, body: { email: AWA.email, password: PASSWORD } });
      }
      expect(events.map(({ source }) => source)).to.deep.equal([
        '192.0.2.7',
        '192.0.2.7',
        '2001:db8:1:2::/64',
        '2001:db8:1:2::/64',
        '192.0.2.8',
        '192.0.2.8',
      ]);
    });

    it('is undefined behind a proxy that Express does not know', async () => {
      collectWarnings();
      const { client } = await servePayments(FRAMEWORK);
      const events = recordEvents();
      const headers = { 'X-Forwarded-For': '192.0.2.7' };
      await client.send('GET', '/v1/guarded', { headers });
      await client.send('POST', '/v1/login', { headers, body: { email: AWA.email, password: PASSWORD } });
      expectEvents(
        events,
        { type: 'token_refused', realm: 'merchant', source: undefined, reason: 'missing_token', accountId: undefined },
        { type: 'login_succeeded', realm: 'merchant', source: undefined, accountId: AWA.id },
      );
    });
  });

  describe('the listener', () => {
    it('changes no answer when it throws or rejects', async () => {
      const { client, store, awa } = await servePayments(FRAMEWORK);
      listenUntilTheEnd(() => {
        throw new Error('the audit log is full');
      });
      listenUntilTheEnd(() => Promise.reject(new Error('the audit log is away')));
      const events = recordEvents();
      expectMissingToken(await client.send('GET', '/v1/guarded'));
      expectWrongCredentials(await logIn(client, AWA.email, WRONG));
      expect((await logIn(client, AWA.email)).status).to.equal(200);
      store.remove(AWA.id);
      expectRevokedToken(await client.send('GET', '/v1/guarded', { headers: awa }));
      expect(events.map(({ type }) => type)).to.deep.equal([
        'token_refused',
        'login_failed',
        'login_succeeded',
        'token_refused',
      ]);
    });

    it('gets the event of a request that was in flight when the listener was added', async () => {
      const events: AuthEvent[] = [];
      const { client } = await serveLogin({
        store: {
          findCredentials: (email) => {
            listenUntilTheEnd((event) => events.push(event));
            return quickAccountStore().findCredentials(email);
          },
        },
      });
      await logIn(client, AWA.email, WRONG);
      expectEvents(events, { type: 'login_failed', ...HERE, reason: 'wrong_password', accountId: AWA.id });
    });

    it('runs before the answer is written', async () => {
      const order: string[] = [];
      const watch: RequestHandler = (_req, res, next) => {
        const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => typeof res;
        res.writeHead = (...args: unknown[]) => {
          order.push('answer');
          return writeHead(...args);
        };
        next();
      };
      const { client } = await servePayments(FRAMEWORK, { before: [watch] });
      listenUntilTheEnd(({ type }) => order.push(type));
      await client.send('GET', '/v1/guarded');
      await logIn(client, AWA.email);
      await logIn(client, AWA.email, WRONG);
      expect(order).to.deep.equal(['token_refused', 'answer', 'login_succeeded', 'answer', 'login_failed', 'answer']);
    });
  });
});

/** The methods of a store, bound to it. */
function methodsOf(accounts: UserStore): UserStore {
  return {
    findById: (id) => accounts.findById(id),
    findCredentials: (email) => accounts.findCredentials(email),
  };
}

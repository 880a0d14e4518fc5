import { expect } from 'chai';
import type { Request } from 'express';
import { AuthError, type AuthEvent, createLogin, createLoginThrottle, createPasswords } from '../../src/index.js';
import { createTokens, type LoginOptions, type UserStore } from '../../src/index.js';
import { DEFAULT_LIMITS } from '../../src/throttle/throttle-options.js';
import { AWA, KOFI, PASSWORD, WRONG } from '../helpers/accounts.js';
import {
  ACCOUNT_DISABLED,
  INVALID_BODY,
  MALFORMED_ACCOUNT,
  STORE_UNAVAILABLE,
  TOO_BUSY,
  TOO_MANY_ATTEMPTS,
  WRONG_CREDENTIALS,
} from '../helpers/answers.js';
import { controlledThrottle } from '../helpers/controlled-throttle.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { expectNoSecrets, recordEvents, withoutMembers } from '../helpers/events.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { serve } from '../helpers/http.js';
import { startLogin } from '../helpers/login-host.js';
import { requestFrom } from '../helpers/logins-in-progress.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { QUICK_HASH, quickAccountStore, quickPasswords } from '../helpers/quick-passwords.js';
import { expectAuthError, rejectionOf } from '../helpers/thrown.js';
import { settle, until } from '../helpers/until.js';

const ADDRESS = '2001:db8:0:1::7';
const SOURCE = '2001:db8:0:1::/64';
const { failures, seconds } = DEFAULT_LIMITS.emailAndSource;

onEachExpress('Login.attempt in a route of the host', ({ auth, express }) => {
  it('leaves the answer to the host, and changes neither request nor response', async () => {
    const { passwords } = quickPasswords(auth.createPasswords);
    const login = auth.createLogin(quickAccountStore(), { passwords });
    const app = express();
    app.use(express.json());
    const seen: unknown[] = [];
    app.post('/auth/login', (req: Request<object, unknown, { password: string }>, res) => {
      const look = () => seen.push([{ ...req }, res.headersSent, res.writableEnded, { ...res.getHeaders() }]);
      look();
      void login
        .attempt(req, { identifier: AWA.email, password: req.body.password })
        .then(
          ({ account }) => account.id,
          (error: unknown) => (error as AuthError).code,
        )
        .then((text) => {
          look();
          res.send(text);
        });
    });
    const client = await serve(app);
    for (const [password, text] of [
      [PASSWORD, AWA.id],
      [WRONG, WRONG_CREDENTIALS],
      ['', INVALID_BODY],
    ]) {
      expect((await client.send('POST', '/auth/login', { body: { password } })).text).to.equal(text);
      const [before, after] = seen.splice(0);
      expect(after).to.deep.equal(before);
    }
  });
});

describe('Login.attempt', () => {
  let events: AuthEvent[];
  beforeEach(() => {
    events = recordEvents();
  });

  /** A Login of realm `partner` over one account, with one slot. */
  function createPartner(options: LoginOptions = {}) {
    const found: { credentials: () => unknown } = {
      credentials: () => Promise.resolve({ account: AWA, passwordHash: QUICK_HASH }),
    };
    let lookups = 0;
    const quick = quickPasswords(createPasswords, { maxConcurrentHashes: 1 });
    const control = controlledThrottle();
    const findCredentials = () => {
      lookups += 1;
      return found.credentials();
    };
    const userStore = { findById: () => Promise.resolve(null), findCredentials } as unknown as UserStore;
    const login = createLogin(userStore, {
      tokens: createTokens({ realm: 'partner' }),
      passwords: quick.passwords,
      throttle: control.throttle,
      digestKey: 'a digestKey of the tests, 32 bytes and more',
      ...options,
    });
    const attempt = (password = PASSWORD, identifier = AWA.email) =>
      login.attempt(requestFrom(ADDRESS), { identifier, password });
    /** Returns the event of one attempt, without its time. */
    const eventOf = async (password?: string) => {
      events.splice(0);
      await attempt(password).catch(() => undefined);
      expectNoSecrets(events, AWA.email, AWA.phone, PASSWORD, WRONG, QUICK_HASH);
      const [event = undefined as never, ...more] = events;
      expect(more).to.deep.equal([]);
      expect(event.time).to.be.instanceOf(Date);
      return withoutMembers(event, 'time', 'detail');
    };
    return { login, found, quick, control, attempt, eventOf, lookups: () => lookups };
  }

  it('resolves to the object that the store returned, and to a token', async () => {
    const { login, found } = createPartner();
    const account = { ...AWA, shop: 'Cocody' };
    found.credentials = () => Promise.resolve({ account, passwordHash: QUICK_HASH });
    const result = await login.attempt(requestFrom(ADDRESS), { identifier: AWA.email, password: PASSWORD });
    expect(Object.keys(result)).to.deep.equal(['account', 'token']);
    expect(result.account).to.equal(account);
    expect(createTokens({ realm: 'partner' }).verify(result.token)).to.include({ sub: AWA.id });
  });

  it('does nothing for wrong arguments', async () => {
    const { attempt, login, lookups, quick, control } = createPartner();
    expectAuthError(await rejectionOf(attempt('')), INVALID_BODY);
    expect(await rejectionOf(login.attempt(requestFrom(ADDRESS), { email: AWA.email } as never))).to.be.instanceOf(
      TypeError,
    );
    expect([lookups(), quick.compared, control.calls, events]).to.deep.equal([0, [], [], []]);
  });

  it('checks its arguments before the throttle, and the throttle before the places', async () => {
    const { attempt, quick, found, lookups } = createPartner({ maxPendingLogins: 1 });
    found.credentials = () => Promise.resolve({ account: AWA, passwordHash: QUICK_HASH });
    for (let failure = 0; failure < failures; failure++) await rejectionOf(attempt(`${WRONG} ${failure}`));
    found.credentials = () => Promise.resolve({ account: KOFI, passwordHash: QUICK_HASH });
    const end = quick.hold();
    const inside = [attempt(PASSWORD, KOFI.email)];
    await until(() => quick.compared.length === failures + 1);
    inside.push(attempt(`${PASSWORD} `, KOFI.email));
    await until(() => lookups() === failures + 2);
    for (const [password, identifier, code] of [
      ['', KOFI.email, INVALID_BODY],
      ['', AWA.email, INVALID_BODY],
      [PASSWORD, AWA.email, TOO_MANY_ATTEMPTS],
      ['another', KOFI.email, TOO_BUSY],
    ] as const) {
      expectAuthError(await rejectionOf(attempt(password, identifier)), code);
    }
    expect(lookups()).to.equal(failures + 2);
    end();
    await Promise.allSettled(inside);
  });

  it('rejects with an AbortError and does nothing, when the caller has disconnected before', async () => {
    const { login, quick, control } = createPartner();
    let rejection: unknown;
    const client = await serve((req: Request, res: { destroy(): void }) => {
      req.socket.once('close', () => {
        const attempt = login.attempt(req, { identifier: AWA.email, password: PASSWORD });
        attempt.catch((error: unknown) => (rejection = error));
      });
      res.destroy();
    });
    startLogin(client.port, AWA.email, PASSWORD);
    await until(() => rejection !== undefined);
    expect(rejection).to.be.instanceOf(Error).and.include({ name: 'AbortError' });
    expect([quick.compared, control.calls, events]).to.deep.equal([[], [], []]);
  });

  describe('reports each login by one event, which has exactly its members:', () => {
    const KNOWN = { realm: 'partner', source: SOURCE };

    /** The digest of AWA's email in realm `partner`, as the first event has it. */
    async function digestOf(eventOf: () => Promise<object>): Promise<string> {
      const { emailDigest } = (await eventOf()) as { emailDigest: string };
      expect(emailDigest).to.match(/^[0-9a-f]{32}$/);
      return emailDigest;
    }

    it('a success', async () => {
      const { eventOf } = createPartner();
      const emailDigest = await digestOf(eventOf);
      const event = { type: 'login_succeeded', ...KNOWN, emailDigest, accountId: AWA.id };
      expect(await eventOf()).to.deep.equal(event);
    });

    it('an undetermined source, as undefined', async () => {
      collectWarnings();
      const { login } = createPartner();
      const req = Object.assign(requestFrom(ADDRESS), { app: { get: () => true } });
      await login.attempt(req, { identifier: AWA.email, password: PASSWORD });
      await rejectionOf(login.attempt(req, { identifier: AWA.email, password: WRONG }));
      expect(events.map(({ type, source }) => [type, source])).to.deep.equal([
        ['login_succeeded', undefined],
        ['login_failed', undefined],
      ]);
    });

    it('wrong credentials and a disabled account, with the reason that the answer hides', async () => {
      collectWarnings();
      const { found, eventOf } = createPartner({ throttle: false });
      const emailDigest = await digestOf(eventOf);
      const disabled = { ...AWA, disabled: true };
      for (const [credentials, password, reason, accountId] of [
        [{ account: AWA, passwordHash: QUICK_HASH }, WRONG, 'wrong_password', AWA.id],
        [null, PASSWORD, 'unknown_email', undefined],
        [{ account: AWA, passwordHash: null }, PASSWORD, 'no_usable_hash', AWA.id],
        [{ account: AWA, passwordHash: 'unusable' }, PASSWORD, 'no_usable_hash', AWA.id],
        [{ account: KOFI, passwordHash: QUICK_HASH }, PASSWORD, 'other_identifier', KOFI.id],
        [{ account: disabled, passwordHash: QUICK_HASH }, PASSWORD, ACCOUNT_DISABLED, AWA.id],
        [{ account: disabled, passwordHash: QUICK_HASH }, WRONG, 'wrong_password', AWA.id],
      ] as const) {
        found.credentials = () => Promise.resolve(credentials);
        const event = { type: 'login_failed', ...KNOWN, emailDigest, reason, accountId };
        expect(await eventOf(password)).to.deep.equal(event);
      }
    });

    it('the throttle: before the lookup without the account, after the hash with it', async () => {
      freezeTime();
      const { attempt, eventOf } = createPartner();
      const emailDigest = await digestOf(eventOf);
      const throttled = { type: 'login_throttled', ...KNOWN, emailDigest, retryAfterSeconds: seconds };
      for (let failure = 0; failure < failures - 1; failure++) await eventOf(`${WRONG} ${failure}`);
      events.splice(0);
      // Both pass the check before the hash. Only one more failure is allowed.
      await Promise.allSettled([attempt(WRONG), attempt(`${WRONG}!`)]);
      expect(events.map((event) => withoutMembers(event, 'time', 'detail'))).to.deep.equal([
        { type: 'login_failed', ...KNOWN, emailDigest, accountId: AWA.id, reason: 'wrong_password' },
        { ...throttled, accountId: AWA.id },
      ]);
      expect(await eventOf()).to.deep.equal({ ...throttled, accountId: undefined });
      expect(await eventOf(WRONG)).to.deep.equal({ ...throttled, accountId: undefined, repeated: true });
    });

    it('a repetition of a guess, until it is beyond the limit of a guess, and after that', async () => {
      freezeTime();
      const { eventOf } = createPartner();
      const emailDigest = await digestOf(eventOf);
      const place = { ...KNOWN, emailDigest, repeated: true };
      await eventOf(WRONG);
      for (let repetition = 1; repetition < failures; repetition++) {
        const failed = { type: 'login_failed', ...place, accountId: AWA.id, reason: 'wrong_password' };
        expect(await eventOf(WRONG)).to.deep.equal(failed);
      }
      const throttled = { type: 'login_throttled', ...place, accountId: undefined, retryAfterSeconds: seconds };
      expect(await eventOf(WRONG)).to.deep.equal(throttled);
    });

    it('a repetition that the count after the hash sees, or only the one before it, and none of a right password', async () => {
      collectWarnings();
      const { attempt, control, eventOf, found } = createPartner();
      await Promise.allSettled([attempt(WRONG), attempt(WRONG)]);
      expect(events.filter((event) => 'repeated' in event)).to.have.length(1);
      const disabled = { ...AWA, disabled: true };
      found.credentials = () => Promise.resolve({ account: disabled, passwordHash: null });
      await eventOf(PASSWORD);
      found.credentials = () => Promise.resolve({ account: disabled, passwordHash: QUICK_HASH });
      expect(await eventOf(PASSWORD))
        .to.include({ type: 'login_failed', reason: ACCOUNT_DISABLED })
        .and.not.to.have.property('repeated');
      control.before = ({ method }) => {
        if (method === 'penalty') throw new Error('read-only');
      };
      expect(await eventOf(WRONG)).to.include({ type: 'login_failed', repeated: true });
    });

    for (const limit of ['email', 'source']) {
      const throttle = () => createLoginThrottle({ [limit]: { failures: 1, seconds: 60 } });
      const typesOf = () => events.map(({ type }) => type);

      it(`a known source beyond the limit of the ${limit}: throttled with a wrong password alone, which is kept`, async () => {
        freezeTime();
        const { attempt, eventOf } = createPartner({ throttle: throttle() });
        await eventOf();
        await eventOf(WRONG);
        const beyond = `${WRONG}!`;
        const throttled = { type: 'login_throttled', accountId: AWA.id };
        expect(await eventOf(beyond))
          .to.include(throttled)
          .and.not.to.have.property('repeated');
        expect(await eventOf(beyond)).to.include({ ...throttled, repeated: true });
        await attempt();
      });

      it(`a stranger beyond the limit of the ${limit}: throttled even with the right password, and a wrong one is not kept`, async () => {
        const time = freezeTime();
        const { attempt, eventOf } = createPartner({ throttle: throttle() });
        const beyond = `${WRONG}!`;
        await Promise.allSettled([attempt(WRONG), attempt(beyond), attempt()]);
        expect(typesOf()).to.deep.equal(['login_failed', 'login_throttled', 'login_throttled']);
        time.pass(60);
        expect(await eventOf(beyond))
          .to.include({ type: 'login_failed' })
          .and.not.to.have.property('repeated');
      });
    }

    it('too many logins at once, without a place or without a slot', async () => {
      const { quick, attempt, eventOf } = createPartner({ maxPendingLogins: 1 });
      const emailDigest = await digestOf(eventOf);
      const end = quick.hold();
      const inside = [attempt()];
      await until(() => quick.compared.length === 2);
      inside.push(attempt('another password'));
      await settle();
      const event = { type: 'login_shed', ...KNOWN, emailDigest, accountId: undefined };
      expect(await eventOf('a third password')).to.deep.equal(event);
      end();
      await Promise.allSettled(inside);
      // A login that gets no slot is reported like one that gets no place.
      quick.verify = () => Promise.reject(new AuthError(TOO_BUSY));
      expect(await eventOf()).to.deep.equal(event);
    });

    it('a failure of the store, with its cause, and without an event of the login itself', async () => {
      const { found, attempt, eventOf } = createPartner();
      const cause = new Error('connection refused');
      found.credentials = () => Promise.reject(cause);
      expect(await rejectionOf(attempt())).to.have.property('detail', 'UserStore.findCredentials failed.');
      expect(await eventOf()).to.deep.equal({ type: 'store_failed', ...KNOWN, reason: STORE_UNAVAILABLE, cause });
      found.credentials = () => Promise.resolve(undefined);
      const { cause: mistake, ...event } = (await eventOf()) as { cause: unknown };
      expect(mistake).to.be.instanceOf(TypeError);
      expect(event).to.deep.equal({ type: 'store_failed', ...KNOWN, reason: MALFORMED_ACCOUNT });
    });

    it('a store that does not answer within storeTimeoutMs', async () => {
      const time = freezeTime();
      const { found, eventOf } = createPartner({ storeTimeoutMs: 1_000 });
      found.credentials = () => new Promise(() => undefined);
      const event = eventOf();
      await settle();
      time.pass(1);
      expect(await event).to.include({ type: 'store_failed', reason: STORE_UNAVAILABLE });
    });
  });
});

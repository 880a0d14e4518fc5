import http, { type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import type { Request, Response } from 'express';
import type { AuthError, AuthEvent, LoginCredentials, LoginOptions, UserStore } from '../../src/index.js';
import { accountStore, AWA, FERMEE, KOFI, PASSWORD } from '../helpers/accounts.js';
import {
  expectAccountDisabled,
  expectInvalidBody,
  expectMalformedAccount,
  expectStoreUnavailable,
  expectTooBusy,
  expectTooManyAttempts,
  expectWrongCredentials,
} from '../helpers/answers.js';
import { type ControlledThrottle, controlledThrottle } from '../helpers/controlled-throttle.js';
import { expectNoSecrets, recordEvents, withoutMembers } from '../helpers/events.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { LOW_COST_HASH, PHC_OF_PASSWORD } from '../helpers/hashes.js';
import { bearer, type Client, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { QUICK_HASH, quickAccountStore, type QuickPasswords, quickPasswords } from '../helpers/quick-passwords.js';
import { rejectionOf } from '../helpers/thrown.js';
import { settle, until } from '../helpers/until.js';
import { startPost } from '../helpers/waiting-login.js';
import { collectWarnings } from '../helpers/warnings.js';

const WRONG = 'not the password';

onEachExpress('Login.attempt', ({ auth, express }) => {
  let events: AuthEvent[];
  beforeEach(() => {
    events = recordEvents(auth.onAuthEvent);
  });

  interface Host {
    readonly client: Client;
    readonly quick: QuickPasswords;
    readonly control: ControlledThrottle;
    /** The identifiers that the store was asked for. */
    readonly lookups: string[];
    /** The errors that `attempt` rejected with. */
    readonly rejections: unknown[];
    readonly logIn: (username: unknown, password: unknown) => ReturnType<Client['send']>;
  }

  /** A host with its own route, its own request body and its own answer, whose parser runs before the login. */
  async function serveHost(options: LoginOptions = {}, userStore = quickAccountStore()): Promise<Host> {
    const quick = quickPasswords(auth.createPasswords, { maxConcurrentHashes: 1 });
    const control = controlledThrottle(auth.createLoginThrottle);
    const lookups: string[] = [];
    const rejections: unknown[] = [];
    const recording: UserStore = {
      ...userStore,
      findCredentials: (identifier) => {
        lookups.push(identifier);
        return userStore.findCredentials(identifier);
      },
    };
    const login = auth.createLogin(recording, {
      passwords: quick.passwords,
      throttle: control.throttle,
      ...options,
    });
    const app = express();
    app.use(express.json());
    app.post('/auth/login', (req: Request<object, unknown, Record<string, string>>, res, next) => {
      const { username = undefined as never, password = undefined as never } = req.body;
      login.attempt(req, { identifier: username, password }).then(
        ({ account, token }) => {
          res.set('Cache-Control', 'no-store').json({ success: true, data: { user: account.id, token } });
        },
        (error: unknown) => {
          rejections.push(error);
          next(error);
        },
      );
    });
    app.use(auth.authErrorHandler({ log: () => undefined }));
    app.use((_err: unknown, _req: Request, res: Response, _next: unknown) => void res.status(599).end());
    const client = await serve(app);
    const logIn = (username: unknown, password: unknown) =>
      client.send('POST', '/auth/login', { body: { username, password } });
    return { client, quick, control, lookups, rejections, logIn };
  }

  /** Returns a request without a connection, like those of serverless adapters. */
  const bareRequest = () => ({ headers: {}, ip: '203.0.113.1' }) as unknown as IncomingMessage;

  it('serves the route, the body and the answer of the host', async () => {
    const { client, logIn } = await serveHost();
    const answer = await logIn(AWA.email, PASSWORD);
    const { token } = (answer.json as { data: { token: string } }).data;
    expect(answer.text).to.equal(`{"success":true,"data":{"user":"1","token":"${token}"}}`);
    expect([answer.status, answer.headers['cache-control']]).to.deep.equal([200, 'no-store']);
    expect(auth.createTokens().verify(token)).to.include({ sub: AWA.id, referencl: 'BTQ-1001' });
    expect((await client.send('POST', '/v1/login', { body: {} })).status).to.equal(404);
    const guarded = express().use(auth.requireBearer({ userStore: accountStore() }), (_req, res) => void res.json({}));
    expect((await (await serve(guarded)).send('GET', '/', { headers: bearer(token) })).status).to.equal(200);
  });

  it('never answers, and does not change the request', async () => {
    const login = auth.createLogin(quickAccountStore(), { passwords: quickPasswords(auth.createPasswords).passwords });
    const snapshots: { readonly req: Readonly<Record<string, unknown>>; readonly res: unknown }[] = [];
    const app = express();
    app.use(express.json());
    app.post('/auth/login', (req: Request<object, unknown, { password: string }>, res) => {
      const snapshot = () => {
        const members = Object.fromEntries(Object.entries(req));
        snapshots.push({ req: members, res: [res.headersSent, res.writableEnded, res.getHeaders()] });
      };
      const answer = () => {
        snapshot();
        res.status(204).end();
      };
      snapshot();
      login.attempt(req, { identifier: AWA.email, password: req.body.password }).then(answer, answer);
    });
    const client = await serve(app);
    for (const password of [PASSWORD, WRONG, '']) {
      expect((await client.send('POST', '/auth/login', { body: { password } })).status).to.equal(204);
      const [before, after] = snapshots.splice(0);
      expect(Object.keys(after?.req ?? {})).to.deep.equal(Object.keys(before?.req ?? {}));
      for (const [name, value] of Object.entries(before?.req ?? {})) expect(after?.req[name], name).to.equal(value);
      expect(after?.res).to.deep.equal(before?.res);
    }
  });

  it('resolves to the object that the store returned, and to a token', async () => {
    const account = { ...AWA, shop: 'Cocody' };
    const findCredentials = () => Promise.resolve({ account, passwordHash: QUICK_HASH });
    const { passwords } = quickPasswords(auth.createPasswords);
    const login = auth.createLogin({ findById: () => Promise.resolve(account), findCredentials }, { passwords });
    const result = await login.attempt(bareRequest(), { identifier: AWA.email, password: PASSWORD });
    expect(Object.keys(result)).to.deep.equal(['account', 'token']);
    expect(result.account).to.equal(account);
    expect(auth.createTokens().verify(result.token)).to.include({ sub: AWA.id });
  });

  it('rejects with the same refusals as POST /login', async () => {
    freezeTime();
    const { logIn, lookups } = await serveHost();
    expectWrongCredentials(await logIn('nobody@boutique.example', PASSWORD));
    expectAccountDisabled(await logIn(FERMEE.email, PASSWORD));
    for (let failure = 0; failure < 10; failure++) expectWrongCredentials(await logIn(AWA.email, WRONG));
    expectTooManyAttempts(await logIn(AWA.email, PASSWORD), 900);
    expect(lookups).to.have.length(12);
  });

  it('rejects with an AuthError also when the host has to fix the cause', async () => {
    const outage = new Error('connection refused');
    const down = await serveHost({}, { ...quickAccountStore(), findCredentials: () => Promise.reject(outage) });
    expectStoreUnavailable(await down.logIn(AWA.email, PASSWORD));
    const malformed = await serveHost(
      {},
      { ...quickAccountStore(), findCredentials: () => Promise.resolve({} as never) },
    );
    expectMalformedAccount(await malformed.logIn(AWA.email, PASSWORD));
    const [unavailable, misconfigured] = [...down.rejections, ...malformed.rejections] as AuthError[];
    expect(unavailable).to.be.instanceOf(auth.AuthError).and.include({ code: 'store_unavailable', cause: outage });
    expect(misconfigured).to.be.instanceOf(auth.AuthError).and.include({ code: 'malformed_account', status: 500 });
    expect(misconfigured?.detail).to.match(/^UserStore\.findCredentials returned no account object/);
  });

  it('passes on the error of a hasher unchanged', async () => {
    const { quick, rejections, logIn } = await serveHost();
    const reason = new Error('out of memory');
    quick.verify = () => Promise.reject(reason);
    expect((await logIn(AWA.email, PASSWORD)).status).to.equal(599);
    expect(rejections).to.deep.equal([reason]);
  });

  describe('checks its arguments', () => {
    const sentence = (name: string) => `The ${name} must be a text of 1 to 255 characters, without NUL.`;
    const bad: Readonly<Record<string, unknown>> = {
      'a missing value': undefined,
      null: null,
      'a number': 12345,
      'an object': { $ne: null },
      'an array': [AWA.email],
      'a String object': Object(AWA.email) as unknown,
      'an empty text': '',
      'a text of 256 characters': 'a'.repeat(256),
      'a text of 256 emoji': '😀'.repeat(256),
      'a text with NUL': 'awa\0@boutique.example',
      'a text with a high surrogate alone': 'awa\ud83d@boutique.example',
      'a text with a low surrogate alone': 'awa\ude00@boutique.example',
    };
    for (const [what, value] of Object.entries(bad)) {
      it(`and rejects ${what} with invalid_body, without errors, and does nothing else`, async () => {
        const { passwords, compared } = quickPasswords(auth.createPasswords);
        const { throttle, calls } = controlledThrottle(auth.createLoginThrottle);
        let lookups = 0;
        const findCredentials = () => Promise.resolve((lookups += 1) as never);
        const login = auth.createLogin({ ...quickAccountStore(), findCredentials }, { passwords, throttle });
        for (const [name, credentials] of [
          ['identifier', { identifier: value, password: PASSWORD }],
          ['identifier', { identifier: value, password: value }],
          ['password', { identifier: AWA.email, password: value }],
        ] as const) {
          const error = (await rejectionOf(login.attempt(bareRequest(), credentials as LoginCredentials))) as AuthError;
          expect(error).to.be.instanceOf(auth.AuthError);
          expect(JSON.stringify(error)).to.equal(
            '{"status":"Error","success":false,"code":400,"error":"invalid_body","message":"Body not valid",' +
              `"description":"${sentence(name)}"}`,
          );
        }
        expect([lookups, compared, calls, events]).to.deep.equal([0, [], [], []]);
      });
    }

    it('and rejects missing credentials, also over HTTP', async () => {
      const login = auth.createLogin(quickAccountStore());
      for (const credentials of [undefined, null, {}, 'awa', 7]) {
        const error = await rejectionOf(login.attempt(bareRequest(), credentials as never));
        expect(error).to.be.instanceOf(auth.AuthError).and.include({ code: 'invalid_body' });
        expect(error).to.have.property('description', sentence('identifier'));
      }
      const { client, logIn } = await serveHost();
      expectInvalidBody(await client.send('POST', '/auth/login', { body: {} }), sentence('identifier'));
      expectInvalidBody(await logIn(AWA.email, 5), sentence('password'));
    });

    it('and accepts from 1 to 255 code points, and texts that POST /login refuses', async () => {
      const texts = ['a', '5', ' ', '😀', 'a'.repeat(255), '😀'.repeat(255), 'no at sign', 'abc'];
      const { quick, lookups, logIn } = await serveHost({ throttle: false });
      for (const text of texts) expectWrongCredentials(await logIn(text, text));
      expect(lookups).to.deep.equal(texts);
      expect(quick.compared).to.deep.equal(texts);
    });
  });

  describe('keeps the order of the answers:', () => {
    it('the arguments, before the throttle and the places', async () => {
      const { quick, logIn, lookups } = await serveHost({ maxPendingLogins: 1 });
      for (let failure = 0; failure < 10; failure++) expectWrongCredentials(await logIn(AWA.email, WRONG));
      expect((await logIn(AWA.email, '')).status).to.equal(400);
      let end: () => void = () => undefined;
      const held = new Promise<boolean>((resolve) => (end = () => resolve(true)));
      quick.verify = () => held;
      const inside = [logIn(KOFI.email, PASSWORD)];
      await until(() => quick.compared.length === 11);
      inside.push(logIn(KOFI.email, 'another password'));
      await until(() => lookups.length === 12);
      expect((await logIn(KOFI.email, '')).status).to.equal(400);
      expect((await logIn(AWA.email, PASSWORD)).status).to.equal(429);
      expectTooBusy(await logIn(KOFI.email, 'a third password'));
      expect(lookups).to.have.length(12);
      end();
      for (const { status } of await Promise.all(inside)) expect(status).to.equal(200);
    });
  });

  describe('when the caller disconnects', () => {
    const startLogin = (port: number, password: string) =>
      startPost(port, '/auth/login', { username: AWA.email, password });

    it('while it waits for a slot, rejects with an AbortError and hashes nothing', async () => {
      const { client, quick, control, lookups, rejections, logIn } = await serveHost({ maxPendingLogins: 1 });
      let end: () => void = () => undefined;
      const held = new Promise<boolean>((resolve) => (end = () => resolve(true)));
      quick.verify = () => held;
      const first = logIn(AWA.email, PASSWORD);
      await until(() => quick.compared.length === 1);
      const caller = startLogin(client.port, 'of the caller that left');
      await until(() => lookups.length === 2);
      await settle();
      expectTooBusy(await logIn(KOFI.email, PASSWORD));
      rejections.splice(0);
      events.splice(0);
      caller.hangUp();
      await until(() => rejections.length === 1);
      expect(rejections[0]).to.be.instanceOf(DOMException).and.include({ name: 'AbortError' });
      expect(events).to.deep.equal([]);
      // Its place is free again.
      const next = logIn(KOFI.email, PASSWORD);
      await until(() => lookups.length === 3);
      end();
      for (const { status } of await Promise.all([first, next])) expect(status).to.equal(200);
      expect(quick.compared).to.deep.equal([PASSWORD, PASSWORD]);
      expect(control.calls.filter(({ method }) => method === 'penalty')).to.deep.equal([]);
    });

    it('before the attempt, rejects with an AbortError and does nothing', async () => {
      const { passwords, compared } = quickPasswords(auth.createPasswords);
      const { throttle, calls } = controlledThrottle(auth.createLoginThrottle);
      const login = auth.createLogin(quickAccountStore(), { passwords, throttle });
      const rejections: unknown[] = [];
      const app = express();
      app.use(express.json());
      app.post('/auth/login', (req, res) => {
        req.socket.once('close', () => {
          const attempt = login.attempt(req, { identifier: AWA.email, password: PASSWORD });
          attempt.catch((error: unknown) => rejections.push(error));
        });
        res.destroy();
      });
      const client = await serve(app);
      startLogin(client.port, PASSWORD);
      await until(() => rejections.length === 1);
      expect(rejections[0]).to.be.instanceOf(DOMException).and.include({ name: 'AbortError' });
      expect([compared, calls, events]).to.deep.equal([[], [], []]);
    });

    it('goes on after the end of the body, and with many requests on one connection', async () => {
      const warnings = collectWarnings();
      const { client } = await serveHost({ throttle: false });
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      const send = () =>
        new Promise<number>((resolve, reject) => {
          const headers = { 'Content-Type': 'application/json' };
          const target = { port: client.port, host: '127.0.0.1', method: 'POST', path: '/auth/login' };
          const request = http.request({ ...target, headers, agent }, (response) => {
            response.resume().once('end', () => resolve(response.statusCode ?? 0));
          });
          request.on('error', reject);
          request.end(JSON.stringify({ username: AWA.email, password: PASSWORD }));
        });
      for (let turn = 0; turn < 20; turn++) expect(await send()).to.equal(200);
      agent.destroy();
      expect(warnings).to.deep.equal([]);
    });

    it('goes on without a connection, as with serverless adapters', async () => {
      const { passwords } = quickPasswords(auth.createPasswords);
      const login = auth.createLogin(quickAccountStore(), { passwords });
      const credentials = { identifier: AWA.email, password: PASSWORD };
      for (const socket of [undefined, {}, { remoteAddress: '203.0.113.1' }]) {
        const req = Object.assign(bareRequest(), { socket }) as IncomingMessage;
        expect((await login.attempt(req, credentials)).account).to.include({ id: AWA.id });
      }
    });
  });

  describe('starts the upgrade of the hash', () => {
    function upgradable() {
      const replaced: string[][] = [];
      const userStore: UserStore = {
        findById: () => Promise.resolve(AWA),
        findCredentials: () => Promise.resolve({ account: AWA, passwordHash: LOW_COST_HASH }),
        replacePasswordHash: (...args) => Promise.resolve(replaced.push(args) > 0),
      };
      return { login: auth.createLogin(userStore, { throttle: false }), replaced };
    }
    const credentials = { identifier: AWA.email, password: PASSWORD };

    it('by itself, after attempt has resolved', async () => {
      const { login, replaced } = upgradable();
      await login.attempt(bareRequest(), credentials);
      expect(replaced).to.deep.equal([]);
      await until(() => replaced.length === 1);
      expect(replaced[0]?.slice(0, 2)).to.deep.equal([AWA.id, LOW_COST_HASH]);
      expect(await auth.createPasswords().verify(PASSWORD, replaced[0]?.[2] ?? '')).to.equal(true);
      await until(() => events.length === 2);
      expect(events.map(({ type }) => type)).to.deep.equal(['login_succeeded', 'hash_upgraded']);
    });

    it('also while fake timers replace the global setImmediate', async () => {
      const { login, replaced } = upgradable();
      const { setImmediate: real } = globalThis;
      globalThis.setImmediate = (() => undefined) as never;
      try {
        await login.attempt(bareRequest(), credentials);
        await until(() => replaced.length === 1);
      } finally {
        globalThis.setImmediate = real;
      }
    });

    it('not after a refusal', async () => {
      const { login, replaced } = upgradable();
      await rejectionOf(login.attempt(bareRequest(), { ...credentials, password: WRONG }));
      await settle();
      expect(replaced).to.deep.equal([]);
    });
  });

  describe('reports each login by one event, which has exactly its members', () => {
    const KNOWN = { realm: 'partner', source: '203.0.113.1' };

    /** A Login of realm `partner` over one store, and the event of one attempt, without its time. */
    function reporting(options: LoginOptions = {}) {
      const found: { credentials: () => unknown } = {
        credentials: () => Promise.resolve({ account: AWA, passwordHash: QUICK_HASH }),
      };
      const quick = quickPasswords(auth.createPasswords, { maxConcurrentHashes: 1 });
      const control = controlledThrottle(auth.createLoginThrottle);
      const userStore = {
        findById: () => Promise.resolve(null),
        findCredentials: () => found.credentials(),
      } as unknown as UserStore;
      const login = auth.createLogin(userStore, {
        tokens: auth.createTokens({ realm: 'partner' }),
        passwords: quick.passwords,
        throttle: control.throttle,
        digestKey: 'a digestKey of the tests, 32 bytes and more',
        ...options,
      });
      const eventOf = async (password = PASSWORD) => {
        events.splice(0);
        const before = Date.now();
        const attempt = login.attempt(bareRequest(), { identifier: AWA.email, password });
        await attempt.catch(() => undefined);
        expectNoSecrets(events, AWA.email, AWA.phone, PASSWORD, WRONG, PHC_OF_PASSWORD, QUICK_HASH);
        expect(events).to.have.length(1);
        const [event = undefined as never] = events;
        expect(event.time).to.be.instanceOf(Date);
        expect(event.time.getTime()).to.be.within(before, Date.now());
        return withoutMembers(event, 'time');
      };
      return { login, found, quick, control, eventOf };
    }

    /** The digest of AWA's email in realm `partner`, as the first event has it. */
    async function emailDigest(eventOf: () => Promise<object>): Promise<string> {
      const { emailDigest: digest } = (await eventOf()) as { emailDigest: string };
      expect(digest).to.match(/^[0-9a-f]{32}$/);
      return digest;
    }

    it('a success', async () => {
      const { eventOf } = reporting();
      const digest = await emailDigest(eventOf);
      expect(await eventOf()).to.deep.equal({
        type: 'login_succeeded',
        ...KNOWN,
        emailDigest: digest,
        accountId: AWA.id,
      });
    });

    it('wrong credentials, with the reason that the answer hides', async () => {
      collectWarnings();
      const { found, eventOf } = reporting();
      const digest = await emailDigest(eventOf);
      const failed = { type: 'login_failed', ...KNOWN, emailDigest: digest };
      expect(await eventOf(WRONG)).to.deep.equal({ ...failed, reason: 'wrong_password', accountId: AWA.id });
      found.credentials = () => Promise.resolve(null);
      expect(await eventOf()).to.deep.equal({ ...failed, reason: 'unknown_email', accountId: undefined });
      for (const passwordHash of [null, '', 'unusable']) {
        found.credentials = () => Promise.resolve({ account: AWA, passwordHash });
        expect(await eventOf()).to.deep.equal({ ...failed, reason: 'no_usable_hash', accountId: AWA.id });
      }
      found.credentials = () => Promise.resolve({ account: KOFI, passwordHash: QUICK_HASH });
      expect(await eventOf()).to.deep.equal({ ...failed, reason: 'other_identifier', accountId: KOFI.id });
    });

    it('a disabled account, whose password was right', async () => {
      const { found, eventOf } = reporting();
      const digest = await emailDigest(eventOf);
      const account = { ...AWA, disabled: true };
      found.credentials = () => Promise.resolve({ account, passwordHash: QUICK_HASH });
      const failed = { type: 'login_failed', ...KNOWN, emailDigest: digest, accountId: AWA.id };
      expect(await eventOf()).to.deep.equal({ ...failed, reason: 'account_disabled' });
      expect(await eventOf(WRONG)).to.deep.equal({ ...failed, reason: 'wrong_password' });
    });

    it('the throttle: before the lookup without the account, after the hash with it', async () => {
      freezeTime();
      const { login, eventOf } = reporting();
      const digest = await emailDigest(eventOf);
      const throttled = { type: 'login_throttled', ...KNOWN, emailDigest: digest, retryAfterSeconds: 900 };
      for (let failure = 0; failure < 9; failure++) await eventOf(WRONG);
      events.splice(0);
      // Both pass the check before the hash. Only one more failure is allowed.
      const attempts = [1, 2].map(() => login.attempt(bareRequest(), { identifier: AWA.email, password: WRONG }));
      await Promise.allSettled(attempts);
      expect(events.map((event) => withoutMembers(event, 'time'))).to.deep.equal([
        { type: 'login_failed', ...KNOWN, emailDigest: digest, accountId: AWA.id, reason: 'wrong_password' },
        { ...throttled, accountId: AWA.id },
      ]);
      expect(await eventOf()).to.deep.equal({ ...throttled, accountId: undefined });
    });

    it('too many logins at once', async () => {
      const { login, quick, eventOf } = reporting({ maxPendingLogins: 1 });
      const digest = await emailDigest(eventOf);
      let end: () => void = () => undefined;
      const held = new Promise<boolean>((resolve) => (end = () => resolve(true)));
      quick.verify = () => held;
      const attempt = (password: string) => login.attempt(bareRequest(), { identifier: AWA.email, password });
      const inside = [attempt(PASSWORD)];
      await until(() => quick.compared.length === 2);
      inside.push(attempt('another password'));
      await settle();
      expect(await eventOf('a third password')).to.deep.equal({
        type: 'login_shed',
        ...KNOWN,
        emailDigest: digest,
        accountId: undefined,
      });
      end();
      await Promise.all(inside);
    });

    it('a failure of the store, with its cause, and without an event of the login itself', async () => {
      const { found, eventOf } = reporting();
      const cause = new Error('connection refused');
      found.credentials = () => Promise.reject(cause);
      expect(await eventOf()).to.deep.equal({ type: 'store_failed', ...KNOWN, reason: 'store_unavailable', cause });
      found.credentials = () => Promise.resolve(undefined);
      const event = (await eventOf()) as { cause: Error };
      expect(event.cause).to.be.instanceOf(TypeError);
      expect(withoutMembers(event as unknown as AuthEvent, 'cause')).to.deep.equal({
        type: 'store_failed',
        ...KNOWN,
        reason: 'malformed_account',
      });
    });
  });
});

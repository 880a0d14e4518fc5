import type { IncomingMessage } from 'node:http';
import { mock } from 'node:test';
import { expect } from 'chai';
import type { AuthEvent } from '../../src/index.js';
import { Places } from '../../src/login/places.js';
import { accountStore, AWA, KOFI, PASSWORD } from '../helpers/accounts.js';
import { expectStoreUnavailable, expectTooBusy, expectWrongCredentials } from '../helpers/answers.js';
import { holdComputations } from '../helpers/computations.js';
import { type Client, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { QUICK_HASH, quickAccountStore, quickPasswords } from '../helpers/quick-passwords.js';
import { expectAuthError, rejectionOf } from '../helpers/thrown.js';
import { settle, until } from '../helpers/until.js';
import { startLogin } from '../helpers/waiting-login.js';

describe('Places', () => {
  it('runs steps up to the limit, and does not start another one', async () => {
    const places = new Places(2);
    let end: () => void = () => undefined;
    const held = new Promise<string>((resolve) => (end = () => resolve('ran')));
    const inside = [places.run(() => held), places.run(() => held)];
    let isStarted = false;
    const error = await rejectionOf(places.run(() => Promise.resolve((isStarted = true))));
    expectAuthError(error, 'too_busy');
    expect(isStarted).to.equal(false);
    end();
    expect(await Promise.all(inside)).to.deep.equal(['ran', 'ran']);
  });

  it('gives a place back when the step resolves, rejects or throws', async () => {
    const places = new Places(1);
    const reason = new Error('failed');
    const throwing = () => {
      throw reason;
    };
    for (let round = 0; round < 3; round++) {
      expect(await places.run(() => Promise.resolve('ran'))).to.equal('ran');
      expect(await rejectionOf(places.run(() => Promise.reject(reason)))).to.equal(reason);
      expect(await rejectionOf(places.run(throwing))).to.equal(reason);
    }
  });
});

/** One slot and one place to wait for it, so two logins are admitted. */
const TWO_PLACES = { maxConcurrentHashes: 1, maxPendingLogins: 1 };

onEachExpress('logins at once', ({ auth, express }) => {
  afterEach('the real clock', () => mock.timers.reset());

  interface Limits {
    readonly maxConcurrentHashes?: number;
    readonly maxPendingLogins?: number;
  }

  /** A host that records the emails that were looked up, and counts the callers that left before their answer. */
  async function serveLogin(
    { maxConcurrentHashes = 2, maxPendingLogins = 200 }: Limits,
    find?: (email: string) => Promise<unknown>,
  ) {
    const store = accountStore();
    const lookups: string[] = [];
    const host = { gone: 0, errors: [] as unknown[] };
    const app = express();
    app.use((_req, res, next) => {
      res.once('close', () => (host.gone += res.writableEnded ? 0 : 1));
      next();
    });
    const userStore = {
      findById: (id: string) => store.findById(id),
      findCredentials: async (email: string) => {
        lookups.push(email);
        await find?.(email);
        return store.findCredentials(email);
      },
    };
    const passwords = auth.createPasswords({ maxConcurrentHashes });
    app.use('/v1', auth.createLoginRouter(userStore, { passwords, throttle: false, maxPendingLogins }));
    app.use((err: unknown, _req: unknown, _res: unknown, next: (err: unknown) => void) => {
      host.errors.push(err);
      next(err);
    });
    app.use(auth.authErrorHandler({ log: () => undefined }));
    return { client: await serve(app), lookups, host };
  }

  const logIn = (client: Client, email = AWA.email, password = PASSWORD) =>
    client.send('POST', '/v1/login', { body: { email, password } });

  it('beyond the places are answered 503 with nothing looked up or hashed', async () => {
    const { client, lookups } = await serveLogin(TWO_PLACES);
    const computations = holdComputations();
    const events: AuthEvent[] = [];
    const stop = auth.onAuthEvent((event) => events.push(event));
    const inside = [logIn(client), logIn(client)];
    await until(() => lookups.length === 2 && computations.length === 1);
    expectTooBusy(await logIn(client, KOFI.email));
    expectTooBusy(await logIn(client, 'nobody@boutique.example'));
    stop();
    expect(lookups).to.deep.equal([AWA.email, AWA.email]);
    expect(computations).to.have.length(1);
    expect(events.map(({ type }) => type)).to.deep.equal(['login_shed', 'login_shed']);
    computations[0]?.end(true);
    await until(() => computations.length === 2);
    computations[1]?.end(true);
    for (const { status } of await Promise.all(inside)) expect(status).to.equal(200);
  });

  it('beyond the places get 400 all the same when their body is invalid', async () => {
    const { client, lookups } = await serveLogin(TWO_PLACES);
    const computations = holdComputations();
    const inside = [logIn(client), logIn(client)];
    await until(() => lookups.length === 2 && computations.length === 1);
    expect((await client.send('POST', '/v1/login', { body: {} })).status).to.equal(400);
    computations[0]?.end(true);
    await until(() => computations.length === 2);
    computations[1]?.end(true);
    await Promise.all(inside);
  });

  it('give their place back after a success, a wrong password, and a failure of store or hasher', async () => {
    const down = 'down@boutique.example';
    const { client } = await serveLogin(TWO_PLACES, (email) =>
      email === down ? Promise.reject(new Error('the database is away')) : Promise.resolve(),
    );
    const computations = holdComputations();
    let ended = 0;
    const endNext = async (result: unknown) => {
      await until(() => computations.length > ended);
      computations[ended++]?.end(result);
    };
    for (let round = 0; round < 3; round++) {
      const [good] = await Promise.all([logIn(client), endNext(true)]);
      expect(good.status).to.equal(200);
      const [wrong] = await Promise.all([logIn(client), endNext(false)]);
      expectWrongCredentials(wrong);
      const [unknown] = await Promise.all([logIn(client, 'nobody@boutique.example'), endNext(true)]);
      expectWrongCredentials(unknown);
      expectStoreUnavailable(await logIn(client, down));
      const [failed] = await Promise.all([logIn(client), endNext(new Error('out of memory'))]);
      expect(failed.status).to.equal(500);
    }
  });

  it('give their place back when the caller hangs up while it waits, and nothing is hashed for it', async () => {
    const { client, lookups, host } = await serveLogin(TWO_PLACES);
    const computations = holdComputations();
    const events: AuthEvent[] = [];
    const stop = auth.onAuthEvent((event) => events.push(event));
    const first = logIn(client);
    await until(() => computations.length === 1);
    const gone = startLogin(client.port, AWA.email, 'of the caller that hung up');
    await until(() => lookups.length === 2);
    await settle();
    expectTooBusy(await logIn(client));
    gone.hangUp();
    await until(() => host.gone === 1);
    const third = logIn(client, KOFI.email);
    await until(() => lookups.length === 3);
    computations[0]?.end(true);
    expect((await first).status).to.equal(200);
    await until(() => computations.length === 2);
    computations[1]?.end(true);
    expect((await third).status).to.equal(200);
    stop();
    expect(computations.map(({ password }) => password)).to.deep.equal([PASSWORD, PASSWORD]);
    expect(host.errors).to.deep.equal([]);
    expect(events.map(({ type }) => type)).to.deep.equal(['login_shed', 'login_succeeded', 'login_succeeded']);
  });

  it('keep place and slot until the computation ends when the caller hangs up during it', async () => {
    const { client, host, lookups } = await serveLogin(TWO_PLACES);
    const computations = holdComputations();
    const gone = startLogin(client.port, AWA.email, PASSWORD);
    await until(() => computations.length === 1);
    const waiting = logIn(client);
    await until(() => lookups.length === 2);
    gone.hangUp();
    await until(() => host.gone === 1);
    await settle();
    expectTooBusy(await logIn(client));
    expect(computations).to.have.length(1);
    computations[0]?.end(true);
    await until(() => computations.length === 2);
    computations[1]?.end(true);
    expect((await waiting).status).to.equal(200);
    expect(host.errors).to.deep.equal([]);
  });

  it('are hashed at most maxConcurrentHashes at a time', async () => {
    const { client, lookups } = await serveLogin({ maxConcurrentHashes: 2 });
    const computations = holdComputations();
    const logins = Array.from({ length: 6 }, () => logIn(client));
    for (let ended = 0; ended < 6; ended++) {
      await until(() => lookups.length === 6 && computations.length >= Math.min(ended + 2, 6));
      await settle();
      expect(computations).to.have.length(Math.min(ended + 2, 6));
      computations[ended]?.end(true);
    }
    for (const { status } of await Promise.all(logins)) expect(status).to.equal(200);
  });

  it('are answered 503 after five seconds without a slot, and give their place back', async () => {
    const { client, lookups } = await serveLogin(TWO_PLACES);
    const computations = holdComputations();
    mock.timers.enable({ apis: ['setTimeout'] });
    const first = logIn(client);
    await until(() => computations.length === 1);
    const second = logIn(client);
    await until(() => lookups.length === 2);
    await settle();
    mock.timers.tick(5_000);
    expectTooBusy(await second);
    const third = logIn(client, KOFI.email);
    await until(() => lookups.length === 3);
    computations[0]?.end(true);
    await until(() => computations.length === 2);
    computations[1]?.end(true);
    expect([(await first).status, (await third).status]).to.deep.equal([200, 200]);
  });

  it('have places of their Login: another one has its own, also with the same passwords', async () => {
    const lookups: string[] = [];
    const store = quickAccountStore();
    const userStore = {
      findById: (id: string) => store.findById(id),
      findCredentials: (email: string) => {
        lookups.push(email);
        return store.findCredentials(email);
      },
    };
    const quick = quickPasswords(auth.createPasswords, { maxConcurrentHashes: 1 });
    const options = { passwords: quick.passwords, throttle: false, maxPendingLogins: 1 } as const;
    const app = express();
    app.use('/shops', auth.createLoginRouter(userStore, options));
    app.use('/banks', auth.createLoginRouter(userStore, options));
    const client = await serve(app);
    const body = { email: AWA.email, password: PASSWORD };
    let end: () => void = () => undefined;
    const held = new Promise<boolean>((resolve) => (end = () => resolve(true)));
    quick.verify = () => held;
    const inside = ['/shops/login', '/shops/login'].map((path) => client.send('POST', path, { body }));
    await until(() => lookups.length === 2);
    expectTooBusy(await client.send('POST', '/shops/login', { body }));
    inside.push(...['/banks/login', '/banks/login'].map((path) => client.send('POST', path, { body })));
    await until(() => lookups.length === 4);
    expectTooBusy(await client.send('POST', '/banks/login', { body }));
    end();
    for (const { status } of await Promise.all(inside)) expect(status).to.equal(200);
  });

  it('have 200 places and the slots by default', async () => {
    let lookups = 0;
    const findCredentials = () => {
      lookups += 1;
      return Promise.resolve({ account: AWA, passwordHash: QUICK_HASH });
    };
    const quick = quickPasswords(auth.createPasswords, { maxConcurrentHashes: 3 });
    let end: () => void = () => undefined;
    const held = new Promise<boolean>((resolve) => (end = () => resolve(true)));
    quick.verify = () => held;
    const userStore = { findById: () => Promise.resolve(null), findCredentials };
    const login = auth.createLogin(userStore, { passwords: quick.passwords, throttle: false });
    const req = { headers: {}, ip: '203.0.113.1' } as unknown as IncomingMessage;
    const attempt = () => login.attempt(req, { identifier: AWA.email, password: PASSWORD });
    const inside = Array.from({ length: 203 }, attempt);
    expect(await rejectionOf(attempt())).to.include({ code: 'too_busy', status: 503 });
    expect(lookups).to.equal(203);
    end();
    expect(await Promise.all(inside)).to.have.length(203);
  });
});

import type { IncomingMessage } from 'node:http';
import { mock } from 'node:test';
import { expect } from 'chai';
import type { AuthEvent, LoginOptions } from '../../src/index.js';
import { type Origin, Places } from '../../src/login/places.js';
import { accountStore, AWA, FERMEE, KOFI, PASSWORD } from '../helpers/accounts.js';
import { expectStoreUnavailable, expectTooBusy, expectWrongCredentials } from '../helpers/answers.js';
import { setComputationTimes } from '../helpers/computation-times.js';
import { type HeldComputation, holdComputations } from '../helpers/computations.js';
import { type Answer, type Client, serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { QUICK_HASH, quickAccountStore, type QuickPasswords, quickPasswords } from '../helpers/quick-passwords.js';
import { expectAuthError, rejectionOf, thrownBy } from '../helpers/thrown.js';
import { settle, until } from '../helpers/until.js';
import { startLogin } from '../helpers/waiting-login.js';

const stranger = (address: string | number): Origin => ({ address: String(address), isKnown: false });
const known = (address: string | number): Origin => ({ address: String(address), isKnown: true });

function expectRefused(places: Places, origin: Origin): void {
  expectAuthError(
    thrownBy(() => places.take(origin)),
    'too_busy',
  );
}

describe('Places', () => {
  it('give one source any place while fewer than half are taken, and then a quarter', () => {
    const places = new Places(40, () => 0);
    for (let taken = 0; taken < 20; taken++) places.take(known('one'));
    expectRefused(places, known('one'));
    for (let taken = 0; taken < 10; taken++) places.take(known('another'));
    expectRefused(places, known('another'));
    places.take(known('a third'));
  });

  it('keep the last quarter for known sources', () => {
    const places = new Places(40, () => 0);
    for (let taken = 0; taken < 30; taken++) places.take(stranger(taken));
    expectRefused(places, stranger('one more'));
    for (let taken = 0; taken < 10; taken++) places.take(known(`known ${taken}`));
    expectRefused(places, known('one more'));
  });

  it('refuse a login whose wait would be longer than five seconds, by the class of its source', () => {
    const waits = { known: 5_000, others: 5_001 };
    const places = new Places(40, (isKnown) => (isKnown ? waits.known : waits.others));
    places.take(stranger('the first'));
    expectRefused(places, stranger('another'));
    places.take(known('a merchant'));
    waits.known = 5_001;
    expectRefused(places, known('a merchant'));
  });

  it('admit a login when nobody waits, whatever the estimate', () => {
    const places = new Places(1, () => Infinity);
    const leave = places.take(stranger('one'));
    expectRefused(places, stranger('another'));
    leave();
    places.take(stranger('another'));
  });

  it('free a place only once', () => {
    const places = new Places(4, () => 0);
    const leave = places.take(known('one'));
    places.take(known('another'));
    leave();
    leave();
    for (let taken = 0; taken < 3; taken++) places.take(known(taken));
    expectRefused(places, known('one more'));
  });
});

/** One slot and one place to wait for it. So two logins are admitted, unless they are identical. */
const ONE_PLACE = { maxConcurrentHashes: 1, maxPendingLogins: 1 };

onEachExpress('logins at once', ({ auth, express }) => {
  afterEach('restore the real clock', () => mock.timers.reset());

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

  /** Starts two logins. The first has the slot, the second waits for it. */
  async function fill(client: Client, lookups: readonly string[], computations: readonly HeldComputation[]) {
    const running = logIn(client);
    await until(() => computations.length === 1);
    const waiting = logIn(client, KOFI.email);
    await until(() => lookups.length === 2);
    await settle();
    return [running, waiting];
  }

  async function endBoth(computations: readonly HeldComputation[], inside: readonly Promise<Answer>[]): Promise<void> {
    computations[0]?.end(true);
    await until(() => computations.length === 2);
    computations[1]?.end(true);
    for (const { status } of await Promise.all(inside)) expect(status).to.equal(200);
  }

  it('beyond the places are answered 503 with nothing looked up or hashed (ASVS 2.4.1)', async () => {
    const { client, lookups } = await serveLogin(ONE_PLACE);
    const computations = holdComputations();
    const events: AuthEvent[] = [];
    const stop = auth.onAuthEvent((event) => events.push(event));
    const inside = await fill(client, lookups, computations);
    expectTooBusy(await logIn(client, FERMEE.email));
    expectTooBusy(await logIn(client, 'nobody@boutique.example'));
    expectTooBusy(await logIn(client, AWA.email, 'another password'));
    stop();
    expect(lookups).to.deep.equal([AWA.email, KOFI.email]);
    expect(computations).to.have.length(1);
    expect(events.map(({ type }) => type)).to.deep.equal(['login_shed', 'login_shed', 'login_shed']);
    await endBoth(computations, inside);
  });

  it('need no place when they are identical to one that waits or is hashed', async () => {
    const { client, lookups } = await serveLogin(ONE_PLACE);
    const computations = holdComputations();
    const inside = await fill(client, lookups, computations);
    inside.push(logIn(client), logIn(client, KOFI.email));
    await until(() => lookups.length === 4);
    await endBoth(computations, inside);
    expect(computations).to.have.length(2);
  });

  it('free their place when they get their slot', async () => {
    const { client, lookups } = await serveLogin({ maxConcurrentHashes: 3, maxPendingLogins: 1 });
    const computations = holdComputations();
    const inside: Promise<Answer>[] = [];
    for (const password of ['one password', 'two passwords', 'three passwords', 'four passwords']) {
      inside.push(logIn(client, AWA.email, password));
      await until(() => lookups.length === inside.length);
      await settle();
    }
    expect(computations).to.have.length(3);
    expectTooBusy(await logIn(client, AWA.email, 'five passwords'));
    for (let ended = 0; ended < 4; ended++) {
      await until(() => computations.length > ended);
      computations[ended]?.end(true);
    }
    for (const { status } of await Promise.all(inside)) expect(status).to.equal(200);
  });

  it('beyond the places still get 400 when their body is invalid', async () => {
    const { client, lookups } = await serveLogin(ONE_PLACE);
    const computations = holdComputations();
    const inside = await fill(client, lookups, computations);
    expect((await client.send('POST', '/v1/login', { body: {} })).status).to.equal(400);
    await endBoth(computations, inside);
  });

  it('free their place after a success, a wrong password, and a failure of store or hasher', async () => {
    const down = 'down@boutique.example';
    const { client, lookups } = await serveLogin(ONE_PLACE, (email) =>
      email === down ? Promise.reject(new Error('the database is away')) : Promise.resolve(),
    );
    const computations = holdComputations();
    let ended = 0;
    const endNext = async (result: unknown) => {
      await until(() => computations.length > ended);
      computations[ended++]?.end(result);
    };
    /** Ends the running computation, and lets the login `waiting` have the slot. */
    const takeTurn = async (waiting: () => Promise<Answer>) => {
      const running = logIn(client, AWA.email, 'the password of another login');
      await until(() => computations.length > ended);
      const before = lookups.length;
      const login = waiting();
      await until(() => lookups.length > before);
      await settle();
      return { login, endRunning: () => Promise.all([running, endNext(false)]) };
    };
    for (let round = 0; round < 3; round++) {
      for (const [result, status] of [
        [true, 200],
        [false, 401],
        [new Error('out of memory'), 500],
      ] as const) {
        const { login, endRunning } = await takeTurn(() => logIn(client));
        expectTooBusy(await logIn(client, KOFI.email));
        await endRunning();
        await endNext(result);
        expect((await login).status).to.equal(status);
      }
      const unknown = await takeTurn(() => logIn(client, 'nobody@boutique.example'));
      await unknown.endRunning();
      await endNext(true);
      expectWrongCredentials(await unknown.login);
      const failed = await takeTurn(() => logIn(client, down));
      expectStoreUnavailable(await failed.login);
      await failed.endRunning();
    }
  });

  it('free their place when the caller disconnects while it waits, and nothing is hashed for it', async () => {
    const { client, lookups, host } = await serveLogin(ONE_PLACE);
    const computations = holdComputations();
    const events: AuthEvent[] = [];
    const stop = auth.onAuthEvent((event) => events.push(event));
    const first = logIn(client);
    await until(() => computations.length === 1);
    const gone = startLogin(client.port, AWA.email, 'of the caller that hung up');
    await until(() => lookups.length === 2);
    await settle();
    expectTooBusy(await logIn(client, KOFI.email));
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

  it('are not hashed when their caller disconnects while the store is asked', async () => {
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (answer = resolve));
    const { client, lookups, host } = await serveLogin(ONE_PLACE, () => asked);
    const computations = holdComputations();
    const gone = startLogin(client.port, AWA.email, 'of the caller that hung up');
    await until(() => lookups.length === 1);
    gone.hangUp();
    await until(() => host.gone === 1);
    answer();
    await settle();
    expect(computations).to.deep.equal([]);
    const next = logIn(client);
    await until(() => computations.length === 1);
    computations[0]?.end(true);
    expect((await next).status).to.equal(200);
    expect(host.errors).to.deep.equal([]);
  });

  it('keep their slot until the computation ends when the caller disconnects during it', async () => {
    const { client, host, lookups } = await serveLogin(ONE_PLACE);
    const computations = holdComputations();
    const gone = startLogin(client.port, AWA.email, PASSWORD);
    await until(() => computations.length === 1);
    const waiting = logIn(client, KOFI.email);
    await until(() => lookups.length === 2);
    gone.hangUp();
    await until(() => host.gone === 1);
    await settle();
    expectTooBusy(await logIn(client, FERMEE.email));
    expect(computations).to.have.length(1);
    computations[0]?.end(true);
    await until(() => computations.length === 2);
    computations[1]?.end(true);
    expect((await waiting).status).to.equal(200);
    expect(host.errors).to.deep.equal([]);
  });

  it('are hashed at most maxConcurrentHashes at a time (ASVS 15.2.2)', async () => {
    const { client, lookups } = await serveLogin({ maxConcurrentHashes: 2 });
    const computations = holdComputations();
    const logins = Array.from({ length: 6 }, (_, login) => logIn(client, AWA.email, `password ${login}`));
    for (let ended = 0; ended < 6; ended++) {
      await until(() => lookups.length === 6 && computations.length >= Math.min(ended + 2, 6));
      await settle();
      expect(computations).to.have.length(Math.min(ended + 2, 6));
      computations[ended]?.end(true);
    }
    for (const { status } of await Promise.all(logins)) expect(status).to.equal(200);
  });

  it('are answered 503 after ten seconds without a slot, and free their place', async () => {
    const { client, lookups } = await serveLogin(ONE_PLACE);
    const computations = holdComputations();
    mock.timers.enable({ apis: ['setTimeout'] });
    const first = logIn(client);
    await until(() => computations.length === 1);
    const second = logIn(client, FERMEE.email);
    await until(() => lookups.length === 2);
    await settle();
    for (let second = 0; second < 10; second++) mock.timers.tick(1_000);
    expectTooBusy(await second);
    const third = logIn(client, KOFI.email);
    await until(() => lookups.length === 3);
    computations[0]?.end(true);
    await until(() => computations.length === 2);
    computations[1]?.end(true);
    expect([(await first).status, (await third).status]).to.deep.equal([200, 200]);
  });

  /** A quick comparison that lasts until `end` is called. */
  function hold(quick: QuickPasswords) {
    let end: () => void = () => undefined;
    const held = new Promise<boolean>((resolve) => (end = () => resolve(true)));
    quick.verify = () => held;
    return () => end();
  }

  it('use only the places of their Login: another Login has separate places, also with the same passwords', async () => {
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
    const post = (path: string, email: string) => client.send('POST', path, { body: { email, password: PASSWORD } });
    const end = hold(quick);
    const inside = [post('/shops/login', AWA.email)];
    await until(() => quick.compared.length === 1);
    inside.push(post('/shops/login', KOFI.email));
    await until(() => lookups.length === 2);
    expectTooBusy(await post('/shops/login', FERMEE.email));
    // The same email and password, but another Login: it shares neither the place nor the computation.
    inside.push(post('/banks/login', AWA.email));
    await until(() => lookups.length === 3);
    expectTooBusy(await post('/banks/login', FERMEE.email));
    end();
    for (const { status } of await Promise.all(inside)) expect(status).to.equal(200);
    expect(quick.compared).to.have.length(3);
  });

  /** A Login whose computations the test ends, with a way to log in from an address. */
  async function holdLogin(options: LoginOptions, slots: number, computationMs = 0) {
    const quick = quickPasswords(auth.createPasswords, { maxConcurrentHashes: slots });
    await setComputationTimes(quick.passwords, computationMs);
    const lookups: string[] = [];
    const findCredentials = (email: string) => {
      lookups.push(email);
      return Promise.resolve({ account: { ...AWA, email }, passwordHash: QUICK_HASH });
    };
    const userStore = { findById: () => Promise.resolve(null), findCredentials };
    const login = auth.createLogin(userStore, { passwords: quick.passwords, throttle: false, ...options });
    const attempt = (ip: string, password: string) => {
      const req = { headers: {}, ip } as unknown as IncomingMessage;
      return login.attempt(req, { identifier: AWA.email, password });
    };
    return { quick, lookups, attempt, end: hold(quick) };
  }

  it('have 200 places by default, beside the slots', async () => {
    const { lookups, attempt, end } = await holdLogin({}, 3);
    const inside: Promise<unknown>[] = [];
    for (let login = 0; login < 203; login++) {
      inside.push(attempt(`203.0.113.${login}`, `password ${login}`));
      // The first three have their slots before the others wait.
      if (login < 3) await settle();
    }
    expect(await rejectionOf(attempt('198.51.100.1', PASSWORD))).to.include({ code: 'too_busy', status: 503 });
    await until(() => lookups.length === 203);
    end();
    expect(await Promise.all(inside)).to.have.length(203);
    expect(lookups).to.have.length(203);
  });

  it('that would wait for more than five seconds are answered 503 at once, with nothing looked up', async () => {
    const { quick, lookups, attempt, end } = await holdLogin({}, 1, 2_500);
    const inside: Promise<unknown>[] = [];
    // The first one is hashed, and each later one waits for one more. The fourth one expects to wait for 5.0 s.
    for (let login = 0; login < 4; login++) {
      inside.push(attempt(`203.0.113.${login}`, `password ${login}`));
      await until(() => lookups.length === login + 1);
      await settle();
    }
    expect(quick.passwords.load()).to.deep.equal({ running: 1, waiting: 3 });
    expect(await rejectionOf(attempt('198.51.100.1', PASSWORD))).to.include({ code: 'too_busy' });
    expect(lookups).to.have.length(4);
    end();
    expect(await Promise.all(inside)).to.have.length(4);
  });
});

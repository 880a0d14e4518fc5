import { mock } from 'node:test';
import { expect } from 'chai';
import { accountStore, AWA, KOFI, PASSWORD } from '../helpers/accounts.js';
import { expectError, expectStoreUnavailable, expectWrongCredentials } from '../helpers/answers.js';
import { holdComputations } from '../helpers/computations.js';
import type { Answer, Client } from '../helpers/http.js';
import { serve } from '../helpers/http.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { settle, until } from '../helpers/until.js';
import { startLogin } from '../helpers/waiting-login.js';
import type { AuthEvent, PasswordsOptions } from '../../src/index.js';

function expectTooBusy(answer: Answer): void {
  const description = 'Too many logins at once. Try again in 5 seconds.';
  const expected = { code: 503, error: 'too_busy', message: 'Login failed', description };
  expectError(answer, expected, { 'retry-after': '5' });
}

onEachExpress('logins at once', ({ auth, express }) => {
  afterEach('the real clock', () => mock.timers.reset());

  /** A host that says which emails were looked up, and which callers went before their answer. */
  async function serveLogin(passwords: PasswordsOptions, find?: (email: string) => Promise<unknown>) {
    const store = accountStore();
    const lookups: string[] = [];
    const host = { gone: 0 };
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
    app.use('/v1', auth.createLoginRouter(userStore, { passwords: auth.createPasswords(passwords), throttle: false }));
    app.use(auth.authErrorHandler());
    return { client: await serve(app), lookups, host };
  }

  const logIn = (client: Client, email = AWA.email, password = PASSWORD) =>
    client.send('POST', '/v1/login', { body: { email, password } });

  it('beyond the places are answered 503 with nothing looked up or hashed', async () => {
    const { client, lookups } = await serveLogin({ places: 2, permits: 1 });
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

  it('beyond the places are told that their body is invalid all the same', async () => {
    const { client } = await serveLogin({ places: 1 });
    const computations = holdComputations();
    const inside = logIn(client);
    await until(() => computations.length === 1);
    expect((await client.send('POST', '/v1/login', { body: {} })).status).to.equal(400);
    computations[0]?.end(true);
    await inside;
  });

  it('give their place back after a success, a wrong password, and a failure of store or hasher', async () => {
    const down = 'down@boutique.example';
    const { client } = await serveLogin({ places: 1, permits: 1 }, (email) =>
      email === down ? Promise.reject(new Error('the database is away')) : Promise.resolve(),
    );
    const computations = holdComputations();
    let ended = 0;
    const endNext = async (result: unknown) => {
      await until(() => computations.length > ended);
      computations[ended++]?.end(result);
    };
    for (let round = 0; round < 2; round++) {
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
    const { client, lookups, host } = await serveLogin({ places: 2, permits: 1 });
    const computations = holdComputations();
    const events: AuthEvent[] = [];
    const stop = auth.onAuthEvent((event) => events.push(event));
    const first = logIn(client);
    await until(() => computations.length === 1);
    const gone = startLogin(client.port, AWA.email, 'of who hung up');
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
    expect(events.map(({ type }) => type)).to.deep.equal(['login_shed', 'login_succeeded', 'login_succeeded']);
  });

  it('keep place and permit until the computation ends when the caller hangs up during it', async () => {
    const { client, host } = await serveLogin({ places: 1, permits: 1 });
    const computations = holdComputations();
    const gone = startLogin(client.port, AWA.email, PASSWORD);
    await until(() => computations.length === 1);
    gone.hangUp();
    await until(() => host.gone === 1);
    expectTooBusy(await logIn(client));
    computations[0]?.end(true);
    await settle();
    const next = logIn(client);
    await until(() => computations.length === 2);
    computations[1]?.end(true);
    expect((await next).status).to.equal(200);
  });

  it('are hashed for no more than the permits at a time', async () => {
    const { client, lookups } = await serveLogin({ permits: 2 });
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

  it('are answered 503 after five seconds without a permit, and give their place back', async () => {
    const { client, lookups } = await serveLogin({ places: 2, permits: 1 });
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

  it('go on with a hasher of the host that has neither places nor upgrades', async () => {
    const app = express();
    const passwords = { verify: () => Promise.resolve(true) } as never;
    app.use('/v1', auth.createLoginRouter(accountStore(), { passwords, throttle: false }));
    const client = await serve(app);
    for (const { status } of await Promise.all([logIn(client), logIn(client)])) expect(status).to.equal(200);
  });
});
